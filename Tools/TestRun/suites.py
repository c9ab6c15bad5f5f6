"""Runs the Swift tests in several processes: each takes some suites, and runs their tests one after another.

So a duration is that of the test alone, the lines of a test are not mixed with others, and a test that ends its process stops few others.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from .jobs import Job

# The seconds of the suites that take long next to others, for a run without the durations of an earlier one.
LONG = {
    "MunimentTests.FaultsOfBytes": 140, "MunimentTests.RandomNoticeTests": 60, "CredentialsTests.TokenFileTests": 60,
    "ServiceTests.ReplicaStreamTests": 55, "MunimentTests.RandomReplicaTests": 50, "MunimentTests.BackupFaultTests": 45,
    "MunimentTests.MembershipLimitTests": 40, "ServiceTests.KillTests": 30, "CommandLineToolTests.AuditCommandTests": 30,
    "MunimentTests.RandomHistoryTests": 30, "CommandLineToolTests.RunningServiceTests": 30, "SharedLogTests.SharedStoreTests": 30,
    "CommandLineToolTests.SharedLogCommandTests": 25, "MunimentClientTests.SocketScheduleTests": 25, "CommandLineToolTests.CompletionTests": 25,
}  # fmt: skip
# A process has at most about this many tests, unless a single suite has more.
TESTS_OF_A_PROCESS = 24


@dataclass
class Test:
    identifier: str
    name: str = ""
    begin: float = None
    seconds: float = None
    issues: list = field(default_factory=list)

    @property
    def filter(self):
        return without_place(self.identifier)


def without_place(identifier):
    """Returns the identifier of a test without the place in its source file, which some lists have."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", identifier)


def quoted(text):
    """Returns a regular expression, for Python and for Swift, that matches a text."""
    return re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", text)


class Bundle:
    """The built tests."""

    def __init__(self, built, environment, estimates):
        self.command = [str(built / "munimentPackageTests.xctest"), "--testing-library", "swift-testing"]
        self.environment = environment
        self.estimates = estimates

    def suites(self, pattern=None):
        """The tests of each suite, by the beginning of their identifiers."""
        listed = subprocess.run([*self.command, "--list-tests"], env=self.environment, capture_output=True, text=True)
        if listed.returncode != 0:
            sys.exit(f"the tests cannot be listed (exit code {listed.returncode}): {listed.stderr[-2000:]}")
        suites = defaultdict(list)
        for line in listed.stdout.splitlines():
            if re.match(r"\w+\.", line) and (pattern is None or re.search(pattern, line)):
                suites[re.match(r"\w+\.(`[^`]*`/|[^/]*/?)", line).group()].append(line)
        return suites

    def jobs(self, folder, pattern=None):
        """The processes that run the tests whose identifiers match a pattern."""
        groups, target = [], None
        for beginning, tests in sorted(self.suites(pattern).items()):
            if target != beginning.split(".")[0] or len(groups[-1]["tests"]) + len(tests) > TESTS_OF_A_PROCESS:
                target = beginning.split(".")[0]
                groups.append({"target": target, "beginnings": [], "tests": []})
            groups[-1]["beginnings"].append(beginning)
            groups[-1]["tests"] += tests
        numbers = defaultdict(int)
        for group in groups:
            numbers[group["target"]] += 1
            name = f"{group['target']} {numbers[group['target']]}"
            # With a pattern, only the tests that match it run.
            chosen = group["beginnings"] if pattern is None else group["tests"]
            filters = [part for text in chosen for part in ("--filter", "^" + quoted(text))]
            events = folder / f"{name}.events"
            logs = folder / f"{name} logs"
            logs.mkdir()
            command = [*self.command, "--no-parallel", "--event-stream-output-path", str(events), "--event-stream-version", "0", *filters]
            seconds = sum(self.estimates.get(without_place(test), 0.5) for test in group["tests"])
            if not self.estimates:
                seconds += sum(LONG.get(beginning.rstrip("/"), 0) for beginning in group["beginnings"])
            yield ProcessOfTests(
                name, command, seconds, environment={"SERVICE_LOGS": str(logs)}, events=events, tests=group["tests"], logs=logs)


@dataclass
class ProcessOfTests(Job):
    events: Path = None
    tests: list = None
    logs: Path = None

    def outcome(self, result):
        """Returns the tests that began, and the numbers of suites and of skipped tests."""
        tests, suites = {}, 0
        last, skipped = None, set()
        for record in read_events(self.events):
            payload = record["payload"]
            if record["kind"] == "test":
                if payload["kind"] == "function":
                    tests[payload["id"]] = Test(payload["id"], payload.get("displayName", payload["name"]))
                else:
                    suites += 1
                continue
            test = tests.get(payload.get("testID"))
            kind, now = payload["kind"], payload["instant"]["since1970"]
            if kind == "issueRecorded" and not payload["issue"]["isKnown"]:
                place = payload["issue"].get("sourceLocation") or {}
                text = "\n".join(message["text"] for message in payload["messages"])
                issue = f"{place.get('fileID', '')}:{place.get('line', '')}: {text}"
                (test.issues if test else tests.setdefault("", Test(self.name)).issues).append(issue)
            elif test and kind == "testStarted":
                test.begin, last = now, test
            elif test and kind == "testSkipped":
                skipped.add(test.filter)
            elif test and kind == "testEnded":
                test.seconds = now - test.begin
                last = None
        begun = {key: test for key, test in tests.items() if test.begin is not None or test.issues}
        if last is not None:
            last.issues.append(f"{last.name}: the process of the tests ended within this test ({result.end})")
        elif not result.has_passed and not any(test.issues for test in begun.values()):
            begun[""] = Test(self.name, issues=[f"{self.name}: {result.end}"])
        begun_or_skipped = skipped | {test.filter for test in tests.values() if test.begin is not None}
        lost = {without_place(test) for test in self.tests} - begun_or_skipped
        if lost:
            issue = f"{self.name}: {len(lost)} tests did not run, such as {min(lost)} ({result.end})"
            begun.setdefault("", Test(self.name)).issues.append(issue)
        return list(begun.values()), suites, len(skipped)

    def logs_of(self, test):
        """The logs of the services that a test started."""
        end = test.begin + (test.seconds if test.seconds is not None else 3600)
        return [log for log in sorted(self.logs.glob("*.log")) if test.begin - 0.1 <= log.stat().st_mtime <= end + 0.1]


def read_events(path):
    if not path.exists():
        return
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                # The last line of a process that was killed.
                return


def output_of(test, output):
    """The lines that a test printed, without those of the runner about other tests."""
    lines = output.splitlines()
    begins = [index for index, line in enumerate(lines) if line.startswith("◇ Test ") and f'"{test.name}" started.' in line]
    begins = begins or [index for index, line in enumerate(lines) if line.startswith("◇ Test ") and test.name in line]
    part = lines[begins[-1] :] if begins else lines
    for index, line in enumerate(part[1:], 1):
        if re.match(r"[◇✔] Test [^c]", line):
            part = part[:index]
            break
    return [line for line in part if not re.match(r"[◇✔] ", line)]
