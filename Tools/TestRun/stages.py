"""The checks of `Tools/test` except the Swift tests."""

import os
import subprocess
import sys

from .jobs import Job

SOURCES = ["Sources", "Tests", "Tools", "Plugins", "Package.swift"]
FORMAT = ["swift", "format", "lint", "--strict", "--parallel", "--recursive", "--configuration", "Tools/swift-format.json", *SOURCES]


def build(built):
    """The one build: the optimized product, and tests that see its internal declarations. No check reads debug information."""
    return Job(
        "Build", ["swift", "build", "--configuration", "release", "--build-tests",
                  "-Xswiftc", "-enable-testing", "-Xswiftc", "-gnone", "--scratch-path", str(built.parent)],
        10_000, limit_seconds=5400)  # fmt: skip


def preparations(is_fast):
    """The format, and the packages that the checks need. They run during the build."""
    lists = ["servers"] if is_fast else ["servers", "schemathesis", "clients", "console"]
    commands = [f"Tools/prepare-python {name}" for name in lists]
    if not is_fast:
        commands.insert(0, "Tools/cluster install")
    yield Job("Packages", ["bash", "-c", "set -e; " + "; ".join(commands)])
    yield Job("Format", FORMAT)


def fast_checks():
    yield Job("Documents", ["Tools/check-documents"])
    yield Job("Scenarios against the reference model", ["Tools/check-against-model"], environment=fewer("SCENARIOS", 40))


def all_checks(seed, cluster_seconds, built):
    """Every check, with the seconds it takes next to others."""
    yield Job("Several machines under faults", ["Tools/cluster", "test", "--seconds", cluster_seconds, "--seed", seed], 300,
              limit_seconds=4800 + 3 * int(cluster_seconds),
              environment={"MUNIMENT_BINARY": str(built / "muniment")})  # fmt: skip
    yield Job("Console", ["Tools/check-console"], 200)
    yield Job("The API against its description", ["Tools/check-api"], 90)
    yield Job("Package", ["Tools/check-package"], 90)
    yield Job("Clients", ["Tools/check-clients"], 60)
    yield Job("Documents", ["Tools/check-documents"], 30)
    yield Job("Scenarios against the reference model", ["Tools/check-against-model"], 150)
    yield Job("Documentation", ["Tools/check-doc-comments"], 60)
    yield Job("Running", ["Tools/check-run"], 30)
    yield Job("Accounts from end to end", ["Tools/identity-demo"], 30)
    yield Job("Replicas from end to end", ["Tools/offline-demo"], 30)
    yield Job("Several machines: the checkers", ["Tools/cluster", "self-test"], 30)


def fewer(name, count):
    """A number of random cases, unless the environment has one."""
    return {} if f"MUNIMENT_{name}" in os.environ else {f"MUNIMENT_{name}": str(count)}


def sanitizer(is_asked_for):
    """The layers that call C with AddressSanitizer, if the sources that it is for have changed since it passed."""
    has_passed = subprocess.run(["Tools/sanitize", "--is-recorded"], stdout=subprocess.DEVNULL).returncode == 0
    if has_passed and not is_asked_for:
        print("AddressSanitizer: not repeated, because its sources are those that passed it (--sanitize repeats it)")
        return []
    return [Job("Memory", ["Tools/sanitize"])]


def prepare():
    """Installs the packages of Debian. Ends the run if they cannot be had."""
    if subprocess.run(["Tools/prepare", "chromium", "fonts-dejavu-core", "dpkg-dev", "nodejs", "util-linux"]).returncode != 0:
        sys.exit(3)
