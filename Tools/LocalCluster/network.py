"""Network namespaces, the bridge that joins them, and cuts of links.

A cut drops packets by nftables inside the namespace of a machine: those that arrive from another machine, so that a link can be cut in
one direction, or all of them in both directions at once.
"""

import ctypes
import os

from .layout import Failure
from .shell import run

CLONE_NEWNET = 0x40000000

RULES = """
table ip cuts {
    set from { type ipv4_addr; }
    set to { type ipv4_addr; }
    chain input {
        type filter hook input priority 0; policy accept;
        ip saddr @from drop
    }
    chain output {
        type filter hook output priority 0; policy accept;
        ip daddr @to drop
    }
}
"""


def bridge_exists(number):
    return os.path.exists(f"/sys/class/net/muniment{number}")


def create(layout):
    """Creates the namespaces of all machines, and connects each to the bridge."""
    if not bridge_exists(layout.number):
        run("ip", "link", "add", layout.bridge, "type", "bridge")
    run("ip", "address", "replace", f"{layout.host_address}/24", "dev", layout.bridge)
    run("ip", "link", "set", layout.bridge, "up")
    for machine in layout.machines:
        run("ip", "netns", "add", machine.namespace)
        run("ip", "link", "add", machine.veth, "type", "veth", "peer", "name", "eth0", "netns", machine.namespace)
        run("ip", "link", "set", machine.veth, "master", layout.bridge, "up")
        inside(machine, "ip", "address", "add", f"{machine.address}/24", "dev", "eth0")
        inside(machine, "ip", "link", "set", "lo", "up")
        inside(machine, "ip", "link", "set", "eth0", "up")
        inside(machine, "nft", "-f", "-", text=RULES)


def remove(layout):
    """Removes the bridge and every namespace with the number of the cluster, also after a start that was interrupted."""
    for namespace in namespaces(layout):
        run("ip", "netns", "delete", namespace, check=False)
    for name in os.listdir("/sys/class/net"):
        if name.startswith(f"mu{layout.number}-"):
            run("ip", "link", "delete", name, check=False)
    if bridge_exists(layout.number):
        run("ip", "link", "delete", layout.bridge)


def namespaces(layout):
    """The names of the namespaces of the cluster that exist."""
    try:
        names = os.listdir("/run/netns")
    except FileNotFoundError:
        return []
    return sorted(name for name in names if name.startswith(f"muniment{layout.number}-"))


def inside(machine, *command, **options):
    """Runs a command in the network of a machine."""
    return run("ip", "netns", "exec", machine.namespace, *command, **options)


def enter(machine):
    """Moves the calling thread into the network of a machine. Its new sockets belong there; other threads stay where they are."""
    library = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{machine.namespace}") as namespace:
        if library.setns(namespace.fileno(), CLONE_NEWNET) != 0:
            raise Failure(f"cannot enter the network of {machine}: {os.strerror(ctypes.get_errno())}")


def cut(sender, receiver):
    """Drops the packets from one machine to another."""
    inside(receiver, "nft", "add", "element", "ip", "cuts", "from", f"{{ {sender.address} }}")


def mend(sender, receiver):
    """Lets the packets from one machine to another pass again."""
    inside(receiver, "nft", "delete", "element", "ip", "cuts", "from", f"{{ {sender.address} }}", check=False)


def isolate(machine, others):
    """Drops all packets between one machine and others, at once."""
    addresses = ", ".join(other.address for other in others)
    rules = "".join(f"add element ip cuts {name} {{ {addresses} }}\n" for name in ("from", "to"))
    inside(machine, "nft", "-f", "-", text=rules)


def join(machine):
    """Lets all packets of a machine pass again."""
    inside(machine, "nft", "-f", "-", text="flush set ip cuts from\nflush set ip cuts to\n")


def mend_all(layout):
    """Ends every cut."""
    for machine in layout.machines:
        join(machine)
