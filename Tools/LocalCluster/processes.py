"""Processes of the machines of a cluster.

The tool keeps no list of processes. A process belongs to a machine if it is in the machine's network namespace. So `stop` finds every
process after an interrupted start, and no process of another program.
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass

from . import pace
from .network import namespaces


@dataclass(frozen=True)
class Process:
    pid: int
    # What the process is: etcd, patroni, postgres, node, or other.
    program: str
    # Whether it is the first process of its program: the postmaster, not one of its children.
    is_main: bool
    state: str

    @property
    def is_paused(self):
        return self.state == "T"


def start(layout, machine, process, command, user=None, environment=None):
    """Starts a command on a machine. Its output is appended to the log file of the process.

    `setsid --fork` gives the process to init, which collects its exit status.
    """
    whole = ["setsid", "--fork", "ip", "netns", "exec", machine.namespace]
    if user is not None:
        whole += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"]
    log = layout.log_file(machine, process)
    log.parent.mkdir(parents=True, exist_ok=True)
    variables = {"PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), "LANG": "C.UTF-8", "HOME": "/"}
    variables |= environment or {}
    with open(log, "ab") as output:
        subprocess.run(
            whole + [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=variables,
            cwd="/",
            check=True,
        )


def find(layout):
    """All processes of the cluster, by the name of the machine."""
    machine_of = {}
    for namespace in namespaces(layout):
        try:
            machine_of[os.stat(f"/run/netns/{namespace}").st_ino] = namespace.split("-", 1)[1]
        except FileNotFoundError:
            continue
    found = {name: [] for name in machine_of.values()}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            machine = machine_of.get(os.stat(f"/proc/{entry}/ns/net").st_ino)
            if machine is not None:
                found[machine].append(describe(int(entry)))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def describe(pid):
    with open(f"/proc/{pid}/stat") as file:
        # The name of the program is in parentheses, and may contain spaces.
        before, _, after = file.read().rpartition(")")
    name = before.split("(", 1)[1]
    state = after.split()[0]
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        arguments = file.read().decode(errors="replace").split("\0")
    program, is_main = "other", False
    if name == "postgres":
        program, is_main = "postgres", arguments[0].endswith("/postgres")
    elif name == "etcd":
        program, is_main = "etcd", True
    elif any(argument == "/usr/bin/patroni" for argument in arguments[:3]):
        program, is_main = "patroni", True
    elif arguments[0].endswith("/muniment") or name == "muniment":
        program, is_main = "node", True
    return Process(pid, program, is_main, state)


def of(layout, machine, program=None):
    """The processes of a machine, or those of one of its programs."""
    found = find(layout).get(machine.name, [])
    return [process for process in found if program is None or process.program == program]


def is_running(layout, machine, program):
    return any(process.is_main and process.state != "Z" for process in of(layout, machine, program))


def send(processes, number):
    """Sends a signal to processes. Those that have ended meanwhile are left out."""
    for process in processes:
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass


def kill(layout, machine, program=None):
    """Kills the processes of a machine, or of one of its programs, and waits until they have ended.

    Patroni starts PostgreSQL again at once, so only the processes that run now are killed.
    """
    targets = of(layout, machine, program)
    send(targets, signal.SIGKILL)
    killed = {process.pid for process in targets if process.state != "Z"}
    deadline = pace.now() + 10
    while pace.now() < deadline:
        if not killed & {process.pid for process in of(layout, machine, program) if process.state != "Z"}:
            return
        time.sleep(0.05)


def pause(layout, machine, program):
    send(of(layout, machine, program), signal.SIGSTOP)


def resume(layout, machine, program=None):
    send([process for process in of(layout, machine, program) if process.is_paused], signal.SIGCONT)


def stop(layout, machine, program, patience=20):
    """Asks a program to end, and kills it if it does not end in time. Returns whether it ended by itself."""
    resume(layout, machine)
    send([process for process in of(layout, machine, program) if process.is_main], signal.SIGTERM)
    deadline = pace.now() + patience
    while pace.now() < deadline:
        if not of(layout, machine, program):
            return True
        time.sleep(0.1)
    kill(layout, machine, program)
    return False
