"""Shows that each checker sees its violation: invented histories, each with one thing wrong."""

import copy
import random
import tempfile
import unittest
from pathlib import Path

from . import checks, nemesis, pace, sessions, tokens
from .checks import History
from .layout import Layout
from .model import Inconsistency, Model, instant
from .workload import SETUP, Workload

STORE = {
    "revision": 0,
    "time": "2026-01-01T00:00:00Z",
    "actor": "store",
    "events": [
        {"kind": "StoreCreated", "preset": "locked"},
        {"kind": "PrincipalRegistered", "principal": "user:root"},
        {"kind": "AdministratorAppointed", "principal": "user:root"},
    ],
}
ALL = ["create", "delete", "read", "setPermissions", "update"]


def commit(revision, identifier, actor, *events):
    return {
        "revision": revision,
        "time": f"2026-01-01T00:00:{revision:02}Z",
        "id": identifier,
        "actor": actor,
        "events": list(events),
        "hash": f"hash of {revision}",
    }


def granted(subject, name, *privileges, **more):
    return {"kind": "AccessGranted", "object": name, "subject": subject, "privileges": list(privileges)} | more


def created(name, caller):
    return [{"kind": "ObjectCreated", "object": name, "owner": caller}, granted(caller, name, "read", "setPermissions")]


SETTING_UP = commit(
    1,
    "setup",
    "user:root",
    {"kind": "ClassDefined", "class": "class:doc", "options": {}},
    {"kind": "RoleCreated", "role": "role:r0"},
    {"kind": "RoleCreated", "role": "role:r1"},
    granted("everyone", "store", *ALL),
    granted("everyone", "class:doc", *ALL),
)
# user:u1 creates an object, and shares it with a role that user:u2 joins.
CREATING = commit(2, "a", "user:u1", *created("doc:d0", "user:u1"))
SHARING = commit(3, "b", "user:u1", granted("role:r1", "doc:d0", "read"))
JOINING = commit(4, "c", "user:root", {"kind": "MemberAdded", "role": "role:r1", "member": "user:u2"})
LOG = [STORE, SETTING_UP, CREATING, SHARING, JOINING]


def attempt(identifier, outcome, begin, end, revision=None, caller="user:u1", do=(), number=1):
    return {
        "kind": "transaction",
        "id": identifier,
        "attempt": number,
        "node": "node1",
        "caller": caller,
        "do": list(do),
        "begin": begin,
        "end": end,
        "outcome": outcome,
        "revision": revision,
    }


CREATE = {"op": "createObject", "object": "doc:d0"}
SHARE = {"op": "grant", "subject": "role:r1", "object": "doc:d0", "privileges": ["read"]}
JOIN = {"op": "addMember", "role": "r1", "member": "user:u2"}
SENT = [
    attempt("setup", "acknowledged", 0, 1, 1, "user:root", SETUP),
    attempt("a", "acknowledged", 2, 3, 2, do=[CREATE]),
    attempt("b", "unknown", 4, 5, do=[SHARE]),
    attempt("b", "acknowledged", 6, 7, 3, do=[SHARE], number=2),
    attempt("c", "acknowledged", 8, 9, 4, "user:root", [JOIN]),
]


def read(mode, revision, acknowledged, seen=0, **ask):
    return {
        "kind": "read",
        "outcome": "answered",
        "mode": mode,
        "node": "node2",
        "revision": revision,
        "floor": {"acknowledged": acknowledged, "seen": max(seen, acknowledged)},
        "ask": ask,
    }


def answer(revision, allowed, subject="user:u2", privilege="read", at=None):
    asked = {"subject": subject, "privilege": privilege, "object": "doc:d0"}
    return {"node": "node1", "revision": revision, "time": at or f"2026-01-01T00:00:{revision:02}Z", "ask": asked, "allowed": allowed}


def event(identifier, **data):
    revision = int(identifier.partition(".")[0])
    return {"kind": "event", "feed": "feed", "node": "node1", "id": identifier, "data": {"revision": revision, **data}}


def judge(commits, operations):
    """The names of the checks that see a violation in a history."""
    history = History()
    history.send(operations)
    found = [violation for one in commits for violation in history.add(copy.deepcopy(one))]
    return {violation.check for violation in found + history.settle(operations)}


