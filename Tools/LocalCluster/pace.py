"""Time as the processes of this machine get it.

On a machine with other work, everything takes longer. So the deadlines of the test count seconds of a processor that is not shared: a
process does some work again and again, and compares the time it took with the processor time it needed. If work takes three times as long
as it needs, three seconds count as one. On a quiet machine, the seconds are those of the clock.
"""

import bisect
import subprocess
import sys
import threading
import time

# Prints how many times too long the work took. A process of its own, because threads of Python wait for each other.
MEASURE = """
import hashlib, time
while True:
    begin, needed = time.monotonic(), time.thread_time()
    hashlib.sha256(bytes(4 << 20))
    print((time.monotonic() - begin) / (time.thread_time() - needed), flush=True)
    time.sleep(0.2)
"""
# A sample tells about the machine for this many seconds.
RECENT = 5


class Pace:
    """The samples since a time of the monotonic clock."""

    def __init__(self, begin):
        self.lock = threading.Lock()
        # The clock at each sample, the seconds counted until then, and how many times too long the work took.
        self.clocks, self.counts, self.ratios = [begin], [0.0], [1.0]

    def measure(self):
        # It ends when nobody reads its output.
        command = [sys.executable, "-c", MEASURE]
        measuring = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in measuring.stdout:
            self.add(time.monotonic(), float(line))

    def add(self, clock, ratio):
        """Adds a sample."""
        ratio = max(1.0, ratio)
        with self.lock:
            self.counts.append(self.counts[-1] + (clock - self.clocks[-1]) / ratio)
            self.clocks.append(clock)
            self.ratios.append(ratio)

    def count(self, clock):
        """The seconds counted until a time of the monotonic clock."""
        with self.lock:
            index = bisect.bisect_right(self.clocks, clock) - 1
            if index < 0:
                return self.counts[0]
            count, since = self.counts[index], clock - self.clocks[index]
            if index + 1 < len(self.counts):
                length = self.clocks[index + 1] - self.clocks[index]
                return count + since / length * (self.counts[index + 1] - count)
            return count + since / self.ratios[index]

    def ratio(self):
        """How many times longer than on a quiet machine work takes now."""
        with self.lock:
            first = bisect.bisect_left(self.clocks, self.clocks[-1] - RECENT)
            return max(self.ratios[first:])


PACE = Pace(time.monotonic())
threading.Thread(target=PACE.measure, daemon=True).start()


def now():
    """The seconds counted until now."""
    return PACE.count(time.monotonic())


def between(begin, end):
    """The seconds counted between two times of the monotonic clock."""
    return PACE.count(end) - PACE.count(begin)


def stretched(seconds):
    """The seconds of the clock in which a command does what it does in some seconds on a quiet machine."""
    return seconds * PACE.ratio()
