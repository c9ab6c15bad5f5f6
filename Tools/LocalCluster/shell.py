"""Commands of the system."""

import subprocess

from . import pace
from .layout import Failure


def run(*command, text=None, check=True, timeout=60):
    """Runs a command, and returns its standard output. Throws `Failure` with the command's messages if it fails."""
    try:
        done = subprocess.run([str(part) for part in command], input=text, capture_output=True, text=True, timeout=pace.stretched(timeout))
    except FileNotFoundError as error:
        raise Failure(f"`{command[0]}` is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"`{' '.join(map(str, command))}` did not end within {timeout} seconds") from error
    if check and done.returncode != 0:
        messages = (done.stderr or done.stdout).strip()
        raise Failure(f"`{' '.join(map(str, command))}` failed with exit code {done.returncode}: {messages}")
    return done.stdout


def succeeds(*command, timeout=60):
    """Whether a command ends with exit code 0."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, timeout=pace.stretched(timeout))
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
