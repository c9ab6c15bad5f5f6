"""The Muniment nodes."""

import http.client
import json
import os

from . import pace, postgres, processes
from .layout import STORE, Failure
from .network import inside
from .shell import run

# The callers of the test. Each has a token that acts as it.
CALLERS = [f"user:u{number}" for number in range(1, 7)]
LIBRARY_OF_CLOCK = "clock.so"


def has_shared_log(layout):
    """Whether the nodes of the cluster use the shared log."""
    return layout.shared_log and layout.nodes > 0


def data(machine):
    return machine.disk / "data"


def prepare(layout):
    """Creates the data folders and the tokens, before the first start."""
    if not layout.services or layout.secret_file("token-administer").exists():
        return
    first = data(layout.services[0])
    first.mkdir(mode=0o700)
    if not layout.shared_log:
        run(layout.binary, "init", "--store", first / STORE)
    make_token(layout, first, "administer", "--can", "administer", stores="*")
    make_token(layout, first, "ask", "--can", "ask", stores=STORE)
    for caller in CALLERS:
        make_token(layout, first, caller.replace(":", "-"), "--can", "act", "--as", caller, stores=STORE)


def share_key(layout, machine):
    """Gives the key of the shared tokens to a node. The first command of `prepare` made it in the folder of the first node."""
    source, target = (data(node) / ".muniment" / "tokens.key" for node in (layout.services[0], machine))
    if not source.exists() or target.exists():
        return
    for folder in (data(machine), target.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as output:
        output.write(source.read_bytes())


def make_token(layout, folder, name, *rights, stores):
    token = tokens(layout, "create", folder, "--store", stores, *rights, "--comment", "made by Tools/cluster")
    file = layout.secret_file(f"token-{name}")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as output:
        output.write(token)


def tokens(layout, command, folder, *arguments):
    """Runs a command of `muniment token` on the data folder of a node. With a shared log, the tokens hold on all nodes."""
    if not layout.shared_log:
        return run(layout.binary, "token", command, "--data", folder, *arguments)
    shared = ["--log", postgres.connection_string(layout), "--log-insecure"]
    environment = ["env", f"PGPASSFILE={layout.secret_file('pgpass')}"]
    return inside(layout.client, *environment, layout.binary, "token", command, "--data", folder, *arguments, *shared)


def start(layout, machine, clock=False, accounts=None):
    """Starts one node. With `clock`, its clock can be moved (`clock.py`). `accounts` is the file of settings, if people can sign in."""
    command = [layout.binary, "serve", "--data", data(machine), "--listen", f"{machine.address}:8080", "--insecure"]
    environment = {}
    if accounts is not None:
        command += ["--accounts", accounts]
    if layout.shared_log:
        share_key(layout, machine)
        # The servers have no TLS, and listen in network namespaces of this machine.
        command += ["--log", postgres.connection_string(layout), "--log-insecure"]
        environment["PGPASSFILE"] = str(layout.secret_file("pgpass"))
    if clock:
        environment["LD_PRELOAD"] = str(layout.folder / LIBRARY_OF_CLOCK)
        environment["CLOCK_OFFSET_FILE"] = str(machine.disk / "clock-offset")
    processes.start(layout, machine, "node", command, environment=environment)


def ask(machine, path, token=None, timeout=3):
    """The status and the body of a GET request. The calling thread must be in the network of the client."""
    connection = http.client.HTTPConnection(machine.address, 8080, timeout=pace.stretched(timeout))
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def is_ready(machine):
    try:
        return ask(machine, "/readyz")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def is_serving(machine, token):
    """Whether a node is ready and has the store. A node is ready before it has heard of a store that another node created."""
    try:
        return ask(machine, f"/v1/stores/{STORE}/caller", token)[0] == 200 and is_ready(machine)
    except (OSError, http.client.HTTPException):
        return False


def readiness(machine):
    """The node's own state: `ready`, or the reason why it is not."""
    try:
        status, body = ask(machine, "/readyz")
    except (OSError, http.client.HTTPException) as error:
        return f"does not answer ({error})"
    if status == 200:
        return "ready"
    try:
        record = json.loads(body)
        return f"not ready: {record.get('detail') or record.get('status') or body}"
    except ValueError:
        return f"not ready: HTTP {status}"


def metrics(machine, token):
    """The metrics of a node without labels, and those of the store of the test: name to value."""
    try:
        status, body = ask(machine, "/metrics", token)
    except (OSError, http.client.HTTPException):
        return {}
    found = {}
    for line in body.splitlines() if status == 200 else []:
        name, _, value = line.rpartition(" ")
        name, _, labels = name.partition("{")
        if not line.startswith("#") and (not labels or f'store="{STORE}"' in labels):
            found.setdefault(name, float(value))
    return found


def lag(machine, token):
    """The seconds since a node last had everything that the shared log had, as the node says in a header; None without a shared log."""
    connection = http.client.HTTPConnection(machine.address, 8080, timeout=pace.stretched(3))
    try:
        connection.request("GET", f"/v1/stores/{STORE}/caller", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().getheader("Muniment-Lag")
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def head(machine, token, timeout=60):
    """The newest revision of a node and its hash, from a check of its whole log."""
    status, body = ask(machine, f"/v1/stores/{STORE}/verify", token, timeout)
    if status != 200:
        raise Failure(f"{machine} does not verify its log: HTTP {status} {body}")
    record = json.loads(body)
    if not record["sound"]:
        raise Failure(f"the log of {machine} is not sound: {record['problems']}")
    return record["revision"], record["hash"]
