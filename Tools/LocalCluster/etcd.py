"""The three etcd servers, in which Patroni keeps who leads."""

import json

from . import processes
from .network import inside


def start(layout, machine):
    """Starts one etcd server, with the data that it has."""
    members = ",".join(f"{other.name}=http://{other.address}:2380" for other in layout.etcds)
    command = ["/usr/bin/etcd", "--name", machine.name, "--data-dir", machine.disk / "data"]
    command += ["--listen-peer-urls", f"http://{machine.address}:2380"]
    command += ["--initial-advertise-peer-urls", f"http://{machine.address}:2380"]
    command += ["--listen-client-urls", f"http://{machine.address}:2379,http://127.0.0.1:2379"]
    command += ["--advertise-client-urls", f"http://{machine.address}:2379"]
    command += ["--initial-cluster", members, "--initial-cluster-token", "muniment", "--enable-v2=true"]
    # Without compaction, the history of Patroni's updates would fill the disk.
    command += ["--auto-compaction-mode", "periodic", "--auto-compaction-retention", "10m", "--log-level", "warn", "--logger", "zap"]
    processes.start(layout, machine, "etcd", command)


def is_healthy(machine):
    """Whether the server answers with a quorum."""
    try:
        inside(machine, "env", "ETCDCTL_API=3", "etcdctl", "--endpoints=http://127.0.0.1:2379", "endpoint", "health", timeout=8)
        return True
    except Exception:
        return False


def leader(machine):
    """Whether the server leads the etcd cluster, or None if it does not answer."""
    try:
        output = inside(
            machine, "env", "ETCDCTL_API=3", "etcdctl", "--endpoints=http://127.0.0.1:2379", "endpoint", "status", "-w", "json", timeout=8
        )
        status = json.loads(output)[0]["Status"]
        return status["leader"] == status["header"]["member_id"]
    except Exception:
        return None
