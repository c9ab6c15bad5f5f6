"""Runs several commands at once, and keeps the output and the duration of each."""

import os
import queue
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Job:
    """A command of the run.

    `seconds` is an estimate: the longest commands begin first. `limit_seconds` is far more than the command needs; a command that runs
    longer is stopped and has failed. `environment` is added to the environment of the run.
    """

    name: str
    command: list
    seconds: float = 10
    limit_seconds: float = 4800
    environment: dict = field(default_factory=dict)


@dataclass
class Result:
    job: Job
    begin: float
    end_time: float
    exit_code: int
    output: str
    is_out_of_time: bool = False
    # The seconds of a processor that the command and its children used.
    processor_seconds: float = 0

    @property
    def seconds(self):
        return self.end_time - self.begin

    @property
    def has_passed(self):
        return self.exit_code == 0 and not self.is_out_of_time

    @property
    def end(self):
        if self.is_out_of_time:
            return f"stopped after {self.job.limit_seconds:.0f} s: it did not get enough time"
        return f"ended by signal {-self.exit_code}" if self.exit_code < 0 else f"exit code {self.exit_code}"


class Running:
    """A job that runs, in a process group of its own."""

    def __init__(self, job, output, environment):
        self.process = subprocess.Popen(
            job.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**environment, **job.environment})
        self.has_ended = threading.Event()
        self.is_out_of_time = False

    def wait(self, limit_seconds):
        """Waits until the job has ended, and returns its exit code and its use of resources."""
        limit = threading.Timer(limit_seconds, self.stop_late)
        limit.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        limit.cancel()
        # What it left running ends, too.
        self.send(signal.SIGKILL)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.has_ended.set()
        return self.process.returncode, usage

    def stop_late(self):
        self.is_out_of_time = True
        end([self])

    def send(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass
        except PermissionError:
            # Some checks run as root.
            subprocess.run(["sudo", "-n", "kill", f"-{int(number)}", "--", f"-{self.process.pid}"], check=False)


class Runner:
    """Runs jobs. A run that is interrupted ends all processes of its jobs."""

    def __init__(self, folder, environment):
        self.folder = folder
        self.environment = environment
        self.lock = threading.Lock()
        self.running = set()
        self.is_interrupted = False
        self.ended = queue.Queue()

    def run(self, job):
        begin = time.monotonic()
        path = self.folder / (f"{job.name}.log".replace("/", " "))
        with open(path, "wb") as output:
            with self.lock:
                if self.is_interrupted:
                    return Result(job, begin, begin, -signal.SIGTERM, "")
                running = Running(job, output, self.environment)
                self.running.add(running)
            exit_code, usage = running.wait(job.limit_seconds)
        with self.lock:
            self.running.discard(running)
        text = path.read_text(encoding="utf-8", errors="replace")
        processor_seconds = usage.ru_utime + usage.ru_stime
        return Result(job, begin, time.monotonic(), exit_code, text, running.is_out_of_time, processor_seconds)

    def run_all(self, jobs, width):
        """Runs jobs, the longest first, at most `width` at once. Yields each result when its job has ended."""
        waiting, count = sorted(jobs, key=lambda job: -job.seconds), 0
        try:
            while waiting or count > 0:
                while waiting and count < width:
                    threading.Thread(target=self.run_and_tell, args=[waiting.pop(0)]).start()
                    count += 1
                result = self.ended.get()
                count -= 1
                if isinstance(result, BaseException):
                    raise result
                yield result
        except BaseException:
            self.interrupt()
            raise

    def run_and_tell(self, job):
        try:
            self.ended.put(self.run(job))
        except BaseException as error:
            self.ended.put(error)

    def interrupt(self):
        with self.lock:
            self.is_interrupted = True
            running = list(self.running)
        end(running)


def end(jobs, patience=60):
    """Ends jobs and their children. Sends SIGTERM first, so that they remove their files."""
    for job in jobs:
        job.send(signal.SIGTERM)
    deadline = time.monotonic() + patience
    for job in jobs:
        if not job.has_ended.wait(max(0, deadline - time.monotonic())):
            job.send(signal.SIGKILL)
            job.has_ended.wait()
