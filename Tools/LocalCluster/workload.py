"""What the clients do during a test. The same seed gives each worker the same plan of operations."""

import random
import threading
import time
from datetime import datetime, timedelta, timezone

from . import network, pace
from .client import Client, NoAnswer, events
from .layout import Failure
from .node import CALLERS

OBJECTS = [f"doc:d{number}" for number in range(30)]
ROLES = [f"r{number}" for number in range(5)]
ADMINISTRATOR = "user:root"
GRANTABLE = ["read", "update", "delete", "setPermissions"]
ASKED = ["read", "update", "delete", "setPermissions"]

SETUP = [
    {"op": "defineClass", "class": "doc", "creatorPrivileges": GRANTABLE},
    *({"op": "register", "principal": caller} for caller in CALLERS),
    *({"op": "createRole", "role": role} for role in ROLES),
    {"op": "grant", "subject": "everyone", "object": "store", "privileges": ["create", "query", *GRANTABLE]},
    {"op": "grant", "subject": "everyone", "object": "class:doc", "privileges": ["create", *GRANTABLE]},
    # Only the first caller may change the members of roles. The others are refused.
    {"op": "grant", "subject": CALLERS[0], "object": "class:role", "privileges": ["read", "update"]},
]

# Access with an end lasts at most this many seconds.
LONGEST_ACCESS = 8

# Seconds until a client gives up waiting for an answer.
PATIENCE = 3


