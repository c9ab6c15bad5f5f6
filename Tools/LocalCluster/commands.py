"""The commands of Tools/cluster."""

import argparse
import signal
import sys

from . import cluster, etcd, node, packages, postgres, processes
from .layout import Failure, Layout

DESCRIPTION = """\
Starts three etcd, three PostgreSQL servers under Patroni and three Muniment nodes on this machine, each in a network namespace
of its own. Tests that nothing is lost or wrong while processes die, links break, disks fill and clocks move.
"""

EPILOG = """\
environment:
  MUNIMENT_CLUSTER   the folder of the cluster (default: cluster/ in the repository)
  MUNIMENT_BINARY    the tool to run (default: .build/release/muniment)

Needs root, Debian 12, and 2 GB of memory. Installs the packages that are missing: PostgreSQL 15, Patroni, etcd, nftables. Their own
services are not started. The network is 10.87.N.0/24, on a bridge without a route to other machines.

Exit codes: 0, 1 if the test found a violation, 2 if the tool cannot do its work.
"""


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="Tools/cluster", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    start = commands.add_parser("start", help="start the cluster, and print how to use it")
    start.add_argument("--nodes", type=int, default=3, metavar="N", help="the number of nodes; 0 for PostgreSQL alone (default: 3)")
    commands.add_parser("stop", help="end every process and remove the network; the folder is kept")
    commands.add_parser("heal", help="start the processes that do not run, resume paused ones, and connect every link")
    commands.add_parser("status", help="print one line for each process")
    test = commands.add_parser("test", help="start a fresh cluster, break it while clients use it, and check what they saw")
    test.add_argument("--seconds", type=float, default=180, metavar="N", help="how long faults and clients go on (default: 180)")
    test.add_argument("--seed", type=int, metavar="S", help="repeats the plan of faults and operations of a run that printed this seed")
    test.add_argument("--nodes", type=int, default=3, metavar="N", help="the number of Muniment nodes (default: 3)")
    test.add_argument("--rate", type=float, default=60, metavar="N", help="operations per second of all clients together (default: 60)")
    test.add_argument("--folder", metavar="DIR", help="the folder of the test (default: cluster-test/ next to the cluster's folder)")
    test.add_argument("--local-log", action="store_true", help="test one node with a log of its own, without etcd and PostgreSQL")
    test.add_argument("--no-clocks", action="store_true", help="do not move the clocks of nodes")
    test.add_argument("--accounts", action="store_true", help="sign in and out, too; only with --local-log")
    commands.add_parser("install", help="install the packages that a cluster needs")
    commands.add_parser("self-test", help="show that each checker sees its violation")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, end_early)
    try:
        return COMMANDS[options.command](options)
    except Failure as failure:
        print(f"Tools/cluster: {failure}", file=sys.stderr)
        return 2


def end_early(number, frame):
    """Ends after SIGTERM, so that a test still stops its cluster."""
    print("Tools/cluster: ends early, because of SIGTERM", file=sys.stderr, flush=True)
    sys.exit(2)


def install_command(options):
    packages.install(packages.NETWORK + packages.DATABASE)
    return 0


def start_command(options):
    folder = cluster.default_folder()
    layout = Layout.load(folder)
    if layout is not None and cluster.is_running(layout):
        if not cluster.is_complete(layout):
            raise Failure(f"an earlier start in `{folder}` did not finish: run `Tools/cluster stop` first")
        print(f"the cluster in {folder} runs already; `Tools/cluster status` shows its processes")
        return 0
    if not 0 <= options.nodes <= 9:
        raise Failure("the number of nodes must be from 0 to 9")
    packages.install(packages.NETWORK + packages.DATABASE)
    layout = cluster.prepare(folder, options.nodes, shared_log=True, binary=cluster.default_binary())
    try:
        cluster.start_servers(layout, progress=lambda text: print(text, flush=True))
    except BaseException:
        print(f"the start failed; the logs are in {folder / 'logs'}", file=sys.stderr)
        cluster.stop(layout, patience=0)
        raise
    print(usage(layout), end="")
    return 0


