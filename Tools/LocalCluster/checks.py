"""The checkers: each compares what the clients saw with the history that the cluster kept.

The functions take operations (operations.py), commits and answers as plain values, so that self_test.py can show that each of them sees
its violation.
"""

from dataclasses import dataclass, field

from .model import Inconsistency, Model, instant


# What the service adds to the log without a request that names a transaction.
BY_THE_SERVICE = {"AccessExpired", "PrincipalRegistered"}


@dataclass
class Violation:
    """Something that must not happen: which check saw it, why, and the operations concerned."""

    check: str
    why: str
    operations: list = field(default_factory=list)


def attempts_by_transaction(operations):
    """The attempts of each transaction, in the order of their begin."""
    attempts = {}
    for operation in operations:
        if operation["kind"] == "transaction":
            attempts.setdefault(operation["id"], []).append(operation)
    for group in attempts.values():
        group.sort(key=lambda attempt: attempt["begin"])
    return attempts


def outcome(attempts):
    """The outcome of a transaction after all its attempts.

    A refusal after an attempt without an answer proves nothing: the first attempt may be carried out later.
    """
    outcomes = {attempt["outcome"] for attempt in attempts}
    if "acknowledged" in outcomes:
        return "acknowledged"
    return "unknown" if "unknown" in outcomes else "refused"


class History:
    """Folds the commits of the log in order, and checks each one, and the answers at its revision."""

    def __init__(self):
        self.model = Model()
        # The id of each transaction in the log -> its revision.
        self.revisions = {}
        # The changes of each transaction that was sent -> (caller, changes). Needed until the transaction is in the log.
        self.sent = {}
        self.refused = set()
        self.counts = {"transactions": 0, "answers": 0, "linearizable": 0, "events": 0, "sessions": 0}

    # Commits

    def send(self, operations):
        """Remembers the transactions that were sent, before the commits are added."""
        for identifier, attempts in attempts_by_transaction(operations).items():
            self.sent.setdefault(identifier, (attempts[0]["caller"], attempts[0]["do"]))

    def add(self, commit):
        """Adds the next commit, and returns the violations that it shows."""
        found = []
        identifier = commit.get("id")
        before = self.model
        if identifier is not None:
            if identifier in self.revisions:
                why = f"`{identifier}` is in the log twice: at revision {self.revisions[identifier]} and {commit['revision']}"
                found.append(Violation("exactly once", why, [commit]))
            elif identifier in self.refused:
                why = f"`{identifier}` was refused, and is in the log at revision {commit['revision']}"
                found.append(Violation("refused nowhere", why, [commit]))
            elif identifier not in self.sent:
                found.append(Violation("exactly once", f"no client sent `{identifier}`, which is in the log", [commit]))
            else:
                found += self.decided_rightly(before, commit)
            self.revisions.setdefault(identifier, commit["revision"])
        elif commit["revision"] > 0 and any(event["kind"] not in BY_THE_SERVICE for event in commit["events"]):
            why = f"revision {commit['revision']} has no id, and is neither an end of access nor a new account"
            found.append(Violation("exactly once", why, [commit]))
        try:
            self.model.fold(commit)
        except Inconsistency as error:
            found.append(Violation("one history", str(error), [commit]))
            self.model.revision = commit["revision"]
        return found

    def decided_rightly(self, model, commit):
        """The commit contains the changes of its transaction, and the state before it permits them."""
        caller, changes = self.sent[commit["id"]]
        why = None
        if commit["actor"] != caller:
            why = f"`{commit['id']}` of {caller} is in the log with the actor {commit['actor']}"
        elif not named_by(commit["events"]) <= named_by_changes(changes, caller):
            why = f"`{commit['id']}` is in the log with other changes than it was sent with"
        elif caller not in model.administrators or any("expectRevision" in change for change in changes):
            refusal = model.refusal(caller, changes, instant(commit["time"]))
            if refusal is not None:
                why = f"revision {commit['revision']} is not permitted by the state before it: {refusal}"
        return [Violation("decided rightly", why, [commit])] if why is not None else []

    # Transactions

    def settle(self, operations):
        """Compares the outcomes that clients saw with the log. All commits must have been added that could belong to them."""
        found = []
        for identifier, attempts in attempts_by_transaction(operations).items():
            self.counts["transactions"] += 1
            revision = self.revisions.get(identifier)
            result = outcome(attempts)
            acknowledged = {attempt["revision"] for attempt in attempts if attempt["outcome"] == "acknowledged"}
            if result == "refused":
                self.refused.add(identifier)
                if revision is not None:
                    why = f"`{identifier}` was refused, and is in the log at revision {revision}"
                    found.append(Violation("refused nowhere", why, attempts))
            elif result == "acknowledged":
                if len(acknowledged) > 1:
                    why = f"`{identifier}` was acknowledged with different revisions: {sorted(map(str, acknowledged))}"
                    found.append(Violation("exactly once", why, attempts))
                elif acknowledged == {None}:
                    # Nothing had to be changed. An earlier attempt without an answer may be carried out later.
                    if revision is not None and all(attempt["outcome"] != "unknown" for attempt in attempts):
                        why = f"`{identifier}` was answered as without effect, and is in the log at revision {revision}"
                        found.append(Violation("exactly once", why, attempts))
                elif acknowledged != {revision}:
                    where = "is not in the log" if revision is None else f"is in the log at revision {revision}"
                    why = f"`{identifier}` was acknowledged with revision {acknowledged.pop()}, and {where}"
                    found.append(Violation("acknowledged once and for good", why, attempts))
        return found

    # Answers

    def judge_answers(self, answers):
        """Compares answers at the revision of the model with the model."""
        found = []
        for answer in answers:
            self.counts["answers"] += 1
            ask, now = answer["ask"], instant(answer["time"])
            if "objects" in answer:
                expected, got = self.model.list(ask["subject"], ask["privilege"], now), sorted(answer["objects"])
            else:
                expected, got = self.model.allows(ask["subject"], ask["privilege"], ask["object"], now), answer["allowed"]
            if expected != got:
                why = f"at revision {answer['revision']} the model says {expected}, and {answer['node']} said {got}"
                found.append(Violation("answers equal the model", why, [answer]))
        return found


