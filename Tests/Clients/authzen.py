"""A policy enforcement point in Python's standard library: finds the decision point by its metadata, and asks it everything.

usage: authzen.py BASE TOKEN, where BASE is a decision point whose store is the household of Tests/ServiceTests/AuthZEN.
Prints a line for each promise that is not kept, and then how many were looked at.
"""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request


class DecisionPoint:
    def __init__(self, base, token):
        self.token = token
        parts = urllib.parse.urlsplit(base)
        well_known = f"{parts.scheme}://{parts.netloc}/.well-known/authzen-configuration{parts.path}"
        with urllib.request.urlopen(well_known, timeout=30) as answer:
            self.metadata = json.load(answer)
        if self.metadata["policy_decision_point"] != base:
            raise SystemExit(f"{well_known} speaks of {self.metadata['policy_decision_point']}")

    def ask(self, endpoint, body, request_id="python-client"):
        request = urllib.request.Request(
            self.metadata[endpoint], json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "X-Request-ID": request_id})
        with urllib.request.urlopen(request, timeout=30) as answer:
            if answer.headers["X-Request-ID"] != request_id:
                raise SystemExit("the answer is to another request")
            return json.load(answer)

    def may(self, subject, action, resource, **context):
        body = {"subject": subject, "action": {"name": action}, "resource": resource}
        return self.ask("access_evaluation_endpoint", body | ({"context": context} if context else {}))["decision"]

    def search(self, kind, body, limit):
        """All results, page by page."""
        results, page = [], {"limit": limit}
        while True:
            answer = self.ask(f"search_{kind}_endpoint", body | {"page": page})
            results += answer["results"]
            if not answer["page"]["next_token"]:
                return results
            page = {"token": answer["page"]["next_token"], "limit": limit}


def entity(name):
    kind, _, identifier = name.partition(":")
    return {"type": kind, "id": identifier}


def main(base, token):
    point = DecisionPoint(base, token)
    promises = [
        ("a denial and a permission", [point.may(entity("user:ann"), "may_tick", entity(c)) for c in ("chore:dishes", "chore:stairs")], [True, False]),
        ("the past", point.may(entity("user:ann"), "may_tick", entity("chore:dishes"), muniment_at=0), False),
    ]
    body = {
        "subject": entity("user:ann"), "action": {"name": "may_tick"}, "options": {"evaluations_semantic": "deny_on_first_deny"},
        "evaluations": [{"resource": entity(f"chore:{c}")} for c in ("dishes", "stairs", "dishes")],
    }
    promises.append(("a batch up to the first denial", [e["decision"] for e in point.ask("access_evaluations_endpoint", body)["evaluations"]], [True, False]))
    who = {"subject": {"type": "user"}, "action": {"name": "may_see"}, "resource": entity("chore:dishes")}
    found = point.search("subject", who, 2)
    promises.append(("who", [f["id"] for f in found], ["ann", "ben", "lia", "max", "root"]))
    promises.append(("whoever is found may", [point.may(f, "may_see", entity("chore:dishes")) for f in found], [True] * len(found)))
    what = {"subject": entity("user:max"), "action": {"name": "may_drop"}, "resource": {"type": "chore"}}
    promises.append(("what", [f["id"] for f in point.search("resource", what, 1)], ["dishes", "list", "stairs"]))
    actions = point.search("action", {"subject": entity("user:lia"), "resource": entity("chore:list")}, 1)
    promises.append(("actions", [f["name"] for f in actions], ["may_see", "read"]))
    try:
        point.ask("access_evaluation_endpoint", {"subject": entity("user:ann")})
        promises.append(("a fault", "answered", 400))
    except urllib.error.HTTPError as error:
        promises.append(("a fault", error.code, 400))
    for name, actual, wanted in promises:
        if actual != wanted:
            print(f"{name}: {actual} and not {wanted}")
    print(len(promises), "looked at")


main(*sys.argv[1:])