def model_at(revision, log=LOG):
    model = Model()
    for one in log[: revision + 1]:
        model.fold(one)
    return model


class Histories(unittest.TestCase):
    def test_a_right_history_passes(self):
        self.assertEqual(judge(LOG, SENT), set())

    def test_a_lost_transaction_is_seen(self):
        self.assertEqual(judge(LOG[:4], SENT), {"acknowledged once and for good"})

    def test_a_transaction_at_another_revision_is_seen(self):
        sent = SENT[:-1] + [attempt("c", "acknowledged", 8, 9, 3, "user:root", [JOIN])]
        self.assertEqual(judge(LOG, sent), {"acknowledged once and for good"})

    def test_a_transaction_that_is_in_the_log_twice_is_seen(self):
        log = LOG + [commit(5, "b", "user:u1", granted("role:r1", "doc:d0", "read"))]
        self.assertIn("exactly once", judge(log, SENT))

    def test_two_revisions_for_one_idempotency_key_are_seen(self):
        sent = SENT + [attempt("b", "acknowledged", 10, 11, 4, do=[SHARE], number=3)]
        self.assertIn("exactly once", judge(LOG, sent))

    def test_a_commit_that_no_client_sent_is_seen(self):
        log = LOG + [commit(5, "other", "user:u1", granted("role:r0", "doc:d0", "read"))]
        self.assertIn("exactly once", judge(log, SENT))

    def test_a_refused_transaction_in_the_log_is_seen(self):
        sent = SENT[:-1] + [attempt("c", "refused", 8, 9, None, "user:root", [JOIN])]
        self.assertEqual(judge(LOG, sent), {"refused nowhere"})

    def test_a_refused_transaction_that_comes_later_is_seen(self):
        history = History()
        sent = SENT[:-1] + [attempt("c", "refused", 8, 9, None, "user:root", [JOIN])]
        history.send(sent)
        for one in LOG[:4]:
            history.add(one)
        self.assertEqual(history.settle(sent), [])
        self.assertEqual([violation.check for violation in history.add(JOINING)], ["refused nowhere"])

    def test_a_refusal_after_a_lost_attempt_proves_nothing(self):
        sent = SENT[:-1] + [
            attempt("c", "unknown", 8, 9, None, "user:root", [JOIN]),
            attempt("c", "refused", 10, 11, None, "user:root", [JOIN], number=2),
        ]
        self.assertEqual(judge(LOG, sent), set())

    def test_an_unknown_transaction_may_be_absent_or_present(self):
        sent = SENT[:-1] + [attempt("c", "unknown", 8, 9, None, "user:root", [JOIN])]
        self.assertEqual(judge(LOG, sent), set())
        self.assertEqual(judge(LOG[:4], sent), set())

    def test_a_transaction_without_effect_that_is_in_the_log_is_seen(self):
        sent = SENT[:-1] + [attempt("c", "acknowledged", 8, 9, None, "user:root", [JOIN])]
        self.assertEqual(judge(LOG, sent), {"exactly once"})

    def test_a_gap_in_the_revisions_is_seen(self):
        self.assertIn("one history", judge(LOG[:3] + LOG[4:], SENT))

    def test_a_time_that_goes_back_is_seen(self):
        log = LOG[:4] + [JOINING | {"time": "2026-01-01T00:00:01Z"}]
        self.assertEqual(judge(log, SENT), {"one history"})

    def test_an_end_of_access_that_is_recorded_twice_is_seen(self):
        ends = "2026-01-01T00:00:05Z"
        temporary = SHARE | {"subject": "user:u3", "until": ends}
        granting = commit(5, "d", "user:u1", granted("user:u3", "doc:d0", "read", until=ends))
        expired = {"kind": "AccessExpired", "object": "doc:d0", "subject": "user:u3", "privileges": ["read"]}
        sent = SENT + [attempt("d", "acknowledged", 10, 11, 5, do=[temporary])]
        once = LOG + [granting, commit(6, None, "store", expired)]
        # The grant is made before the end: at the same second, the model compares the times of the commits only.
        self.assertEqual(judge(once, sent), set())
        self.assertEqual(judge(once + [commit(7, None, "store", expired)], sent), {"one history"})

    def test_an_end_of_access_before_its_time_is_seen(self):
        ends = "2026-01-01T00:00:30Z"
        granting = commit(5, "d", "user:u1", granted("user:u3", "doc:d0", "read", until=ends))
        expired = {"kind": "AccessExpired", "object": "doc:d0", "subject": "user:u3", "privileges": ["read"]}
        sent = SENT + [attempt("d", "acknowledged", 10, 11, 5, do=[SHARE | {"subject": "user:u3", "until": ends}])]
        self.assertEqual(judge(LOG + [granting, commit(6, None, "store", expired)], sent), {"one history"})

    def test_a_commit_that_the_state_before_it_does_not_permit_is_seen(self):
        # user:u2 may read the object, and may not share it.
        log = LOG + [commit(5, "d", "user:u2", granted("user:u3", "doc:d0", "read"))]
        sent = SENT + [attempt("d", "acknowledged", 10, 11, 5, "user:u2", [SHARE | {"subject": "user:u3"}])]
        self.assertEqual(judge(log, sent), {"decided rightly"})

    def test_a_commit_after_its_expected_revision_is_seen(self):
        # A node that decides on an old state would accept this: the entries changed at revision 3.
        log = LOG + [commit(5, "d", "user:u1", granted("user:u3", "doc:d0", "read"))]
        share = SHARE | {"subject": "user:u3"}
        early, late = ([attempt("d", "acknowledged", 10, 11, 5, do=[share | {"expectRevision": revision}])] for revision in (2, 3))
        self.assertEqual(judge(log, SENT + early), {"decided rightly"})
        self.assertEqual(judge(log, SENT + late), set())

    def test_a_commit_with_other_changes_or_another_actor_is_seen(self):
        other = commit(4, "c", "user:root", {"kind": "MemberAdded", "role": "role:r1", "member": "user:u3"})
        self.assertEqual(judge(LOG[:4] + [other], SENT), {"decided rightly"})
        self.assertEqual(judge(LOG[:4] + [JOINING | {"actor": "user:u4"}], SENT), {"decided rightly"})

    def test_an_order_against_real_time_is_seen(self):
        self.assertEqual(checks.real_time_order(SENT), [])
        late = [attempt("x", "acknowledged", 0, 1, 7), attempt("y", "acknowledged", 2, 3, 6)]
        self.assertEqual([violation.check for violation in checks.real_time_order(late)], ["one order"])
        # The first attempt began before, and may have been the one that was carried out.
        retried = [late[0], attempt("y", "unknown", 0.5, 1.5), attempt("y", "acknowledged", 2, 3, 6, number=2)]
        self.assertEqual(checks.real_time_order(retried), [])


