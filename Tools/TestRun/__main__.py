"""Builds Muniment and runs its checks and tests. `Tools/test --help` says how."""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from . import stages
from .jobs import Job, Runner
from .suites import Bundle, ProcessOfTests, output_of, quoted

DESCRIPTION = """\
Builds Muniment once, and runs every check and test, several at once. Prints the seconds of each, the slowest tests, and every failure with
the command that repeats it. The last line is the count. Exits 0 only if all of them succeeded.
"""

EPILOG = """\
environment:
  MUNIMENT_HISTORIES   number of random histories that the tests compare with a simple model (default 200; 300 for notices; --fast: 20)
  MUNIMENT_SCENARIOS   number of random scenario files to compare with the reference model (default 200; --fast: 40; 0 for none)
  MUNIMENT_CLUSTER_SECONDS   seconds for which several machines are broken and checked (default 180)
  MUNIMENT_SCHEDULES   number of random schedules of replicas (default 100; --fast: 20; a fiftieth of them with processes and sockets)
  MUNIMENT_SEED        the first seed for all of them, to repeat a run (default: a new one for each run, printed; with CI set, the same
                       for each run of a commit, so that its failures can be repeated)
"""

SETTINGS = {f"MUNIMENT_{name}" for name in (
    "HISTORIES", "SCENARIOS", "CLUSTER_SECONDS", "SCHEDULES", "SEED", "FAULTS", "FLIPS", "SHARED", "CHROMIUM", "CLUSTER")}  # fmt: skip

# Tests wait for disks, other processes and each other, so more of them than processors run at once.
WIDTH = 7
SLOWEST = 20
# Enough room for the stores of the tests in memory.
MEMORY_BYTES = 4 << 30


def main():
    options = arguments()
    os.chdir(Path(__file__).resolve().parent.parent.parent)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    if options.half_core is not None and "MUNIMENT_HALF_CORE" not in os.environ:
        sys.exit(on_half_a_core(str(options.half_core)))
    folder, memory = Path(tempfile.mkdtemp(prefix="muniment-test-run-")), memory_folder()
    try:
        run, is_good = Run(options, folder, memory), False
        try:
            is_good = run.everything()
        except BaseException as error:
            run.failures.append(f"the run ended early: {error or type(error).__name__}")
            if isinstance(error, SystemExit) and isinstance(error.code, str):
                # The message is among the failures.
                error.code = 2
            raise
        finally:
            run.print_end()
    finally:
        for left in filter(None, [folder, memory]):
            shutil.rmtree(left, ignore_errors=True)
    sys.exit(0 if is_good else 1)


