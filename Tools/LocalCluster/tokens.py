"""Tokens hold on all nodes: one that was made at a node is accepted, and one that was revoked at a node is rejected, within a second."""

import http.client
import json
import time

from . import node, pace
from .checks import Violation

# Seconds: the promise is one, and one more is for a slow disk.
LIMIT = 2


def check_tokens(layout, log, rng):
    """Makes a token at one node and revokes it at another, and returns the violations. Nothing must be broken meanwhile."""
    maker, revoker = rng.choice(layout.services), rng.choice(layout.services)
    arguments = ["--store", node.STORE, "--can", "ask", "--comment", "made by the test", "--json"]
    token = json.loads(node.tokens(layout, "create", node.data(maker), *arguments))
    made = log.now()
    after_making = seconds_until(layout, token["secret"], 200)
    log.record("token", do="create", node=maker.name, begin=made, token=token["id"], seconds=after_making)
    node.tokens(layout, "revoke", node.data(revoker), token["id"])
    revoked = log.now()
    after_revoking = seconds_until(layout, token["secret"], 401)
    log.record("token", do="revoke", node=revoker.name, begin=revoked, token=token["id"], seconds=after_revoking)
    return late(f"{token['id']}, made at {maker}, is not accepted", after_making) + late(
        f"{token['id']}, revoked at {revoker}, is accepted", after_revoking
    )


def late(what, seconds):
    """The violations of nodes that were late. `seconds` maps the name of a node to the time, or to None."""
    found = []
    for name, took in seconds.items():
        if took is None or took > LIMIT:
            shown = "still" if took is None else f"for {took:.1f} s"
            found.append(Violation("tokens hold on all nodes", f"{what} by {name} {shown}"))
    return found


def seconds_until(layout, secret, wanted):
    """The time until each node answers a request with this token by a status; None if it did not within some seconds."""
    begin, seconds = pace.now(), {}
    while len(seconds) < len(layout.services) and pace.now() < begin + 3 * LIMIT:
        for machine in layout.services:
            if machine.name not in seconds and status(machine, secret) == wanted:
                seconds[machine.name] = pace.now() - begin
        time.sleep(0.02)
    return {machine.name: seconds.get(machine.name) for machine in layout.services}


def status(machine, secret):
    try:
        return node.ask(machine, f"/v1/stores/{node.STORE}/caller", secret)[0]
    except (OSError, http.client.HTTPException):
        return None