class Answers(unittest.TestCase):
    def test_answers_equal_the_model_at_their_revision(self):
        for revision, allowed in [(3, False), (4, True)]:
            history = History()
            history.model = model_at(revision)
            self.assertEqual(history.judge_answers([answer(revision, allowed)]), [])
            self.assertEqual([found.check for found in history.judge_answers([answer(revision, not allowed)])], ["answers equal the model"])

    def test_a_wrong_list_is_seen(self):
        history = History()
        history.model = model_at(4)
        asked = {"node": "node1", "revision": 4, "time": "2026-01-01T00:00:04Z", "ask": {"subject": "user:u2", "privilege": "read"}}
        self.assertEqual(history.judge_answers([asked | {"objects": ["doc:d0"]}]), [])
        self.assertEqual(len(history.judge_answers([asked | {"objects": []}])), 1)

    def test_access_ends_at_its_time_whether_or_not_the_log_says_so(self):
        model = model_at(4, LOG[:4] + [commit(4, "d", "user:u1", granted("user:u3", "doc:d0", "read", until="2026-01-01T00:00:09Z"))])
        for second, allowed in [(8, True), (9, False)]:
            self.assertEqual(model.allows("user:u3", "read", "doc:d0", instant(f"2026-01-01T00:00:{second:02}Z")), allowed)

    def test_rules_of_the_model(self):
        now = instant("2026-01-01T00:00:10Z")
        model = model_at(4)
        self.assertTrue(model.allows("user:root", "delete", "doc:d0", now))
        self.assertFalse(model.allows("user:u1", "delete", "doc:d0", now))
        self.assertFalse(model.allows("user:u1", "read", "doc:d9", now))
        # Roles nest: the members of r0 are in r1.
        model.fold(commit(5, None, "user:root", {"kind": "MemberAdded", "role": "role:r1", "member": "role:r0"}))
        model.fold(commit(6, None, "user:root", {"kind": "MemberAdded", "role": "role:r0", "member": "user:u5"}))
        self.assertTrue(model.allows("user:u5", "read", "doc:d0", now))
        # Without `update` at the store, nothing can be changed.
        revoked = {"kind": "AccessRevoked", "object": "store", "subject": "everyone", "privileges": ["update"]}
        model.fold(commit(7, None, "user:root", revoked))
        self.assertEqual(model.effective("user:u1", "doc:d0", now), {"read", "setPermissions"})
        model.fold(commit(8, None, "user:root", {"kind": "ObjectDeleted", "object": "doc:d0"}))
        self.assertFalse(model.allows("user:root", "read", "doc:d0", now))
        with self.assertRaises(Inconsistency):
            model.fold(commit(9, None, "user:root", {"kind": "ObjectMoved", "object": "doc:d0"}))

    def test_an_old_linearizable_answer_is_seen(self):
        self.assertEqual(checks.read_floors([read("linearizable", 5, 5), read("now", 2, 5)]), [])
        self.assertEqual([found.check for found in checks.read_floors([read("linearizable", 4, 5)])], ["linearizable reads"])
        self.assertEqual([found.check for found in checks.read_floors([read("linearizable", 5, 5, seen=6)])], ["linearizable reads"])

    def test_an_answer_below_the_asked_revision_is_seen(self):
        self.assertEqual(checks.read_floors([read("atLeast", 5, 0, atLeast=5)]), [])
        self.assertEqual([found.check for found in checks.read_floors([read("atLeast", 4, 0, atLeast=5)])], ["reads at least"])