def interrupted(number, _):
    """Ends the run, once. Another signal would end the ending."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    print("interrupted: ends the checks, which can take a minute", file=sys.stderr)
    sys.exit(128 + number)


def arguments():
    parser = argparse.ArgumentParser(
        prog="Tools/test", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="for daily work: format, all Swift tests with fewer histories, scenarios, documents")
    parser.add_argument("--tests", metavar="REGEX", help="only the Swift tests whose identifiers match, such as ServiceTests.RightTests/table")
    parser.add_argument(
        "--half-core", metavar="N", nargs="?", type=int, const=0, help="run on processor N (default: 0), next to a loop that takes half of it")
    parser.add_argument("--sanitize", action="store_true", help="run the tests with AddressSanitizer although nothing has changed")
    parser.add_argument("--width", type=int, default=WIDTH, metavar="N", help=f"how many checks run at once (default: {WIDTH})")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="only checks whose names contain one of these words")
    options = parser.parse_args()
    if options.width < 1:
        parser.error(f"--width: `{options.width}` is below 1")
    if options.tests == "":
        parser.error("--tests: the regular expression is empty; leave the option out to run all tests")
    if options.tests and options.checks:
        parser.error("--tests runs tests alone; name checks without it")
    if options.sanitize and (options.fast or options.tests or options.checks):
        parser.error("--sanitize belongs to the whole run; `Tools/sanitize` repeats AddressSanitizer alone")
    try:
        re.compile(options.tests or "")
    except re.error as error:
        parser.error(f"--tests: `{options.tests}` is not a regular expression: {error}")
    return options


def on_half_a_core(processor):
    """Runs this program again on one processor, with a busy loop on the same one."""
    loop = subprocess.Popen(["taskset", "-c", processor, sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        environment = {**os.environ, "MUNIMENT_HALF_CORE": processor}
        command = ["taskset", "-c", processor, sys.executable, "-m", "TestRun", *sys.argv[1:]]
        inner = subprocess.Popen(command, env=environment, start_new_session=True)
        try:
            return inner.wait()
        except BaseException:
            # The inner run ends its jobs and removes its folders.
            inner.terminate()
            inner.wait()
            raise
    finally:
        loop.kill()


def memory_folder():
    """A folder in memory for the stores of tests, where syncing is free. None if there is no room for it."""
    try:
        if shutil.disk_usage("/dev/shm").free < MEMORY_BYTES:
            return None
        folder = Path(tempfile.mkdtemp(prefix="muniment-test-", dir="/dev/shm"))
        # As /tmp: some tests run commands as other users.
        folder.chmod(0o1777)
        return folder
    except OSError:
        return None


def first_seed():
    if "MUNIMENT_SEED" in os.environ:
        return os.environ["MUNIMENT_SEED"]
    if os.environ.get("CI"):
        commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
        if commit.returncode == 0:
            return str(int(commit.stdout[:8], 16))
    return str(random.getrandbits(32))


class Run:
    def __init__(self, options, folder, memory):
        self.options = options
        self.begin = time.monotonic()
        self.folder = folder
        self.seed = first_seed()
        self.built = Path(".build/tested/release").absolute()
        self.estimates_file = self.built.parent / "durations.json"
        self.results, self.tests, self.failures = [], [], []
        self.suite_count, self.skipped_count = 0, 0
        environment = {**os.environ, "MUNIMENT_SEED": self.seed, "BUILT": str(self.built)}
        # Settings of the caller for other programs do not reach the tests.
        for name in list(environment):
            if name.startswith("MUNIMENT_") and name not in SETTINGS or name in ("ASAN_OPTIONS", "PYTHONPATH"):
                del environment[name]
        if options.fast:
            environment |= stages.fewer("HISTORIES", 20) | stages.fewer("SCHEDULES", 20)
        self.runner = Runner(folder, environment)
        # Tests of kills, faults and full disks use the disk.
        disk = folder / "d"
        disk.mkdir()
        for each in (folder, disk):
            each.chmod(0o1777)
        self.folders = {"TMPDIR": str(memory or disk), "MUNIMENT_TEST_DISK": str(disk)}

    def everything(self):
        print(f"seed {self.seed}", flush=True)
        chosen = self.chosen()
        stages.prepare()
        preparations = [job for job in chosen if job.name in ("Format", "Packages")]
        checks = [job for job in chosen if job not in preparations]
        needs_build = self.options.tests or any(job.name not in ("Memory", "Build") for job in checks)
        if needs_build or "Build" in [job.name for job in checks]:
            preparations.append(stages.build(self.built))
        if not self.do(preparations, len(preparations), "Packages", "Build"):
            return False
        jobs = [job for job in checks if job.name not in ("Tests", "Memory", "Build")]
        if self.options.tests or "Tests" in [job.name for job in checks]:
            tests = list(Bundle(self.built, self.runner.environment, self.estimates()).jobs(self.folder, self.options.tests))
            if not tests:
                self.failures.append("no test matches what was asked for")
            for job in tests:
                job.environment |= self.folders
            jobs += tests
        self.do(jobs, self.options.width)
        if any(job.name == "Memory" for job in checks):
            self.do(stages.sanitizer(self.options.sanitize), 1)
        self.keep_estimates()
        return not self.failures and bool(self.results)

    def chosen(self):
        """The chosen checks, and the packages that they need. Ends the run if there are none for one of the words."""
        if self.options.tests:
            return []
        seconds = os.environ.get("MUNIMENT_CLUSTER_SECONDS", "180")
        checks = stages.fast_checks() if self.options.fast else stages.all_checks(self.seed, seconds, self.built)
        known = [Job("Build", []), Job("Tests", []), *stages.preparations(self.options.fast), *checks]
        if not self.options.fast:
            known.append(Job("Memory", []))
        for word in self.options.checks:
            if not any(word.lower() in job.name.lower() for job in known):
                sys.exit(f"no check has `{word}` in its name; they are {', '.join(job.name for job in known)}")
        chosen = [job for job in known if self.is_chosen(job.name)]
        alone = {job.name for job in chosen} <= {"Format", "Build"}
        return [job for job in known if job in chosen or job.name == "Packages" and not alone]

    def is_chosen(self, name):
        return not self.options.checks or any(word.lower() in name.lower() for word in self.options.checks)

    def do(self, jobs, width, *needed):
        """Runs jobs. Returns False as soon as a needed one has failed."""
        for result in self.runner.run_all(jobs, width):
            self.results.append(result)
            self.take(result)
            if result.job.name in needed and not result.has_passed:
                self.runner.interrupt()
                print("the rest was not tested", file=sys.stderr)
                return False
        return True

    def take(self, result):
        if isinstance(result.job, ProcessOfTests):
            self.take_tests(result)
        else:
            mark = "" if result.has_passed else ": FAILED"
            print(f"\n== {result.job.name} ({result.seconds:.0f} s){mark}\n{result.output.rstrip()}", flush=True)
            if not result.has_passed:
                end = "\n".join(result.output.rstrip().splitlines()[-40:])
                self.failures.append(f"{result.job.name}: {result.end}\n{end}\nto repeat: {self.settings} Tools/test '{result.job.name}'")

    def take_tests(self, result):
        tests, suite_count, skipped_count = result.job.outcome(result)
        self.skipped_count += skipped_count
        self.tests += tests
        self.suite_count += suite_count
        for test in tests:
            if test.issues:
                self.failures.append(self.failure(test, result))
                print(f"\n{self.failures[-1]}", flush=True)

    def failure(self, test, result):
        lines = [f'✘ Test "{test.name}" ({test.filter})', *(f"  {issue}"[:1200] for issue in test.issues[:5])]
        printed = output_of(test, result.output)[-40:]
        lines += ["  it printed:", *(f"    {line[:400]}" for line in printed)] if printed else []
        for log in result.job.logs_of(test) if test.begin else []:
            lines += ["  the last lines of its service's log:", *(f"    {line[:400]}" for line in log.read_text(errors="replace").splitlines()[-15:])]
        expression = quoted(test.filter if test.begin else result.job.name.split(" ")[0]).replace("'", ".")
        return "\n".join([*lines, f"  to repeat: {self.settings} Tools/test --tests '{expression}'"])

    @property
    def settings(self):
        """The settings that repeat this run."""
        return " ".join(f"{name}={value}" for name, value in sorted(self.runner.environment.items()) if name in SETTINGS)

    def estimates(self):
        try:
            return json.loads(self.estimates_file.read_text())
        except (OSError, ValueError):
            return {}

    def keep_estimates(self):
        if self.tests and not self.options.tests:
            self.estimates_file.write_text(json.dumps({test.filter: test.seconds for test in self.tests if test.seconds is not None}))

    def print_times(self, results, name):
        begin, end = min(result.begin for result in results), max(result.end_time for result in results)
        used = sum(result.processor_seconds for result in results)
        print(f"{begin - self.begin:7.0f} {end - self.begin:7.0f} {used:7.0f}  {name}")

    def print_end(self):
        timed = sorted((test for test in self.tests if test.seconds is not None), key=lambda test: -test.seconds)
        checks = [result for result in self.results if not isinstance(result.job, ProcessOfTests)]
        processes = [result for result in self.results if isinstance(result.job, ProcessOfTests)]
        print("\n== Seconds: begin, end, of a processor, name")
        for result in checks:
            self.print_times([result], result.job.name)
        if processes:
            self.print_times(processes, f"{len(self.tests)} tests in {self.suite_count} suites, in {len(processes)} processes")
        if timed:
            print(f"\n== The {min(SLOWEST, len(timed))} slowest tests")
            for test in timed[:SLOWEST]:
                print(f"{test.seconds:7.1f}  {test.filter}: {test.name}")
        if self.failures:
            print("\n== Failures", flush=True)
            for failure in self.failures:
                print(f"\n{failure}", file=sys.stderr)
            sys.stderr.flush()
        passed = sum(not test.issues for test in self.tests) + sum(result.has_passed for result in checks)
        print(f"\nseed {self.seed}; the count is of {len(checks)} checks and {len(self.tests)} tests", flush=True)
        print(f"{time.monotonic() - self.begin:.0f} s in all")
        print(f"{passed} passed, {len(self.failures)} failed" + (f", {self.skipped_count} skipped" if self.skipped_count else ""), flush=True)


if __name__ == "__main__":
    main()
