"""Names, addresses and paths of a cluster.

A cluster has a number N. Its network is 10.87.N.0/24, its bridge `munimentN`, and each of its machines is a network namespace
`munimentN-MACHINE`. Several clusters with different numbers can run at the same time.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
HIGHEST_NUMBER = 15
STORE = "default"

# The last part of the address of the first machine of each kind.
FIRST_ADDRESS = {"client": 2, "etcd": 11, "postgres": 21, "node": 31}


class Failure(Exception):
    """The tool cannot do its work. The message says why, and what to do."""


@dataclass(frozen=True)
class Machine:
    """One machine of a cluster: a network namespace with an address, and a folder."""

    name: str
    kind: str
    address: str
    namespace: str
    veth: str
    # The folder of the machine's data: a mount, so that a test can fill its disk, and so that the user `postgres` can reach it.
    disk: Path

    def __str__(self):
        return self.name


@dataclass
class Layout:
    """The shape of one cluster."""

    folder: Path
    number: int
    nodes: int
    # Without the shared log, one node keeps its log in its own folder: no etcd, no PostgreSQL.
    shared_log: bool
    binary: str

    @property
    def bridge(self):
        return f"muniment{self.number}"

    @property
    def run(self):
        """The folder for mounts and sockets. Its path is short, because the path of a Unix socket has at most 107 bytes."""
        return Path(f"/run/muniment{self.number}")

    @property
    def host_address(self):
        return f"10.87.{self.number}.1"

    def machine(self, kind, index):
        name = kind if kind == "client" else f"{kind}{index}"
        return Machine(
            name=name,
            kind=kind,
            address=f"10.87.{self.number}.{FIRST_ADDRESS[kind] + index - 1}",
            namespace=f"muniment{self.number}-{name}",
            veth=f"mu{self.number}-{name}",
            disk=self.run / name,
        )

    @property
    def client(self):
        """The machine from which the tool asks the others. It has no route to anything outside the cluster."""
        return self.machine("client", 1)

    @property
    def etcds(self):
        return [self.machine("etcd", index) for index in (1, 2, 3)] if self.shared_log else []

    @property
    def databases(self):
        return [self.machine("postgres", index) for index in (1, 2, 3)] if self.shared_log else []

    @property
    def services(self):
        return [self.machine("node", index) for index in range(1, self.nodes + 1)]

    @property
    def servers(self):
        return self.etcds + self.databases + self.services

    @property
    def machines(self):
        return [self.client] + self.servers

    def named(self, name):
        for machine in self.machines:
            if machine.name == name:
                return machine
        raise Failure(f"the cluster has no machine `{name}`")

    def log_file(self, machine, process):
        return self.folder / "logs" / f"{machine.name}-{process}.log"

    def secret_file(self, name):
        return self.folder / "secrets" / name

    def secret(self, name):
        return self.secret_file(name).read_text().strip()

    def node_address(self, machine):
        return f"http://{machine.address}:8080"

    def save(self):
        record = asdict(self) | {"folder": str(self.folder)}
        (self.folder / "cluster.json").write_text(json.dumps(record, indent=1) + "\n")

    @staticmethod
    def load(folder):
        """The layout of the cluster in a folder, or None if the folder has no cluster."""
        try:
            record = json.loads((folder / "cluster.json").read_text())
        except FileNotFoundError:
            return None
        return Layout(**(record | {"folder": folder}))