def named_by(events):
    """What the events of a commit change, without details that the store adds."""
    found = set()
    for event in events:
        kind = event["kind"]
        if kind in ("AccessGranted", "AccessRevoked"):
            found.add((kind, event["object"], event["subject"]))
        elif kind in ("MemberAdded", "MemberRemoved"):
            found.add((kind, event["role"], event["member"]))
        elif kind in ("ObjectCreated", "ObjectDeleted"):
            found.add((kind, event["object"], None))
    return found


def named_by_changes(changes, caller):
    """What changes may change, in the words of `named_by`."""
    kinds = {"grant": "AccessGranted", "revoke": "AccessRevoked", "addMember": "MemberAdded", "removeMember": "MemberRemoved"}
    found = set()
    for change in changes:
        if change["op"] in ("grant", "revoke"):
            found.add((kinds[change["op"]], change["object"], change["subject"]))
        elif change["op"] in ("addMember", "removeMember"):
            found.add((kinds[change["op"]], f"role:{change['role']}", change["member"]))
        elif change["op"] == "createObject":
            # The class gives the creator an entry.
            found |= {("ObjectCreated", change["object"], None), ("AccessGranted", change["object"], caller)}
        elif change["op"] == "deleteObject":
            found.add(("ObjectDeleted", change["object"], None))
    return found


def real_time_order(operations):
    """A transaction that was acknowledged before another one began has the lower revision."""
    found = []
    ends, begins = [], []
    for attempts in attempts_by_transaction(operations).values():
        for attempt in attempts:
            if attempt["outcome"] == "acknowledged" and attempt["revision"] is not None:
                ends.append((attempt["end"], attempt["revision"], attempt))
                # The first attempt may have been the one that was carried out.
                begins.append((attempts[0]["begin"], attempt["revision"], attempt))
                break
    ends.sort(key=lambda item: item[0])
    begins.sort(key=lambda item: item[0])
    newest, position = (0, None), 0
    for begin, revision, attempt in begins:
        while position < len(ends) and ends[position][0] < begin:
            newest = max(newest, ends[position][1:], key=lambda item: item[0])
            position += 1
        if revision <= newest[0]:
            why = f"revision {revision} was sent after revision {newest[0]} had been acknowledged"
            found.append(Violation("one order", why, [newest[1], attempt]))
    return found