class Feeds(unittest.TestCase):
    right = [
        event("2", kind="shared", object="doc:a"),
        event("3.1", kind="shared", object="doc:b"),
        event("3", kind="deleted", object="doc:a"),
    ]
    history = [one["data"] for one in right]

    def test_a_right_feed_passes(self):
        self.assertEqual(checks.feed_order(self.right) + checks.feed_complete(self.right, self.history, "feed"), [])

    def test_a_repeated_event_is_seen(self):
        self.assertEqual(len(checks.feed_order(self.right[:2] + self.right[1:])), 1)

    def test_events_in_the_wrong_order_are_seen(self):
        self.assertEqual(len(checks.feed_order([self.right[1], self.right[0]])), 1)
        self.assertEqual(len(checks.feed_order([self.right[2], self.right[1]])), 1)

    def test_a_missing_event_is_seen(self):
        for left_out in range(3):
            received = self.right[:left_out] + self.right[left_out + 1 :]
            self.assertEqual(len(checks.feed_complete(received, self.history, "feed")), 1)

    def test_an_invented_event_is_seen(self):
        received = self.right + [event("4", kind="shared", object="doc:c")]
        self.assertEqual(len(checks.feed_complete(received, self.history, "feed")), 1)

    def test_a_commit_with_another_hash_is_seen(self):
        sent = [event("2", events=[], hash="one")]
        self.assertEqual(checks.feed_complete(sent, [{"revision": 2, "events": [], "hash": "one"}], "feed"), [])
        self.assertEqual(len(checks.feed_complete(sent, [{"revision": 2, "events": [], "hash": "other"}], "feed")), 1)


class Nodes(unittest.TestCase):
    def test_different_heads_are_seen(self):
        self.assertEqual(checks.same_heads({"node1": (3, "x"), "node2": (3, "x")}), [])
        self.assertEqual(len(checks.same_heads({"node1": (3, "x"), "node2": (3, "y")})), 1)
        self.assertEqual(len(checks.same_heads({"node1": (3, "x"), "node2": (2, "x")})), 1)

    def test_different_logs_are_seen(self):
        self.assertEqual(checks.same_logs({"node1": ["x", "y"], "node2": ["x", "y"]}), [])
        found = checks.same_logs({"node1": ["x", "y"], "node2": ["x", "z"], "node3": ["x"]})
        self.assertEqual([violation.why.split(" on ")[0] for violation in found], [
            "node1 and node2 differ from revision 1", "node1 and node3 differ from revision 1"
        ])

    def test_a_slow_failover_is_seen(self):
        self.assertEqual(checks.failovers([("kill", 23.0)], 30), [])
        self.assertEqual(len(checks.failovers([("kill", 31.0), ("cut", None)], 30)), 2)

    def test_the_longest_gap(self):
        self.assertEqual(checks.longest_gap([1, 2, 5, 20], 0, 6, lambda begin, end: end - begin), 3)
        self.assertEqual(checks.longest_gap([], 2, 6, lambda begin, end: end - begin), 4)

    def test_seconds_of_a_shared_processor_count_less(self):
        counted = pace.Pace(begin=0.0)
        for clock, ratio in [(10.0, 0.9), (20.0, 5.0), (30.0, 1.0)]:
            counted.add(clock, ratio)
        self.assertEqual([counted.count(clock) for clock in [0, 5, 10, 15, 20, 30, 40]], [0, 5, 10, 11, 12, 22, 32])
        self.assertEqual(counted.ratio(), 1.0)
        counted.add(31.0, 4.0)
        self.assertEqual(counted.ratio(), 4.0)


