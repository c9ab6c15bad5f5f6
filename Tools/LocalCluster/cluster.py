"""Starts and stops a whole cluster."""

import os
import threading
import time
from pathlib import Path

from . import etcd, network, node, pace, postgres, processes
from .layout import HIGHEST_NUMBER, REPOSITORY, Failure, Layout
from .shell import run, succeeds


# The program that is started on each kind of machine. Patroni starts PostgreSQL.
PROGRAMS = {"etcd": "etcd", "postgres": "patroni", "node": "node"}


def default_folder():
    return Path(os.environ.get("MUNIMENT_CLUSTER") or REPOSITORY / "cluster").resolve()


def default_binary():
    return os.environ.get("MUNIMENT_BINARY") or str(REPOSITORY / ".build" / "release" / "muniment")


def is_running(layout):
    """Whether the cluster of a folder runs, or has left something after an interrupted start."""
    return owner(layout.number) == str(layout.folder)


def is_complete(layout):
    """Whether the start of a cluster has finished."""
    return (layout.run / "started").exists()


def owner(number):
    """The folder of the cluster that uses a number now, or None."""
    try:
        return Path(f"/run/muniment{number}/folder").read_text()
    except FileNotFoundError:
        return None


def claim(number, folder):
    """Takes a number for the cluster of a folder. Returns False if another cluster has it. Creating a folder is atomic, so two starts at
    the same time never take the same number."""
    run_folder = Path(f"/run/muniment{number}")
    try:
        run_folder.mkdir()
    except FileExistsError:
        return owner(number) == str(folder)
    (run_folder / "folder").write_text(str(folder))
    return True


def prepare(folder, nodes, shared_log, binary, disks=None):
    """Creates the network and the disks of a cluster, and its folder if it is new. Returns the layout.

    `disks` is the size of each machine's disk in MiB: the disk is then in memory, and is lost at the stop. Otherwise the disk is a folder.
    """
    if not os.access(binary, os.X_OK):
        raise Failure(f"`{binary}` does not exist: build it with `swift build -c release --product muniment`")
    layout = Layout.load(folder)
    if layout is None:
        if folder.exists() and os.listdir(folder):
            raise Failure(f"`{folder}` is not empty and has no cluster: name another folder in MUNIMENT_CLUSTER")
        number = next((number for number in range(HIGHEST_NUMBER + 1) if claim(number, folder)), None)
        if number is None:
            raise Failure(f"{HIGHEST_NUMBER + 1} clusters run on this machine: stop one of them")
        layout = Layout(folder, number, nodes, shared_log, binary)
    elif not claim(layout.number, folder):
        raise Failure(f"another cluster uses the network 10.87.{layout.number}.0/24: stop the cluster in `{owner(layout.number)}` first")
    else:
        layout.nodes, layout.binary = nodes, binary
    try:
        folder.mkdir(parents=True, exist_ok=True)
        layout.save()
        network.create(layout)
        for machine in layout.servers:
            mount_disk(layout, machine, disks)
        if shared_log:
            postgres.make_secrets(layout)
            postgres.write_password_file(layout)
    except BaseException:
        remove(layout)
        raise
    return layout


def mount_disk(layout, machine, disks):
    machine.disk.mkdir(parents=True, exist_ok=True)
    if disks is not None:
        size = disks.get(machine.kind, 512)
        run("mount", "-t", "tmpfs", "-o", f"size={size}m", f"muniment-{machine.name}", machine.disk)
    else:
        place = layout.folder / machine.name
        place.mkdir(exist_ok=True)
        run("mount", "--bind", place, machine.disk)


def start_servers(layout, progress=lambda text: None, **node_options):
    """Starts etcd, PostgreSQL and the nodes of a prepared cluster, and waits until every node is ready."""
    if layout.shared_log:
        progress("starts etcd")
        for machine in layout.etcds:
            etcd.start(layout, machine)
        wait_until(lambda: all(etcd.is_healthy(machine) for machine in layout.etcds), 30, "etcd has no quorum")
        progress("starts PostgreSQL under Patroni")
        for machine in layout.databases:
            postgres.start(layout, machine)
        primary = from_client(layout, lambda: postgres.await_roles(layout, 120))
        postgres.create_database(layout, primary)
        if node.has_shared_log(layout):
            postgres.create_schema(layout, primary, run(layout.binary, "log", "schema"))
    progress("starts the nodes")
    node.prepare(layout)
    for machine in layout.services:
        node.start(layout, machine, **node_options)
    for machine in layout.services:
        token = layout.secret("token-administer")
        wait_until(lambda: from_client(layout, lambda: node.is_serving(machine, token)), 60, f"{machine} is not ready")
    (layout.run / "started").touch()


def heal(layout, **node_options):
    """Ends every cut, resumes paused processes, and starts those that do not run. Returns what it has started."""
    network.mend_all(layout)
    started = []
    for machine in layout.servers:
        run("ip", "link", "set", machine.veth, "up")
        processes.resume(layout, machine)
        program = PROGRAMS[machine.kind]
        if not processes.is_running(layout, machine, program):
            start_program(layout, machine, **node_options)
            started.append(f"{program} on {machine}")
    return started


def start_program(layout, machine, **node_options):
    """Starts the program of a machine: etcd, Patroni or the node."""
    if machine.kind == "etcd":
        etcd.start(layout, machine)
    elif machine.kind == "postgres":
        postgres.start(layout, machine)
    else:
        node.start(layout, machine, **node_options)


def stop(layout, patience=20):
    """Ends every process and removes the network. The folder stays."""
    if patience > 0:
        for machine in layout.services:
            processes.resume(layout, machine)
        in_parallel([lambda m=machine: processes.stop(layout, m, "node", patience) for machine in layout.services])
        # PostgreSQL stops cleanly only while Patroni reaches etcd.
        in_parallel([lambda m=machine: processes.stop(layout, m, "patroni", patience) for machine in layout.databases])
        in_parallel([lambda m=machine: processes.stop(layout, m, "etcd", patience) for machine in layout.etcds])
    remove(layout)


def remove(layout):
    """Kills what is left in the namespaces of the cluster, and removes namespaces, mounts and bridge."""
    for _ in range(50):
        found = [process for group in processes.find(layout).values() for process in group if process.state != "Z"]
        if not found:
            break
        processes.send(found, 9)
        time.sleep(0.1)
    network.remove(layout)
    for place in mounts(layout):
        wait_until(lambda: succeeds("umount", place), 10, f"`{place}` is in use")
    # Only empty folders are removed: a disk that is still mounted keeps its data.
    for place in layout.run.iterdir():
        place.rmdir() if place.is_dir() else place.unlink()
    layout.run.rmdir()


def mounts(layout):
    """The folders of the cluster's disks that are mounted."""
    prefix = f"{layout.run}/"
    with open("/proc/self/mountinfo") as file:
        places = [line.split()[4] for line in file]
    return [place for place in places if place.startswith(prefix)]


def from_client(layout, work):
    """Does work in a thread that is in the network of the client, and returns the result."""
    result, error = [], []

    def body():
        try:
            network.enter(layout.client)
            result.append(work())
        except BaseException as problem:
            error.append(problem)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if error:
        raise error[0]
    return result[0]


def in_parallel(tasks):
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def wait_until(condition, seconds, problem):
    deadline = pace.now() + seconds
    while not condition():
        if pace.now() > deadline:
            raise Failure(f"{problem} after {seconds} seconds")
        time.sleep(0.2)
