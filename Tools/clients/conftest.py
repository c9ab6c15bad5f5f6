"""What the tests of the clients share: a service that runs while they do, and a store for each test."""

import itertools
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from muniment import Client
from muniment.changes import define_class, grant, register

PACKAGE = pathlib.Path(__file__).parents[2]


@dataclass(frozen=True)
class Service:
    address: str
    #: A token with all rights.
    token: str
    data: pathlib.Path


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    tool = os.environ.get("MUNIMENT_TOOL", PACKAGE / ".build" / "debug" / "muniment")
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data"
        accounts = pathlib.Path(folder) / "accounts.json"
        accounts.write_text('{"mail":{"outbox":"outbox"}}')
        command = [str(tool), "serve", "--data", str(data), "--accounts", str(accounts), "--listen", "127.0.0.1:0"]
        with open(pathlib.Path(folder) / "log", "w") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            assert words[:2] == ["listening", "on"], (pathlib.Path(folder) / "log").read_text()
            process.stdout.readline()
            yield Service(words[2], (data / ".muniment" / "first-token").read_text().strip(), data)
        finally:
            process.terminate()
            process.wait(1200)


_numbers = itertools.count(1)


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    """A client of a store of its own, with the class `doc` and the users Ann and Bob, who may read its objects if they are shared."""
    store = f"store-{next(_numbers)}"
    with Client(service.address, token=service.token, store=store) as client:
        client.create_store(store)
        client.commit(
            [
                define_class("doc", properties=["pages"]),
                register("user:ann"),
                register("user:bob"),
                grant("everyone", ["read", "query"], "store"),
                grant("everyone", ["read", "query"], "class:doc"),
            ],
            as_="user:root",
        )
        yield client
