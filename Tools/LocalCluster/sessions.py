"""Sign-ins of accounts at all nodes: a session holds on every node, and a sign-out ends it on every node."""

import json
import time

from . import pace
from .checks import Violation
from .client import NoAnswer
from .layout import Failure

PASSWORD = "a long password of the test"
ADDRESSES = [f"person{number}@example.com" for number in (1, 2, 3)]
# Seconds until a sign-in or a sign-out holds on all nodes, if nothing is broken.
HOLDS_WITHIN = 1.0
KEPT_SESSIONS = 6
# An access token expires after 600 seconds. Older tokens are refreshed, and prove nothing.
OLD_TOKEN = 450


def write_settings(layout):
    """The settings of the accounts, for all nodes. Codes come as files into one folder."""
    file = layout.folder / "accounts.json"
    (layout.folder / "outbox").mkdir(exist_ok=True)
    file.write_text(json.dumps({"stores": ["default"], "mail": {"outbox": str(layout.folder / "outbox")}}) + "\n")
    return file


class Session:
    """One session, as the test knows it."""

    def __init__(self, number, access, refresh, began):
        self.number = number
        self.access = access
        self.refresh = refresh
        self.began = began
        # When the sign-out was acknowledged. `uncertain` after a sign-out without an answer.
        self.ended = None
        self.uncertain = False


