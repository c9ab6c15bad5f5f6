"""Breaks the cluster by a plan, and repairs it.

The plan follows from the seed alone. A fault may name a role, such as the primary: the machine that has it is found when the fault begins.
"""

import heapq
import os
import random
import time
from collections import Counter
from dataclasses import dataclass

from . import clock, cluster, network, node, postgres, processes
from .layout import Failure

PRIMARY, STANDBY, REPLICA = "primary", "sync standby", "replica"
FILLER = "filler"
# How long the primary is lost: longer than a failover may take, so that the failover ends the outage, and not the repair.
MEASURED_SECONDS = 36


@dataclass(frozen=True)
class Fault:
    """One planned fault: when it begins and how long it lasts, in seconds, and what it does to which machines."""

    at: float
    kind: str
    targets: tuple
    seconds: float
    # For clocks: the offset in seconds.
    amount: float = 0
    # Whether the time until writes work again is measured. Nothing else is broken meanwhile.
    measured: bool = False

    def __str__(self):
        return f"{self.kind} {' '.join(self.targets)}".strip()


def plan(layout, seed, number, seconds):
    """The faults of one round. A round with a shared log begins with the loss of the primary, to measure the failover."""
    rng = random.Random(f"{seed}/nemesis/{number}")
    faults, at = [], 4.0
    if layout.shared_log and seconds >= 60:
        kind = rng.choice(["kill machine", "isolate"])
        faults.append(Fault(at, kind, (PRIMARY,), MEASURED_SECONDS, measured=True))
        at += MEASURED_SECONDS + 4
    while at < seconds - 12:
        room = seconds - at - 2
        chosen = [choose(layout, rng, at, room) for _ in range(2 if rng.random() < 0.3 else 1)]
        faults += chosen
        at += max(fault.seconds for fault in chosen) + rng.uniform(3, 10)
    return faults


def choose(layout, rng, at, room):
    """One random fault that lasts at most `room` seconds."""
    nodes = [machine.name for machine in layout.services]
    etcds = [machine.name for machine in layout.etcds]
    roles = [PRIMARY, PRIMARY, STANDBY, REPLICA] if layout.shared_log else []
    choices = [
        ("kill node", (rng.choice(nodes),), rng.uniform(0.5, 10), 3),
        ("pause node", (rng.choice(nodes),), rng.uniform(1, 20), 3),
        ("fill disk", (rng.choice(nodes),), rng.uniform(2, 10), 1),
        ("clock", (rng.choice(nodes),), rng.uniform(4, 15), 2),
        ("restart everything", (), rng.uniform(0.5, 3), 1),
    ]
    if layout.shared_log:
        role = rng.choice(roles)
        pair = tuple(rng.sample([*etcds, *[PRIMARY, STANDBY, REPLICA], *nodes], 2))
        choices += [
            ("kill etcd", (rng.choice(etcds),), rng.uniform(1, 15), 1),
            ("kill postgres", (role,), 1, 3),
            ("kill patroni", (role,), rng.uniform(5, 30), 2),
            ("kill machine", (role,), rng.uniform(3, 30), 2),
            ("pause etcd", (rng.choice(etcds),), rng.uniform(1, 20), 1),
            ("pause postgres", (role,), rng.uniform(1, 25), 3),
            # Longer than Patroni's `ttl`: another primary is chosen while the old one goes on.
            ("pause patroni", (role,), rng.uniform(5, 35), 3),
            ("isolate", (rng.choice([*nodes, *etcds, role]),), rng.uniform(3, 30), 3),
            ("cut", pair, rng.uniform(3, 25), 3),
            ("cut one way", pair, rng.uniform(3, 25), 3),
            ("fill disk", (role,), rng.uniform(2, 8), 1),
            ("switchover", (PRIMARY,), 3, 2),
            ("failover", (PRIMARY, STANDBY), 3, 1),
        ]
    weights = [choice[3] for choice in choices]
    kind, targets, seconds, _ = rng.choices(choices, weights)[0]
    amount = rng.choice([-1, 1]) * rng.choice([2, 30, 200, 1000]) if kind == "clock" else 0
    return Fault(round(at, 3), kind, targets, round(min(seconds, room), 3), amount)


