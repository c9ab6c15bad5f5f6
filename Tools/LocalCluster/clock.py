"""Moves the clock of a node, by a small library that is loaded into its process (clock.c)."""

import shutil
import struct
from pathlib import Path

from .layout import Failure
from .node import LIBRARY_OF_CLOCK
from .shell import run


def build(layout):
    """Compiles the library with the compiler that comes with Swift, or another one."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise Failure("there is no C compiler, which the test needs to move clocks: put Swift's usr/bin on the PATH")
    source = Path(__file__).with_name("clock.c")
    run(compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", layout.folder / LIBRARY_OF_CLOCK, source, "-ldl", "-pthread")


def set_offset(machine, seconds):
    """Sets the difference between the clock of a node and the true time. Takes effect at once."""
    file = machine.disk / "clock-offset"
    mode = "r+b" if file.exists() else "wb"
    with open(file, mode) as output:
        output.write(struct.pack("=q", round(seconds * 1e6)))
