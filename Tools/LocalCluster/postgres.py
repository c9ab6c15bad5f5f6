"""Three PostgreSQL servers under Patroni: one primary, one synchronous standby, one replica.

Patroni moves the lead by etcd. A commit is acknowledged only when it is durable on the primary and on the synchronous standby, and only
that standby can become primary. Without a synchronous standby, no commit is acknowledged (`synchronous_mode_strict`).
"""

import http.client
import json
import os
import pwd
import secrets
import shutil
import time

from . import pace, processes
from .layout import Failure
from .network import inside

PROGRAMS = "/usr/lib/postgresql/15/bin"
USER = "postgres"
DATABASE = "muniment"
ROLE = "muniment"

# What Patroni keeps in etcd for the whole cluster. A primary that is lost is replaced after `ttl` seconds, which cannot be shorter.
SETTINGS = {
    "ttl": 20,
    "loop_wait": 1,
    "retry_timeout": 3,
    "maximum_lag_on_failover": 16777216,
    "primary_start_timeout": 15,
    "synchronous_mode": True,
    "synchronous_mode_strict": True,
    "synchronous_node_count": 1,
    "postgresql": {
        "use_pg_rewind": True,
        "use_slots": True,
        "parameters": {
            "fsync": "on",
            "synchronous_commit": "on",
            "wal_log_hints": "on",
            "wal_level": "replica",
            "hot_standby": "on",
            "shared_buffers": "64MB",
            "max_connections": 60,
            "max_wal_senders": 10,
            "max_replication_slots": 10,
            "max_worker_processes": 4,
            "wal_keep_size": "64MB",
            "max_wal_size": "256MB",
            # A lost standby must not make the primary keep its log until the disk is full.
            "max_slot_wal_keep_size": "256MB",
            "wal_sender_timeout": "5s",
            "wal_receiver_timeout": "5s",
            "wal_retrieve_retry_interval": "1s",
            "tcp_keepalives_idle": 5,
            "tcp_keepalives_interval": 2,
            "tcp_keepalives_count": 3,
            "password_encryption": "scram-sha-256",
            "logging_collector": "off",
            "log_line_prefix": "%m [%p] %q%u@%d ",
        },
    },
}


def make_secrets(layout):
    """Generates the passwords, each in a file that only root can read."""
    for name in ("muniment", "replicator", "rewind"):
        file = layout.secret_file(name)
        if not file.exists():
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as output:
                output.write(secrets.token_urlsafe(24) + "\n")


def configuration(layout, machine):
    """Patroni's configuration of one server. It is written as JSON, which is also YAML."""
    network = f"10.87.{layout.number}.0/24"
    return {
        "scope": "muniment",
        "name": machine.name,
        "restapi": {"listen": f"{machine.address}:8008", "connect_address": f"{machine.address}:8008"},
        # Not `etcd3`: with the v3 interface, Patroni 3.0.2 keeps a copy of its keys that can stay old for good after etcd was slow, and
        # the primary then never names a synchronous standby (patroni/patroni pull request 2783, corrected in 3.1).
        "etcd": {"hosts": [f"{other.address}:2379" for other in layout.etcds]},
        "bootstrap": {
            "dcs": SETTINGS,
            "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
        },
        "postgresql": {
            "listen": f"{machine.address}:5432",
            "connect_address": f"{machine.address}:5432",
            "data_dir": str(machine.disk / "data"),
            "bin_dir": PROGRAMS,
            "pgpass": str(machine.disk / "pgpass"),
            "use_unix_socket": True,
            "remove_data_directory_on_rewind_failure": True,
            "remove_data_directory_on_diverged_timelines": True,
            "authentication": {
                "superuser": {"username": USER},
                "replication": {"username": "replicator", "password": layout.secret("replicator")},
                "rewind": {"username": "rewind", "password": layout.secret("rewind")},
            },
            # The superuser is accepted only through the socket, and only if the operating system's user is `postgres`.
            "pg_hba": [
                "local all postgres peer",
                f"host replication replicator {network} scram-sha-256",
                f"host postgres rewind {network} scram-sha-256",
                f"host {DATABASE} {ROLE} {network} scram-sha-256",
            ],
            "parameters": {"unix_socket_directories": str(machine.disk), "cluster_name": machine.name},
        },
        "watchdog": {"mode": "off"},
    }