def use(outcome, begin, began=0.0, ended=None):
    times = {"begin": begin, "end": begin + 0.1, "began": began, "ended": ended, "uncertain": False}
    return {"kind": "session", "do": "use", "session": 1, "node": "node1", "outcome": outcome} | times


class Sessions(unittest.TestCase):
    def test_a_session_that_is_accepted_after_its_sign_out_is_seen(self):
        self.assertEqual(sessions.sessions_hold([use("accepted", 5), use("rejected", 12, ended=10), use("accepted", 10.5, ended=10)]), [])
        self.assertEqual(len(sessions.sessions_hold([use("accepted", 12, ended=10)])), 1)

    def test_a_session_that_is_rejected_after_its_sign_in_is_seen(self):
        self.assertEqual(sessions.sessions_hold([use("rejected", 0.5)]), [])
        self.assertEqual(len(sessions.sessions_hold([use("rejected", 5)])), 1)

    def test_a_node_that_is_cut_off_may_be_late(self):
        fault = {"kind": "fault", "began": 9.0, "seconds": 10}
        self.assertEqual(sessions.sessions_hold([fault, use("accepted", 12, ended=10)]), [])

    def test_after_the_repair_every_session_is_as_it_was_acknowledged(self):
        live, ended = sessions.Session(1, "", "", 0), sessions.Session(2, "", "", 0)
        ended.ended = 5.0
        judge = sessions.SignIns.judge_settled
        self.assertEqual(judge(live, use("accepted", 9)) + judge(ended, use("rejected", 9)), [])
        self.assertEqual(len(judge(live, use("rejected", 9)) + judge(ended, use("accepted", 9)) + judge(live, use("unknown", 9))), 3)


class Tokens(unittest.TestCase):
    def test_a_node_that_is_late_is_seen(self):
        self.assertEqual(tokens.late("t1", {"node1": 0.4, "node2": 0.9}), [])
        self.assertEqual(len(tokens.late("t1", {"node1": 0.4, "node2": 2.5, "node3": None})), 2)


class Plans(unittest.TestCase):
    def layout(self):
        return Layout(Path(tempfile.gettempdir()), 0, 3, True, "muniment")

    def test_the_same_seed_gives_the_same_plan(self):
        one, same, other = (nemesis.plan(self.layout(), seed, 1, 180) for seed in (7, 7, 8))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_every_kind_of_fault_is_planned_and_can_be_carried_out(self):
        kinds = {fault.kind for seed in range(40) for fault in nemesis.plan(self.layout(), seed, 1, 180)}
        self.assertEqual(len(kinds), 17)
        for kind in kinds:
            self.assertTrue(callable(getattr(nemesis.Nemesis, kind.replace(" ", "_"))))

    def test_the_same_seed_gives_the_same_operations(self):
        class Known:
            newest = 9

        workload = Workload.__new__(Workload)
        workload.knowledge = Known()

        def operations(seed):
            rng = random.Random(f"{seed}/writer1")
            found = [workload.choose_changes(rng) for _ in range(50)]
            return [[{name: value for name, value in change.items() if name != "until"} for change in changes] for changes in found]

        self.assertEqual(operations(7), operations(7))
        self.assertNotEqual(operations(7), operations(8))


def run_self_test():
    suite = unittest.defaultTestLoader.loadTestsFromModule(__import__(__name__, fromlist=["_"]))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
