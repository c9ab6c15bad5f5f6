"""The test of a cluster: workload, faults and checks, in rounds.

A round breaks things for some minutes. Then everything is repaired, the nodes come to the same head, and what the clients saw is compared
with the log. At the end, the nodes are stopped and their files are compared.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

from . import checks, clock, cluster, nemesis, node, pace, postgres, processes, sessions
from .checks import History, Violation
from .client import Client, NoAnswer, events
from .layout import REPOSITORY, STORE, Failure
from .model import Inconsistency, Model
from .operations import Knowledge, OperationLog
from .sessions import SignIns
from .shell import run
from .tokens import check_tokens
from .workload import ADMINISTRATOR, LONGEST_ACCESS, Workload

ROUND_SECONDS = 180
FAILOVER_LIMIT = 30
# The longest time in seconds in which a node may answer no check while PostgreSQL is broken. A node needs no answer of PostgreSQL for that.
CHECKS_LIMIT = 5
# The size of each machine's disk in MiB. The disks are in memory.
DISKS = {"etcd": 512, "postgres": 1536, "node": 1024}
PRINTED_VIOLATIONS = 20


class Test:
    """One run of the test."""

    def __init__(self, folder, options, say):
        self.say = say
        self.seed = options.seed
        self.seconds = options.seconds
        self.rate = options.rate
        self.with_clocks = not options.no_clocks
        self.with_accounts = options.accounts
        self.violations = []
        self.history = History()
        self.deferred = []
        self.recoveries = []
        self.commits = []
        # The events of each feed that belong to the next round, and the head up to which feeds were checked.
        self.received = {}
        self.fed = 0
        self.totals = Counter()
        # Whether the cluster does not heal, so that the test cannot go on.
        self.is_broken = False
        self.layout = cluster.prepare(
            folder, options.nodes, shared_log=not options.local_log, binary=cluster.default_binary(), disks=DISKS
        )
        self.node_options = {"clock": self.with_clocks}

    def run(self):
        """Runs the whole test, and returns whether it found no violation."""
        if self.with_clocks:
            clock.build(self.layout)
            for machine in self.layout.services:
                clock.set_offset(machine, 0)
        self.log = OperationLog(self.layout.folder / "operations.jsonl")
        sign_ins = None
        if self.with_accounts:
            self.node_options["accounts"] = sessions.write_settings(self.layout)
            sign_ins = SignIns(self.layout, self.log)
        cluster.start_servers(self.layout, progress=self.say, **self.node_options)
        self.knowledge = Knowledge()
        self.nemesis = nemesis.Nemesis(self.layout, self.log, self.node_options)
        self.workload = Workload(self.layout, self.log, self.knowledge, self.seed, self.rate, sign_ins)
        try:
            cluster.from_client(self.layout, lambda: self.workload.set_up(Client(3)))
            if sign_ins is not None:
                cluster.from_client(self.layout, lambda: sign_ins.set_up(Client(10)))
            self.workload.start()
            rounds = max(1, round(self.seconds / ROUND_SECONDS))
            for number in range(1, rounds + 1):
                self.round(number, rounds, self.seconds / rounds)
                if self.is_broken:
                    break
            self.workload.end()
        finally:
            self.workload.end()
            self.log.close()
        if self.history.counts["linearizable"] == 0 and not self.is_broken:
            self.report(Violation("linearizable reads", "no node answered one"))
        self.compare_files()
        return not self.violations

    def report(self, violation):
        self.violations.append(violation)
        with open(self.layout.folder / "violations.jsonl", "a") as output:
            record = {"check": violation.check, "why": violation.why, "operations": violation.operations}
            output.write(json.dumps(record) + "\n")
        if len(self.violations) <= PRINTED_VIOLATIONS:
            self.say(f"VIOLATION of `{violation.check}`: {violation.why}")
            for operation in violation.operations[:4]:
                self.say(f"    {json.dumps(operation)[:600]}")

    # One round

    def round(self, number, rounds, seconds):
        self.workload.resume()
        faults = nemesis.plan(self.layout, self.seed, number, seconds)
        begin = time.monotonic()
        cluster.from_client(self.layout, lambda: self.nemesis.carry_out(faults, begin, lambda: time.monotonic() > begin + seconds))
        repaired = self.converge()
        self.workload.pause()
        if self.is_broken:
            # Without a common head there is no history to compare the answers with. The files are still compared.
            self.count_outcomes(self.log.take())
            return
        head = cluster.from_client(self.layout, lambda: self.agree(60))
        cluster.from_client(self.layout, lambda: self.await_feeds(head, 60))
        if self.layout.shared_log:
            rng = random.Random(f"{self.seed}/tokens/{number}")
            for violation in cluster.from_client(self.layout, lambda: check_tokens(self.layout, self.log, rng)):
                self.report(violation)
        if self.workload.sign_ins is not None:
            for violation in cluster.from_client(self.layout, lambda: self.workload.sign_ins.check_everywhere(Client(5))):
                self.report(violation)
        operations = self.log.take()
        self.check_round(operations, head)
        answers = [operation for operation in operations if operation["kind"] == "read" and operation["outcome"] == "answered"]
        outcomes = self.count_outcomes(operations)
        self.say(
            f"round {number} of {rounds}: {len(faults)} faults, head {head}, {dict(outcomes)}, {len(answers)} answers, "
            f"healed in {repaired:.0f} s, {len(self.violations)} violations"
        )

    def count_outcomes(self, operations):
        """The number of transactions with each outcome, which is added to the totals."""
        outcomes = Counter(checks.outcome(attempts) for attempts in checks.attempts_by_transaction(operations).values())
        self.totals += outcomes
        return outcomes

    def converge(self):
        """Repairs everything, and waits until each node takes writes. Returns how long it took. Not healing is a violation."""
        begin = time.monotonic()
        self.nemesis.repair()
        try:
            if self.layout.shared_log:
                cluster.from_client(self.layout, lambda: postgres.await_roles(self.layout, 120))
        except Failure as failure:
            raise Failure(f"the faults have ended, and {failure}") from failure
        cluster.in_parallel([lambda machine=machine: self.heal_node(machine) for machine in self.layout.services])
        return time.monotonic() - begin

    def heal_node(self, machine):
        if self.await_node(machine, 30):
            return
        # A store that could not write to its disk stays closed until the node is started again. Nothing else needs a restart.
        why = cluster.from_client(self.layout, lambda: node.readiness(machine))
        self.log.record("restart", machine=machine.name, problem=why)
        if machine.name not in self.nemesis.filled:
            self.report(Violation("heals without a restart", f"{machine} takes no writes 30 s after all faults have ended: {why}"))
        processes.kill(self.layout, machine, "node")
        node.start(self.layout, machine, **self.node_options)
        self.nemesis.counts["restart after a fault"] += 1
        if not self.await_node(machine, 60):
            why = cluster.from_client(self.layout, lambda: node.readiness(machine))
            self.is_broken = True
            self.report(Violation("heals", f"{machine} is not ready after all faults have ended: {why}"))

    def await_node(self, machine, seconds):
        deadline = pace.now() + seconds
        while pace.now() < deadline:
            if not processes.is_running(self.layout, machine, "node"):
                node.start(self.layout, machine, **self.node_options)
                time.sleep(1)
            if cluster.from_client(self.layout, lambda: node.is_ready(machine) and self.takes_writes(machine)):
                return True
            time.sleep(0.5)
        return False

    def takes_writes(self, machine):
        """Whether a node acknowledges a transaction. The transaction changes nothing but the log."""
        rng = random.Random()
        changes = [{"op": "createObject", "object": f"doc:probe-{rng.randrange(1 << 60):x}"}]
        client = Client(5)
        identifier = f"probe-{self.log.now():.6f}-{machine.name}"
        begin = self.log.now()
        fields = {"id": identifier, "attempt": 1, "node": machine.name, "caller": ADMINISTRATOR, "do": changes, "begin": begin}
        try:
            body = {"as": ADMINISTRATOR, "do": changes}
            headers = {"X-Request-ID": identifier}
            status, answer = client.send(machine, "POST", "transactions", self.workload.tokens[ADMINISTRATOR], body, headers)
            outcome = Workload.outcome(status, answer)
            fields |= {"status": status, "revision": answer.get("revision"), "head": answer.get("head"), "code": answer.get("code")}
        except NoAnswer as error:
            outcome = "unknown"
            fields["problem"] = str(error)
        finally:
            client.close()
        self.log.record("transaction", outcome=outcome, **fields)
        if outcome == "acknowledged":
            self.knowledge.saw(fields["revision"], acknowledged=True)
        return outcome == "acknowledged"

    def agree(self, seconds):
        """Waits until all nodes have the same head, and returns its revision."""
        token = self.layout.secret("token-administer")
        deadline = pace.now() + seconds
        while True:
            heads = {}
            for machine in self.layout.services:
                try:
                    heads[machine.name] = node.head(machine, token)
                except (Failure, OSError) as problem:
                    heads[machine.name] = (None, str(problem))
            found = checks.same_heads(heads)
            revisions = {revision for revision, _ in heads.values()}
            if not found and None not in revisions:
                return revisions.pop()
            if pace.now() > deadline:
                for violation in found or [Violation("all nodes alike", f"no node verifies its log: {heads}")]:
                    self.report(violation)
                known = [revision for revision in revisions if revision is not None]
                if not known:
                    raise Failure(f"no node verifies its log: {heads}")
                return min(known)
            time.sleep(0.5)

    def await_feeds(self, head, seconds):
        """Waits until every feed has delivered what belongs to the history up to a revision."""
        deadline = pace.now() + seconds
        wanted = {}
        for feed in self.workload.feeds:
            if feed.kind == "commits":
                wanted[feed.name] = head
            else:
                notices = [notice for notice in self.notices(feed.subscriber, self.fed) if notice["revision"] <= head]
                wanted[feed.name] = notices[-1]["revision"] if notices else 0
        while pace.now() < deadline:
            late = [
                feed for feed in self.workload.feeds
                if checks.position(feed.last_id or "0") < (wanted[feed.name], float("inf")) and wanted[feed.name] > 0
            ]
            if not late:
                return
            time.sleep(0.2)
        for feed in late:
            why = f"`{feed.name}` is at {feed.last_id}, and does not deliver revision {wanted[feed.name]}"
            self.report(Violation("feeds complete", why))

    def notices(self, subscriber, after):
        """All notices of a subscriber after a revision, as the first node lists them."""
        client, found, query = Client(20), [], f"notices?subject={subscriber}&after={after}&limit=1000"
        token, path = self.layout.secret("token-administer"), query
        while path is not None:
            status, answer = client.send(self.layout.services[0], "GET", path, token)
            if status != 200:
                raise Failure(f"the notices of {subscriber} cannot be listed: HTTP {status} {answer}")
            found += answer["notices"]
            path = f"{query}&cursor={answer['next']}" if "next" in answer else None
        client.close()
        return found

    def new_commits(self, head):
        """The commits since the last round, from the feed of one node."""
        after = self.commits[-1]["revision"] if self.commits else 0
        if head <= after:
            return []
        token, found = self.layout.secret("token-administer"), []
        for event_id, data in events(self.layout.services[-1], f"commits?after={after}", token, None, timeout=20):
            if data is not None:
                found.append(data["data"])
                if data["data"]["revision"] >= head:
                    break
        return found

    def check_round(self, operations, head):
        self.history.send(operations)
        if not self.commits:
            # The feed begins with the first commit after the creation of the store.
            first = {"revision": 0, "time": "0001-01-01T00:00:00Z", "actor": "store", "events": FIRST_EVENTS}
            self.commits.append(first)
            for violation in self.history.add(first):
                self.report(violation)
        answers = {}
        oldest = self.history.model.revision
        for operation in operations:
            if operation["kind"] == "read" and operation["outcome"] == "answered":
                if operation["revision"] > oldest:
                    answers.setdefault(operation["revision"], []).append(operation)
                else:
                    self.deferred.append(operation)
                self.history.counts["linearizable"] += operation["mode"] == "linearizable"
        for commit in cluster.from_client(self.layout, lambda: self.new_commits(head)):
            self.commits.append({"revision": commit["revision"], "hash": commit["hash"]})
            found = self.history.add(commit)
            found += self.history.judge_answers(answers.pop(commit["revision"], []))
            for violation in found:
                self.report(violation)
        for revision, operations_there in answers.items():
            why = f"an answer names revision {revision}, and the log ends at {head}"
            self.report(Violation("answers equal the model", why, operations_there[:1]))
        found = self.history.settle(operations) + checks.real_time_order(operations) + checks.read_floors(operations)
        found += sessions.sessions_hold(operations)
        self.history.counts["sessions"] += sum(operation["kind"] == "session" for operation in operations)
        for violation in found + self.check_feeds(operations, head):
            self.report(violation)
        self.measure(operations)

    def check_feeds(self, operations, head):
        """Compares what the feeds delivered with the history, from the head of the last round to this one's."""
        found, after = [], self.fed
        for feed in self.workload.feeds:
            received = self.received.pop(feed.name, [])
            received += [operation for operation in operations if operation["kind"] == "event" and operation["feed"] == feed.name]
            found += checks.feed_order(received)
            # The store itself adds ends of access: some may be after the head of the round, and belong to the next.
            self.received[feed.name] = [event for event in received if event["data"]["revision"] > head]
            mine = [event for event in received if event["data"]["revision"] <= head]
            self.history.counts["events"] += len(mine)
            if feed.kind == "commits":
                expected = [commit | {"events": []} for commit in self.commits if after < commit["revision"] <= head]
            else:
                notices = cluster.from_client(self.layout, lambda: self.notices(feed.subscriber, after))
                expected = [notice for notice in notices if notice["revision"] <= head]
            found += checks.feed_complete(mine, expected, feed.name)
        self.fed = head
        return found

    def measure(self, operations):
        """The time until writes work after the loss of the primary, and the longest time without an answer meanwhile."""
        writes = [
            (attempt["begin"], attempt["end"])
            for attempt in operations
            if attempt["kind"] == "transaction" and attempt["outcome"] == "acknowledged"
        ]
        reads = {machine.name: [] for machine in self.layout.services}
        for operation in operations:
            if operation["kind"] == "read" and operation["outcome"] == "answered" and operation["worker"].startswith("watcher"):
                reads[operation["node"]].append(operation["end"])
        for name, began, seconds in self.nemesis.measured:
            ends = [end for begin, end in writes if begin > began]
            took = self.log.seconds(began, min(ends)) if ends else None
            self.recoveries.append((name, took))
            # Nothing else is broken meanwhile, so every node answers.
            gap = max(checks.longest_gap(times, began, began + seconds, self.log.seconds) for times in reads.values())
            shown = "never" if took is None else f"after {took:.1f} s"
            self.say(f"{name}: writes worked again {shown}; meanwhile no node left checks without an answer for longer than {gap:.2f} s")
            for violation in checks.failovers([(name, took)], FAILOVER_LIMIT):
                self.report(violation)
            if gap > CHECKS_LIMIT:
                self.report(Violation("checks go on", f"{name}: a node answered no check for {gap:.1f} s"))
        self.nemesis.measured.clear()

    # The end

    def compare_files(self):
        """Stops the nodes, and compares their files, which an independent reader reads."""
        # Until then, ends of access are still added to the log.
        time.sleep(LONGEST_ACCESS + 1)
        if not self.is_broken:
            cluster.from_client(self.layout, lambda: self.agree(60))
        for machine in self.layout.services:
            if not processes.stop(self.layout, machine, "node", 30):
                self.report(Violation("stops", f"{machine} did not end within 30 s of SIGTERM"))
        logs, exports, refusals = {}, {}, {}
        for machine in self.layout.services:
            store = node.data(machine) / STORE
            run(self.layout.binary, "verify", "--store", store, timeout=600)
            exported = subprocess.run([self.layout.binary, "export", "--store", store], capture_output=True, check=True).stdout
            exports[machine.name] = (len(exported), hashlib.sha256(exported).hexdigest())
            lines = run(REPOSITORY / "Tools" / "read-log", "--refusals", store, timeout=600)
            refusals[machine.name] = (lines.count("\n"), hashlib.sha256(lines.encode()).hexdigest())
            logs[machine.name] = []
            model = Model() if machine == self.layout.services[0] else None
            if model is not None:
                self.deferred.sort(key=lambda answer: answer["revision"], reverse=True)
            reader = subprocess.Popen([REPOSITORY / "Tools" / "read-log", store], stdout=subprocess.PIPE, text=True)
            for line in reader.stdout:
                commit = json.loads(line)
                logs[machine.name].append(commit["hash"])
                if model is not None:
                    self.judge_deferred(model, commit)
            if reader.wait() != 0:
                self.report(Violation("all nodes alike", f"Tools/read-log cannot read the log of {machine}"))
        followed = [commit["hash"] for commit in self.commits[1:]]
        first = logs[self.layout.services[0].name]
        rewritten = checks.same_logs({"the feed": followed, "the files of node1": first[1 : len(followed) + 1]})
        same = checks.same_heads(exports) + checks.same_heads(refusals)
        for violation in checks.same_logs(logs) + same + rewritten + self.compare_database(first):
            self.report(violation)

    def compare_database(self, hashes):
        """The shared log has the same commits as the nodes, and its bytes have these hashes."""
        if not self.layout.shared_log:
            return []
        primary = cluster.from_client(self.layout, lambda: postgres.await_roles(self.layout, 60))
        table = postgres.psql(
            primary,
            "SELECT encode(hash, 'hex') || ' ' || encode(bytes, 'hex') FROM muniment.commits "
            f"WHERE store = '{STORE}' ORDER BY revision",
            database=postgres.DATABASE,
            timeout=600,
        )
        rows = [line.split(" ") for line in table.splitlines()]
        found, before = checks.same_logs({"node1": hashes, "the shared log": [row[0] for row in rows]}), bytes(32)
        for revision, (digest, content) in enumerate(rows):
            if hashlib.sha256(before + bytes.fromhex(content)).hexdigest() != digest:
                return found + [Violation("all nodes alike", f"the bytes of revision {revision} in the shared log do not have its hash")]
            before = bytes.fromhex(digest)
        return found

    def judge_deferred(self, model, commit):
        """Judges the answers about earlier rounds at the revision of a commit, with a new model of the files."""
        try:
            model.fold(commit)
        except Inconsistency as error:
            self.report(Violation("one history", f"in the files: {error}", [commit]))
        judge = History()
        judge.model, judge.counts = model, self.history.counts
        while self.deferred and self.deferred[-1]["revision"] <= model.revision:
            for violation in judge.judge_answers([self.deferred.pop()]):
                self.report(violation)

    def keep_stores(self):
        """Copies the stores of the nodes into the folder, because their disks are in memory."""
        for machine in self.layout.services:
            shutil.copytree(node.data(machine), self.layout.folder / "stores" / machine.name, dirs_exist_ok=True)

    def summary(self):
        counts, transactions = self.history.counts, self.totals
        times = [took for _, took in self.recoveries if took is not None]
        failovers = f"{len(self.recoveries)} failovers in {min(times):.0f} to {max(times):.0f} s; " if times else ""
        faults = ", ".join(f"{count} {kind}" for kind, count in sorted(self.nemesis.counts.items()))
        return (
            f"{transactions['acknowledged']} transactions acknowledged, {transactions['refused']} refused, "
            f"{transactions['unknown']} unknown; {counts['answers']} answers checked, {counts['linearizable']} linearizable reads; "
            f"{counts['events']} feed events, {counts['sessions']} operations of sessions; {failovers}"
            f"faults: {faults or 'none'}; {len(self.violations)} violations"
        )


FIRST_EVENTS = [
    {"kind": "StoreCreated", "preset": "locked"},
    {"kind": "PrincipalRegistered", "principal": ADMINISTRATOR},
    {"kind": "AdministratorAppointed", "principal": ADMINISTRATOR},
]


def default_folder():
    """The folder of the test, next to that of the cluster."""
    folder = cluster.default_folder()
    return folder.with_name(f"{folder.name}-test")


def run_test(options, say):
    """Runs the test in a folder of its own. Returns the exit code."""
    folder = Path(options.folder).resolve() if options.folder else default_folder()
    if folder.exists():
        if not (folder / "cluster.json").exists() and os.listdir(folder):
            raise Failure(f"`{folder}` is not empty and has no cluster: name another folder")
        layout = cluster.Layout.load(folder)
        if layout is not None and cluster.is_running(layout):
            cluster.stop(layout, patience=0)
        shutil.rmtree(folder)
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "big")
    say(f"seed {options.seed}")
    test = Test(folder, options, say)
    try:
        sound = test.run()
        if not sound:
            test.keep_stores()
        say(test.summary())
        return 0 if sound else 1
    finally:
        cluster.stop(test.layout, patience=0)
        if test.violations:
            say(f"the operations, logs and violations are in {folder}")
