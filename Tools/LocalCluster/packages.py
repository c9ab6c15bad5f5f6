"""Installs the Debian packages that a cluster needs, without starting the services of these packages."""

import os
import subprocess
from pathlib import Path

from .layout import REPOSITORY, Failure
from .shell import succeeds

NETWORK = ["iproute2", "nftables", "util-linux"]
DATABASE = ["postgresql-15", "patroni", "python3-etcd", "etcd-server", "etcd-client"]

POLICY = Path("/usr/sbin/policy-rc.d")
CREATE_CLUSTER = Path("/etc/postgresql-common/createcluster.d/muniment.conf")


def is_installed(package):
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Status}", package], capture_output=True, text=True)
    return done.stdout == "install ok installed"


def install(packages):
    """Installs missing packages by Tools/prepare.

    Debian starts a service when its package is installed, and creates a first PostgreSQL cluster. Both are prevented for the time of
    the installation. An existing `policy-rc.d` stays as it is: such a machine has rules of its own.
    """
    missing = [package for package in packages if not is_installed(package)]
    if not missing:
        return
    has_policy = POLICY.exists() or POLICY.is_symlink()
    try:
        if not has_policy:
            POLICY.write_text("#!/bin/sh\nexit 101\n")
            POLICY.chmod(0o755)
        CREATE_CLUSTER.parent.mkdir(parents=True, exist_ok=True)
        CREATE_CLUSTER.write_text("create_main_cluster = false\n")
        done = subprocess.run([str(REPOSITORY / "Tools" / "prepare"), *missing])
        if done.returncode != 0:
            raise Failure("Tools/prepare could not install the packages; its messages are above")
    finally:
        CREATE_CLUSTER.unlink(missing_ok=True)
        if not has_policy:
            POLICY.unlink(missing_ok=True)
    # The services must not start with the machine either. On a machine without systemd there is nothing to do.
    if os.path.isdir("/run/systemd/system"):
        for package, unit in (("etcd-server", "etcd"), ("patroni", "patroni"), ("postgresql-15", "postgresql")):
            if package in missing:
                succeeds("systemctl", "disable", unit)