class Workload:
    """The threads of a test's clients. They pause between rounds."""

    def __init__(self, layout, log, knowledge, seed, rate, sign_ins=None):
        self.layout = layout
        self.log = log
        self.knowledge = knowledge
        self.seed = seed
        self.sign_ins = sign_ins
        self.rate = rate
        self.tokens = {caller: layout.secret(f"token-{caller.replace(':', '-')}") for caller in CALLERS}
        self.tokens[ADMINISTRATOR] = layout.secret("token-administer")
        self.running = threading.Event()
        self.ended = threading.Event()
        self.idle = {}
        self.errors = []
        self.feeds = []

    # Threads

    def start(self):
        writers = [(f"writer{number}", self.write) for number in range(1, 7)]
        readers = [(f"reader{number}", self.read) for number in range(1, 5)]
        self.feeds = [Feed("notices", caller) for caller in CALLERS[:3]] + [Feed("commits", None)]
        for name, step in writers + readers:
            self.spawn(name, step, paced=True)
        for node in self.layout.services:
            self.spawn(f"watcher of {node}", lambda client, rng, name, node=node: self.watch(client, rng, name, node), paced=True)
        if self.sign_ins is not None:
            self.spawn("sign-ins", self.sign_ins.step, paced=True)
        for feed in self.feeds:
            self.spawn(feed.name, lambda client, rng, name, feed=feed: self.follow(feed, rng), paced=False)
        self.running.set()

    def spawn(self, name, step, paced):
        self.idle[name] = threading.Event()
        thread = threading.Thread(target=self.body, args=(name, step, paced), name=name, daemon=True)
        thread.start()

    def body(self, name, step, paced):
        try:
            network.enter(self.layout.client)
            rng = random.Random(f"{self.seed}/{name}")
            client = Client(PATIENCE)
            # Ten paced workers share the rate.
            period = 10 / self.rate
            while not self.ended.is_set():
                if paced and not self.running.is_set():
                    self.idle[name].set()
                    self.running.wait(0.2)
                    continue
                self.idle[name].clear()
                begin = time.monotonic()
                step(client, rng, name)
                if paced:
                    time.sleep(max(0, begin + period * rng.uniform(0.5, 1.5) - time.monotonic()))
            client.close()
        except BaseException as error:
            self.errors.append(f"{name}: {type(error).__name__}: {error}")
        finally:
            self.idle[name].set()

    def pause(self):
        """Ends all operations of writers and readers. Feeds go on."""
        self.running.clear()
        for name, idle in self.idle.items():
            deadline = pace.now() + 60
            while not name.startswith("feed") and not idle.wait(1):
                if pace.now() > deadline:
                    raise Failure(f"the worker {name} does not end its operation")
        if self.errors:
            raise Failure(f"a worker failed: {self.errors[0]}")

    def resume(self):
        self.running.set()

    def end(self):
        self.ended.set()
        self.running.set()

    # Writing

    def set_up(self, client):
        """Creates the class, the callers and the roles. A node may need a second until it knows the store that another has created."""
        deadline = pace.now() + 15
        while self.transact(client, random.Random(0), "setup", ADMINISTRATOR, SETUP, keyed=True, attempts=20) != "acknowledged":
            if pace.now() > deadline:
                raise Failure("no node acknowledges the first transaction: see operations.jsonl")
            time.sleep(0.5)

    def write(self, client, rng, name):
        changes = self.choose_changes(rng)
        caller = self.choose_caller(rng, changes[0])
        keyed = rng.random() < 0.7
        self.transact(client, rng, name, caller, changes, keyed, attempts=4 if keyed else 1)

    @staticmethod
    def choose_caller(rng, change):
        """Mostly the caller that creates the object, or that may change roles. Others are often refused."""
        if rng.random() < 0.1:
            return ADMINISTRATOR
        if rng.random() < 0.3:
            return rng.choice(CALLERS)
        return CALLERS[OBJECTS.index(change["object"]) % len(CALLERS)] if "object" in change else CALLERS[0]

    def choose_changes(self, rng):
        name, role = rng.choice(OBJECTS), rng.choice(ROLES)
        subject = rng.choice(CALLERS + [f"role:{other}" for other in ROLES])
        privileges = sorted(rng.sample(GRANTABLE, rng.randint(1, 2)))
        grant = {"op": "grant", "subject": subject, "object": name, "privileges": privileges}
        kind = rng.choices(
            ["create", "createAndShare", "delete", "grant", "end", "expect", "revoke", "addMember", "removeMember"],
            [12, 8, 8, 20, 12, 10, 14, 9, 7],
        )[0]
        if kind == "create":
            return [{"op": "createObject", "object": name}]
        if kind == "createAndShare":
            return [{"op": "createObject", "object": name}, grant]
        if kind == "delete":
            return [{"op": "deleteObject", "object": name}]
        if kind == "grant":
            return [grant]
        if kind == "end":
            end = datetime.now(timezone.utc) + timedelta(seconds=rng.uniform(1, LONGEST_ACCESS))
            return [grant | {"until": end.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}]
        if kind == "expect":
            return [grant | {"expectRevision": max(1, self.knowledge.newest - rng.randint(0, 6))}]
        if kind == "revoke":
            return [{"op": "revoke", "subject": subject, "object": name}]
        member = rng.choice(CALLERS + [f"role:{other}" for other in ROLES if other != role])
        return [{"op": kind, "role": role, "member": member}]

    def transact(self, client, rng, name, caller, changes, keyed, attempts):
        """Sends a transaction. With an idempotency key, it is sent again to another node until there is an answer."""
        identifier = f"{name}-{self.log.now():.6f}-{rng.randrange(1 << 30):x}"
        node = rng.choice(self.layout.services)
        outcome = "unknown"
        for attempt in range(1, attempts + 1):
            begin = self.log.now()
            fields = {"id": identifier, "attempt": attempt, "node": node.name, "caller": caller, "do": changes, "begin": begin}
            headers = {"X-Request-ID": identifier} | ({"Idempotency-Key": identifier} if keyed else {})
            body = {"do": changes} | ({"as": caller} if caller == ADMINISTRATOR else {})
            try:
                status, answer = client.send(node, "POST", "transactions", self.tokens[caller], body, headers)
                outcome = self.outcome(status, answer)
                fields |= {"status": status, "revision": answer.get("revision"), "head": answer.get("head"), "code": answer.get("code")}
                if outcome == "unknown":
                    fields["problem"] = answer.get("detail")
            except NoAnswer as error:
                outcome = "unknown"
                fields["problem"] = str(error)
            self.log.record("transaction", outcome=outcome, **fields)
            if outcome == "acknowledged":
                self.knowledge.saw(fields["revision"] or fields["head"] or 0, acknowledged=True)
            if outcome != "unknown":
                break
            node = rng.choice([other for other in self.layout.services if other != node] or [node])
            time.sleep(rng.uniform(0.1, 0.5))
        return outcome

    @staticmethod
    def outcome(status, answer):
        """`acknowledged`, `refused` (it is certain that nothing was changed), or `unknown`."""
        if status == 200:
            return "acknowledged"
        if status >= 500 or status == 408 or answer.get("type") == "/problems/idempotency-key-in-use":
            return "unknown"
        return "refused"

    # Reading

    def read(self, client, rng, name):
        mode = rng.choices(["now", "linearizable", "atLeast", "past"], [45, 25, 20, 10])[0]
        self.question(client, rng, name, rng.choice(self.layout.services), mode, lists=rng.random() < 0.1)

    def watch(self, client, rng, name, node):
        """Asks one node what it has now, again and again: this must go on while the shared log cannot be reached."""
        self.question(client, rng, name, node, "now", lists=False)

    def question(self, client, rng, name, node, mode, lists):
        caller, privilege, target = rng.choice(CALLERS), rng.choice(ASKED), rng.choice(OBJECTS)
        body = {"subject": caller, "privilege": privilege} | ({} if lists else {"object": target})
        floor = {"acknowledged": self.knowledge.newest_acknowledged, "seen": self.knowledge.newest}
        headers = {"Muniment-Consistency": "linearizable"} if mode == "linearizable" else {}
        if mode == "atLeast":
            body["atLeast"] = floor["seen"]
        elif mode == "past":
            body["at"] = rng.randint(1, max(1, floor["seen"]))
        fields = {"mode": mode, "node": node.name, "floor": floor, "ask": body, "worker": name, "begin": self.log.now()}
        try:
            status, answer = client.send(node, "POST", "what" if lists else "check", self.tokens[ADMINISTRATOR], body, headers)
        except NoAnswer as error:
            self.log.record("read", outcome="unavailable", problem=str(error), **fields)
            return
        if status != 200:
            self.log.record("read", outcome="unavailable", status=status, problem=answer.get("detail"), **fields)
            return
        fields |= {"revision": answer["revision"], "time": answer["time"]}
        if lists:
            # A list that fills its page would be incomplete; there are fewer objects than a page has entries.
            fields["objects"] = answer["objects"]
        else:
            fields["allowed"] = answer["allowed"]
        self.log.record("read", outcome="answered", **fields)
        if mode != "past":
            self.knowledge.saw(answer["revision"])

    # Following feeds

    def follow(self, feed, rng):
        """Reads a feed at one node for some seconds. The next call continues at another node."""
        others = [node for node in self.layout.services if node != feed.node]
        feed.node = rng.choice(others or self.layout.services)
        path = "commits" if feed.kind == "commits" else f"notices?for={feed.subscriber}"
        if feed.last_id is None:
            path += ("&" if "?" in path else "?") + "after=0"
        until = time.monotonic() + rng.uniform(2, 12)
        try:
            for event_id, data in events(feed.node, path, self.tokens[ADMINISTRATOR], feed.last_id, timeout=5):
                if data is not None:
                    self.log.record("event", feed=feed.name, node=feed.node.name, id=event_id, data=data["data"])
                    self.knowledge.saw(int(event_id.partition(".")[0]))
                feed.last_id = event_id
                if self.ended.is_set() or time.monotonic() > until:
                    return
        except NoAnswer as error:
            self.log.record("interruption", feed=feed.name, node=feed.node.name, id=feed.last_id, problem=str(error))
        time.sleep(rng.uniform(0.1, 0.5))


class Feed:
    """One feed that is followed through the whole test, over many connections."""

    def __init__(self, kind, subscriber):
        self.kind = kind
        self.subscriber = subscriber
        self.name = f"feed {kind}" + (f" {subscriber}" if subscriber else "")
        self.node = None
        self.last_id = None