def usage(layout):
    """How to use a cluster that runs."""
    lines = []
    if layout.services:
        first, last = layout.services[0], layout.services[-1]
        ask = f"curl -sS -H 'Authorization: Bearer {layout.secret('token-administer')}'"
        lines += [
            "",
            "Write at one node, and ask another:",
            "",
            f"{ask} {layout.node_address(first)}/v1/stores/default/transactions "
            """--json '{"as":"user:root","do":[{"op":"register","principal":"user:ann"}]}'""",
            "",
            f"{ask} {layout.node_address(last)}/v1/stores/default/check "
            """--json '{"subject":"user:ann","privilege":"read","object":"store"}'""",
        ]
    primary = layout.databases[0]
    lines += [
        "",
        "Break something, and ask again:",
        "",
        "Tools/cluster status                                   # names the primary of PostgreSQL",
        f"ip netns pids {primary.namespace} | xargs kill -9     # one machine with PostgreSQL fails",
        f"ip link set {layout.machine('etcd', 1).veth} down                          # one etcd is cut off",
        "Tools/cluster heal                                     # connects and starts everything again",
        "",
        f"The shared log: ip netns exec {primary.namespace} setpriv --reuid postgres --regid postgres --init-groups "
        f"psql -h {primary.disk} muniment",
        f"Tokens and passwords are in {layout.folder / 'secrets'}, logs in {layout.folder / 'logs'}. `Tools/cluster stop` ends everything.",
        "",
    ]
    return "\n".join(lines)


def stop_command(options):
    layout = running_layout()
    if layout is None:
        return 0
    cluster.stop(layout)
    print(f"stopped; the data is kept in {layout.folder}")
    return 0


def heal_command(options):
    layout = running_layout()
    if layout is None:
        return 2
    for started in cluster.heal(layout):
        print(f"started {started}")
    return 0


def running_layout():
    """The layout of the cluster that runs in the folder, or None after a message."""
    folder = cluster.default_folder()
    layout = Layout.load(folder)
    if layout is None or not cluster.is_running(layout):
        print(f"no cluster runs in {folder}")
        return None
    return layout


def status_command(options):
    layout = running_layout()
    if layout is None:
        return 0
    for line in cluster.from_client(layout, lambda: status_lines(layout)):
        print(line)
    return 0


def status_lines(layout):
    """One line for each process: its machine, its address, its process id, and what it does."""
    found = processes.find(layout)
    members = postgres.members(layout) or {}

    def line(machine, program, says):
        mains = [process for process in found.get(machine.name, []) if process.program == program and process.is_main]
        pid = str(mains[0].pid) if mains else "-"
        if not mains:
            says = "not running"
        elif mains[0].is_paused:
            says = "paused"
        return f"{machine.name:10} {machine.address:12} {program:9} {pid:>7}  {says}"

    for machine in layout.etcds:
        leads = etcd.leader(machine)
        yield line(machine, "etcd", "does not answer" if leads is None else "leader" if leads else "follower")
    for machine in layout.databases:
        member = members.get(machine.name)
        says = "unknown to Patroni"
        if member is not None:
            says = f"{postgres.role(member)}, {member.get('state')}, timeline {member.get('timeline')}"
            if "lag" in member:
                says += f", lag {member['lag']} bytes"
        yield line(machine, "patroni", "manages PostgreSQL")
        yield line(machine, "postgres", says)
    for machine in layout.services:
        token = layout.secret("token-administer")
        values, lag = node.metrics(machine, token), node.lag(machine, token)
        says = node.readiness(machine)
        if "muniment_head_revision" in values:
            says += f", head {values['muniment_head_revision']:.0f}"
        if lag is not None:
            says += f", lag {lag} s"
        yield line(machine, "node", says)


def test_command(options):
    from .test import run_test

    if options.local_log:
        options.nodes = 1
    elif options.accounts:
        raise Failure("nodes with a shared log have no accounts: add `--local-log`")
    packages.install(packages.NETWORK + ([] if options.local_log else packages.DATABASE))
    return run_test(options, lambda text: print(text, flush=True))


def self_test_command(options):
    from .self_test import run_self_test

    return run_self_test()


COMMANDS = {
    "install": install_command,
    "test": test_command,
    "self-test": self_test_command,
    "start": start_command,
    "stop": stop_command,
    "heal": heal_command,
    "status": status_command,
}