def start(layout, machine):
    """Starts Patroni on one machine. Patroni starts PostgreSQL."""
    account = pwd.getpwnam(USER)
    os.chown(machine.disk, account.pw_uid, account.pw_gid)
    # PostgreSQL refuses a data folder that others can read, and Patroni's file contains passwords.
    os.chmod(machine.disk, 0o700)
    file = machine.disk / "patroni.yml"
    text = json.dumps(configuration(layout, machine), indent=1)
    if not file.exists() or file.read_text() != text:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as output:
            output.write(text)
        shutil.chown(file, USER, USER)
    command = ["/usr/bin/python3", "/usr/bin/patroni", file]
    processes.start(layout, machine, "patroni", command, user=USER, environment={"HOME": str(machine.disk)})


def psql(machine, sql, database="postgres", timeout=30):
    """Runs SQL as the superuser through the local socket, and returns the rows as text."""
    command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "--", f"{PROGRAMS}/psql"]
    command += ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", machine.disk, "-d", database, "-f", "-"]
    return inside(machine, *command, text=sql, timeout=timeout).strip()


def members(layout):
    """Patroni's view of the cluster: the record of each server by its name, or None if no Patroni answers.

    The calling thread must be in the network of the client.
    """
    for machine in layout.databases:
        connection = http.client.HTTPConnection(machine.address, 8008, timeout=pace.stretched(2))
        try:
            connection.request("GET", "/cluster")
            answer = json.loads(connection.getresponse().read())
            return {member["name"]: member for member in answer["members"]}
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            continue
        finally:
            connection.close()
    return None


def role(member):
    """The role of a server in plain words."""
    names = {"leader": "primary", "sync_standby": "sync standby", "replica": "replica"}
    return names.get(member["role"], member["role"])


def with_role(layout, wanted):
    """The machine with a role (`primary`, `sync standby`, `replica`), or None."""
    for name, member in (members(layout) or {}).items():
        if role(member) == wanted and member.get("state") in ("running", "streaming"):
            return layout.named(name)
    return None


def await_roles(layout, seconds):
    """Waits until there are a primary, a synchronous standby and a replica, all of them running. Returns the primary."""
    deadline = pace.now() + seconds
    while pace.now() < deadline:
        found = members(layout) or {}
        running = {role(member) for member in found.values() if member.get("state") in ("running", "streaming")}
        if len(found) == len(layout.databases) and {"primary", "sync standby"} <= running and all(
            member.get("state") in ("running", "streaming") for member in found.values()
        ):
            return with_role(layout, "primary")
        time.sleep(0.25)
    raise Failure(f"PostgreSQL has no primary with a synchronous standby after {seconds} seconds: {describe(members(layout))}")


def describe(found):
    if not found:
        return "no Patroni answers"
    return ", ".join(f"{name}: {role(member)} ({member.get('state')})" for name, member in sorted(found.items()))


def create_database(layout, primary):
    """Creates the role and the database of the service, if they do not exist."""
    if psql(primary, f"SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}'") != "1":
        psql(primary, f"CREATE ROLE {ROLE} LOGIN PASSWORD '{layout.secret('muniment')}'")
    if psql(primary, f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'") != "1":
        psql(primary, f"CREATE DATABASE {DATABASE}")


def create_schema(layout, primary, schema):
    """Runs the SQL of `muniment log schema`, if the schema does not exist."""
    if psql(primary, "SELECT 1 FROM pg_namespace WHERE nspname = 'muniment'", database=DATABASE) != "1":
        psql(primary, schema, database=DATABASE)


def move_lead(primary, *arguments):
    """Runs a command of patronictl that moves the lead. Returns whether Patroni did it."""
    command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "--", "env", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"]
    command += ["/usr/bin/python3", "/usr/bin/patronictl", "-c", primary.disk / "patroni.yml", arguments[0], "muniment", "--force"]
    try:
        return "uccessfully" in inside(primary, *command, *arguments[1:], timeout=40)
    except Failure:
        return False


def switch_over(primary):
    """Moves the lead from a primary that works."""
    return move_lead(primary, "switchover", "--master", primary.name)


def fail_over(primary, standby):
    """Moves the lead to a standby, as if the primary did not work."""
    return move_lead(primary, "failover", "--candidate", standby.name)


def connection_string(layout):
    """The address of the shared log for the nodes, without the password, which libpq reads from a file."""
    hosts = ",".join(machine.address for machine in layout.databases)
    return f"postgresql://{ROLE}@{hosts}/{DATABASE}?target_session_attrs=read-write&connect_timeout=2"


def write_password_file(layout):
    """The password in the form that libpq reads (`PGPASSFILE`)."""
    file = layout.secret_file("pgpass")
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as output:
        output.write(f"*:5432:*:{ROLE}:{layout.secret('muniment')}\n")
    return file