class SignIns:
    """The worker that signs in and out. Its operations are recorded as `session`."""

    def __init__(self, layout, log):
        self.layout = layout
        self.log = log
        self.sessions = []
        self.count = 0

    def set_up(self, client):
        """Creates the accounts. The code of a sign-up is in the memory of the node that sent it."""
        node = self.layout.services[0]
        outbox = self.layout.folder / "outbox"
        for address in ADDRESSES:
            evidence = {"email": address, "password": PASSWORD}
            body = {"provider": "password", "evidence": evidence, "displayName": "Person"}
            status, answer = self.post(client, node, "sign-up", body)
            if status != 202:
                raise Failure(f"no account can be made: HTTP {status} {answer}")
            code = None
            deadline = pace.now() + 10
            while code is None and pace.now() < deadline:
                for mail in outbox.glob("*.eml"):
                    text = mail.read_text()
                    if f"To: {address}" in text:
                        code = text.partition("The code is:")[2].split()[0]
                time.sleep(0.1)
            status, answer = self.post(client, node, "sign-up/confirm", {"attempt": answer["attempt"], "code": code, "device": "test"})
            if status != 201:
                raise Failure(f"an account cannot be confirmed: HTTP {status} {answer}")

    def post(self, client, node, path, body):
        return client.send(node, "POST", f"/v1/accounts/{path}", None, body)

    def step(self, client, rng, name):
        """One operation: sign in, use a session at some node, refresh it at another, or sign out."""
        live = [session for session in self.sessions if session.ended is None and not session.uncertain]
        old = [session for session in live if self.log.now() - session.began > OLD_TOKEN / 2]
        if old:
            self.refresh(client, rng, old[0])
        elif len(live) < 3 or (len(live) < KEPT_SESSIONS and rng.random() < 0.2):
            self.sign_in(client, rng)
        elif rng.random() < 0.6:
            self.use(client, rng.choice(self.sessions), rng.choice(self.layout.services))
        elif rng.random() < 0.5:
            self.refresh(client, rng, rng.choice(live))
        else:
            self.sign_out(client, rng, rng.choice(live))
        time.sleep(rng.uniform(0.2, 0.8))

    def sign_in(self, client, rng):
        node, begin = rng.choice(self.layout.services), self.log.now()
        body = {"provider": "password", "evidence": {"email": rng.choice(ADDRESSES), "password": PASSWORD}, "device": "test"}
        fields = {"do": "sign in", "node": node.name, "begin": begin}
        try:
            status, answer = self.post(client, node, "sign-in", body)
        except NoAnswer as error:
            self.log.record("session", outcome="unknown", problem=str(error), **fields)
            return
        if status != 200:
            self.log.record("session", outcome="refused", status=status, problem=answer.get("detail"), **fields)
            return
        self.count += 1
        self.sessions.append(Session(self.count, answer["accessToken"], answer["refreshToken"], self.log.now()))
        self.log.record("session", outcome="acknowledged", session=self.count, **fields)

    def use(self, client, session, node):
        """Asks for the account with the access token, and returns `accepted`, `rejected` or `unknown`."""
        fields = {"do": "use", "session": session.number, "node": node.name, "begin": self.log.now()}
        fields |= {"began": session.began, "ended": session.ended, "uncertain": session.uncertain}
        try:
            status, answer = client.send(node, "GET", "/v1/account", session.access)
        except NoAnswer as error:
            status, answer = 0, {"detail": str(error)}
        outcome = {200: "accepted", 401: "rejected"}.get(status, "unknown")
        # A sign-out by this thread cannot happen meanwhile: there is one worker.
        return self.log.record("session", outcome=outcome, status=status, problem=answer.get("detail"), **fields)

    def refresh(self, client, rng, session):
        """Gets new tokens. Without an answer, the same request is sent again to another node."""
        body = {"refreshToken": session.refresh, "nonce": f"n{rng.randrange(1 << 40):x}"}
        for _ in range(6):
            node = rng.choice(self.layout.services)
            fields = {"do": "refresh", "session": session.number, "node": node.name, "begin": self.log.now()}
            try:
                status, answer = self.post(client, node, "refresh", body)
            except NoAnswer as error:
                self.log.record("session", outcome="unknown", problem=str(error), **fields)
                continue
            outcome = "acknowledged" if status == 200 else "refused" if 400 <= status < 500 and status != 429 else "unknown"
            self.log.record("session", outcome=outcome, status=status, problem=answer.get("detail"), **fields)
            if status == 200:
                session.access, session.refresh, session.began = answer["accessToken"], answer["refreshToken"], self.log.now()
                return
        # The first request may have been carried out: the tokens of the test may be the old ones.
        session.uncertain = True

    def sign_out(self, client, rng, session):
        node = rng.choice(self.layout.services)
        fields = {"do": "sign out", "session": session.number, "node": node.name, "begin": self.log.now()}
        try:
            status, answer = client.send(node, "POST", "/v1/account/sign-out", session.access)
        except NoAnswer as error:
            status, answer = 0, {"detail": str(error)}
        if status in (200, 204):
            session.ended = self.log.now()
            self.log.record("session", outcome="acknowledged", status=status, **fields)
        else:
            session.uncertain = True
            self.log.record("session", outcome="unknown", status=status, problem=answer.get("detail"), **fields)

    def check_everywhere(self, client):
        """After all is repaired: uses every session at every node. Forgets the sessions that have ended."""
        found = []
        for session in self.sessions:
            if not session.uncertain and self.log.now() - session.began < OLD_TOKEN:
                for node in self.layout.services:
                    found += self.judge_settled(session, self.use(client, session, node))
        self.sessions = [session for session in self.sessions if session.ended is None and not session.uncertain]
        return found

    @staticmethod
    def judge_settled(session, use):
        wanted = "accepted" if session.ended is None else "rejected"
        if use["outcome"] == wanted:
            return []
        state = "live" if session.ended is None else "ended"
        why = f"{use['node']} answers `{use['outcome']}` for session {session.number}, which is {state}, after everything was repaired"
        return [Violation("sessions hold on all nodes", why, [use])]


def broken_times(operations):
    """The spans in which a fault was active, and the time until nodes have caught up afterwards."""
    return [
        (operation["began"], operation["began"] + operation["seconds"] + 15)
        for operation in operations
        if operation["kind"] == "fault" and "seconds" in operation
    ]


def sessions_hold(operations):
    """While nothing is broken, a sign-in and a sign-out hold on all nodes within a second."""
    broken, found = broken_times(operations), []
    for use in operations:
        if use["kind"] != "session" or use["do"] != "use" or use["uncertain"] or use["end"] - use["began"] > OLD_TOKEN:
            continue
        since = use["began"] if use["ended"] is None else use["ended"]
        if any(begin < use["end"] and since < end for begin, end in broken) or use["begin"] < since + HOLDS_WITHIN:
            continue
        wrong = "rejected" if use["ended"] is None else "accepted"
        if use["outcome"] == wrong:
            what = "its sign-in" if use["ended"] is None else "its sign-out"
            why = f"{use['node']} {wrong} session {use['session']} {use['begin'] - since:.1f} s after {what}, while nothing was broken"
            found.append(Violation("sessions hold within a second", why, [use]))
    return found