def read_floors(operations):
    """No linearizable answer is older than what had been seen before its read began, and none is older than its `atLeast`."""
    found = []
    for read in operations:
        if read["kind"] != "read" or read["outcome"] != "answered":
            continue
        floor, revision = read["floor"], read["revision"]
        if read["mode"] == "linearizable" and revision < floor["acknowledged"]:
            why = f"{read['node']} answered a linearizable read at revision {revision}, after {floor['acknowledged']} was acknowledged"
            found.append(Violation("linearizable reads", why, [read]))
        elif read["mode"] == "linearizable" and revision < floor["seen"]:
            why = f"{read['node']} answered a linearizable read at revision {revision}, after a client had seen {floor['seen']}"
            found.append(Violation("linearizable reads", why, [read]))
        elif read["mode"] == "atLeast" and revision < read["ask"]["atLeast"]:
            why = f"{read['node']} answered at revision {revision} instead of at least {read['ask']['atLeast']}"
            found.append(Violation("reads at least", why, [read]))
    return found


def position(event_id):
    """The place of an event in its feed: `7.2` is the second event of revision 7, and `7` the last."""
    revision, _, number = event_id.partition(".")
    return int(revision), int(number) if number else float("inf")


def feed_order(received):
    """The events of one feed arrive in order, and none twice."""
    found = []
    for earlier, later in zip(received, received[1:]):
        if position(later["id"]) <= position(earlier["id"]):
            why = f"`{later['feed']}` sent {later['id']} from {later['node']} after {earlier['id']} from {earlier['node']}"
            found.append(Violation("feeds once and in order", why, [earlier, later]))
    return found


def feed_complete(received, expected, name):
    """A feed delivered exactly the expected events. Both are lists of comparable records: what the feed sent, what the history says."""
    # The order within a revision is not promised.
    got = sorted(comparable(event["data"]) for event in received)
    wanted = sorted(comparable(record) for record in expected)
    if got == wanted:
        return []
    for index in range(max(len(got), len(wanted))):
        mine, theirs = (items[index] if index < len(items) else None for items in (got, wanted))
        if mine != theirs:
            why = f"event {index + 1} of `{name}` should be {theirs or 'absent'}, and is {mine or 'missing'}"
            return [Violation("feeds complete", why, [event for event in received if event["data"]["revision"] == (mine or theirs)[0]])]
    return []


def comparable(record):
    """The parts of a notice or of a commit that identify it."""
    if "events" in record:
        return record["revision"], record["hash"]
    return record["revision"], record["kind"], record["object"]


def same_heads(heads):
    """All nodes have the same revision and hash. `heads` maps the name of a node to (revision, hash)."""
    if len(set(heads.values())) <= 1:
        return []
    return [Violation("all nodes alike", f"the heads differ: {heads}", [])]


def same_logs(logs):
    """All nodes have the same bytes. `logs` maps the name of a node to the list of its commits' hashes."""
    found = []
    names = sorted(logs)
    for name in names[1:]:
        first, other = logs[names[0]], logs[name]
        if first == other:
            continue
        revision = next((index for index, (a, b) in enumerate(zip(first, other)) if a != b), min(len(first), len(other)))
        why = f"{names[0]} and {name} differ from revision {revision} on ({len(first)} and {len(other)} commits)"
        found.append(Violation("all nodes alike", why, []))
    return found


def failovers(recoveries, limit):
    """After a fault of the primary alone, writes work again in time. `recoveries` are (fault, seconds or None)."""
    found = []
    for fault, seconds in recoveries:
        if seconds is None or seconds > limit:
            took = "never" if seconds is None else f"after {seconds:.1f} s"
            found.append(Violation("writes after a failover", f"{fault}: writes worked again {took}, the limit is {limit} s", []))
    return found


def longest_gap(times, begin, end, seconds):
    """The longest time without an answer between two moments. `seconds` measures the time between two moments."""
    inside = [begin] + sorted(time for time in times if begin <= time <= end) + [end]
    return max(seconds(earlier, later) for earlier, later in zip(inside, inside[1:]))
