"""The log of all operations of a test: one JSON object per line, with times in seconds since the start of the test."""

import json
import threading
import time

from . import pace


class OperationLog:
    """Records operations in a file and in memory. Can be used by several threads."""

    def __init__(self, file):
        self.start = time.monotonic()
        self.lock = threading.Lock()
        self.output = open(file, "w", buffering=1 << 16)
        # The operations since the last `take`.
        self.recent = []

    def now(self):
        return round(time.monotonic() - self.start, 6)

    def seconds(self, begin, end):
        """The seconds between two times of the log, as the processes of this machine got them."""
        return pace.between(self.start + begin, self.start + end)

    def record(self, kind, **fields):
        operation = {"kind": kind} | fields
        operation.setdefault("end", self.now())
        line = json.dumps(operation, separators=(",", ":"))
        with self.lock:
            self.output.write(line + "\n")
            self.recent.append(operation)
        return operation

    def take(self):
        """The operations since the last call, and forgets them."""
        with self.lock:
            taken, self.recent = self.recent, []
            self.output.flush()
        return taken

    def close(self):
        with self.lock:
            self.output.close()


class Knowledge:
    """The newest revision that any client has seen. A linearizable read that begins now must not be older."""

    def __init__(self):
        self.lock = threading.Lock()
        self.newest = 0
        self.newest_acknowledged = 0

    def saw(self, revision, acknowledged=False):
        with self.lock:
            self.newest = max(self.newest, revision)
            if acknowledged:
                self.newest_acknowledged = max(self.newest_acknowledged, revision)