class Nemesis:
    """Carries out plans."""

    def __init__(self, layout, log, node_options):
        self.layout = layout
        self.log = log
        self.node_options = node_options
        self.counts = Counter()
        self.ends = []
        # The machines whose program a fault keeps from running.
        self.down = set()
        self.supervised = 0
        # The machines whose disk was full in this round.
        self.filled = set()
        # (fault, when it began) of faults whose recovery is measured.
        self.measured = []

    def carry_out(self, faults, begin, should_stop):
        """Carries out the faults of a round that began at a monotonic time."""
        queue = sorted(faults, key=lambda fault: fault.at)
        self.filled.clear()
        while not should_stop():
            now = time.monotonic() - begin
            while self.ends and self.ends[0][0] <= now:
                heapq.heappop(self.ends)[2]()
            while queue and queue[0].at <= now:
                fault = queue.pop(0)
                self.begin(fault, begin)
            if time.monotonic() > self.supervised + 1:
                self.supervise()
            time.sleep(0.05)

    def supervise(self):
        """Starts programs that have ended by themselves, as a supervisor does.

        A node ends if it does not reach the shared log at its start.
        """
        found = processes.find(self.layout)
        for machine in self.layout.servers:
            program = cluster.PROGRAMS[machine.kind]
            runs = any(process.program == program and process.state != "Z" for process in found.get(machine.name, []))
            if not runs and machine.name not in self.down:
                cluster.start_program(self.layout, machine, **self.node_options)
                self.log.record("restart", machine=machine.name, program=program)
        self.supervised = time.monotonic()

    def begin(self, fault, begin):
        began = self.log.now()
        try:
            targets = [self.resolve(name) for name in fault.targets]
            if len(set(targets)) < len(targets):
                # Two names can mean the same machine.
                return
            undo = getattr(self, fault.kind.replace(" ", "_"))(fault, *targets)
        except Failure as failure:
            self.log.record("fault", fault=str(fault), began=began, problem=str(failure))
            return
        self.counts[fault.kind] += 1
        names = [target.name for target in targets]
        self.log.record("fault", fault=str(fault), began=began, machines=names, seconds=fault.seconds, amount=fault.amount)
        if fault.measured:
            self.measured.append((f"{fault} ({names[0]})", self.log.now(), fault.seconds))
        if undo is not None:

            def end():
                try:
                    undo()
                    self.log.record("repair", fault=str(fault), machines=names)
                except Failure as failure:
                    self.log.record("repair", fault=str(fault), problem=str(failure))

            # The second part of the key keeps ends at the same time apart.
            heapq.heappush(self.ends, (time.monotonic() - begin + fault.seconds, id(end), end))

    def resolve(self, name):
        """The machine of a name or of a role. Without a machine that has the role, a fixed one is taken."""
        if name in (PRIMARY, STANDBY, REPLICA):
            index = (PRIMARY, STANDBY, REPLICA).index(name)
            return postgres.with_role(self.layout, name) or self.layout.databases[index]
        return self.layout.named(name)

    def repair(self):
        """Ends all faults, those included that a plan did not end."""
        self.ends.clear()
        self.down.clear()
        network.mend_all(self.layout)
        for machine in self.layout.servers:
            (machine.disk / FILLER).unlink(missing_ok=True)
            if machine.kind == "node":
                clock.set_offset(machine, 0)
        return cluster.heal(self.layout, **self.node_options)

    # The kinds of faults. Each returns the function that ends it, or None.

    def kill(self, machine, program, restart=True):
        if restart:
            self.down.add(machine.name)
        processes.kill(self.layout, machine, program)
        return (lambda: self.start_again(machine)) if restart else None

    def start_again(self, machine):
        self.down.discard(machine.name)
        if not processes.is_running(self.layout, machine, cluster.PROGRAMS[machine.kind]):
            cluster.start_program(self.layout, machine, **self.node_options)

    def kill_node(self, fault, machine):
        return self.kill(machine, "node")

    def kill_etcd(self, fault, machine):
        return self.kill(machine, "etcd")

    def kill_postgres(self, fault, machine):
        # Patroni starts it again.
        return self.kill(machine, "postgres", restart=False)

    def kill_patroni(self, fault, machine):
        return self.kill(machine, "patroni")

    def kill_machine(self, fault, machine):
        return self.kill(machine, None)

    def pause(self, machine, program):
        processes.pause(self.layout, machine, program)
        return lambda: processes.resume(self.layout, machine, program)

    def pause_node(self, fault, machine):
        return self.pause(machine, "node")

    def pause_etcd(self, fault, machine):
        return self.pause(machine, "etcd")

    def pause_postgres(self, fault, machine):
        return self.pause(machine, "postgres")

    def pause_patroni(self, fault, machine):
        return self.pause(machine, "patroni")

    def cut_links(self, links):
        for sender, receiver in links:
            network.cut(sender, receiver)

        def undo():
            for sender, receiver in links:
                network.mend(sender, receiver)

        return undo

    def isolate(self, fault, machine):
        network.isolate(machine, [other for other in self.layout.machines if other != machine])
        return lambda: network.join(machine)

    def cut(self, fault, one, other):
        return self.cut_links([(one, other), (other, one)])

    def cut_one_way(self, fault, sender, receiver):
        return self.cut_links([(sender, receiver)])

    def fill_disk(self, fault, machine):
        self.filled.add(machine.name)
        file = machine.disk / FILLER
        with open(file, "wb", buffering=0) as output:
            free = os.statvfs(machine.disk)
            try:
                os.posix_fallocate(output.fileno(), 0, free.f_bavail * free.f_frsize)
            except OSError:
                # Another process took some of it meanwhile: the rest is filled block by block.
                pass
            try:
                output.seek(0, os.SEEK_END)
                while True:
                    output.write(bytes(4096))
            except OSError:
                pass
        return lambda: file.unlink(missing_ok=True)

    def clock(self, fault, machine):
        clock.set_offset(machine, fault.amount)
        return lambda: clock.set_offset(machine, 0)

    def switchover(self, fault, primary):
        if not postgres.switch_over(primary):
            raise Failure("Patroni did not switch over")

    def failover(self, fault, primary, standby):
        if not postgres.fail_over(primary, standby):
            raise Failure("Patroni did not fail over")

    def restart_everything(self, fault):
        self.down |= {machine.name for machine in self.layout.servers}
        found = processes.find(self.layout)
        for machine in self.layout.servers:
            processes.send(found[machine.name], 9)

        def undo():
            for machine in self.layout.servers:
                self.start_again(machine)

        return undo
