"""What exists, what ends, and what a subject had, against a service."""

import asyncio
from datetime import datetime, timezone

import pytest

from conftest import Service
from muniment import AsyncClient, Client, errors
from muniment.changes import add_member, create_object, create_role, grant, revoke

ROOT = "user:root"
UNTIL = datetime(2999, 1, 1, tzinfo=timezone.utc)


def share(client: Client) -> None:
    client.commit(
        [create_role("editors"), add_member("role:editors", "user:ann"), create_object("doc:plan"), create_object("doc:map"),
         grant("role:editors", "read", "doc:plan", until=UNTIL)], as_=ROOT)


def test_names_are_listed_and_described(client: Client) -> None:
    share(client)
    assert list(client.names(class_="doc", limit=1)) == ["doc:map", "doc:plan"]
    assert list(client.names(prefix="doc:", contains="PLA")) == ["doc:plan"]
    plan = client.describe("doc:plan")
    assert (plan.class_, plan.owner, plan.has_children, plan.members_) == ("doc", ROOT, False, None)
    assert client.describe("role:editors").members_ == ["user:ann"]
    assert client.describe("user:ann").roles == ["role:editors"]
    options = client.describe("class:doc").options
    assert options is not None and options["properties"] == ["pages"]
    with pytest.raises(errors.NotFoundError):
        client.describe("doc:none")


def test_the_next_ends_are_listed(client: Client) -> None:
    share(client)
    (end,) = client.ends()
    assert (end.subject, end.object, end.until) == ("role:editors", "doc:plan", UNTIL)


def test_the_caller_is_described(client: Client) -> None:
    caller = client.caller()
    assert (caller.right, caller.queries_all, caller.principal, caller.until) == ("administer", True, None, None)
    assert caller.credential.startswith("token ")


def test_the_audit_has_changes_and_the_access_of_a_subject(service: Service, client: Client) -> None:
    share(client)
    client.commit([revoke("role:editors", "doc:plan")], as_=ROOT, comment="over")
    begin, end = client.audit_changes("user:ann", "read", "doc:plan")
    assert begin.gained and begin.actor == ROOT and begin.events[-1].event is not None
    assert not end.gained and end.comment == "over" and end.revision == client.statistics().revision
    assert list(client.audit_changes("user:ann", "read", "doc:plan", limit=1)) == [begin, end]
    assert list(client.audit_changes("user:ann", ["read"], "doc:plan", from_=end.revision, to=end.revision)) != [begin, end]

    (access,) = client.audit_subject("user:ann", at=begin.revision)
    assert access.known and not access.administrator and [role.role for role in access.roles] == ["role:editors"]
    assert [(held.name, held.privileges) for held in access.objects] == [("doc:plan", ["read"])]
    parts = list(client.audit_subject("user:ann", at=begin.revision, limit=1))
    assert len(parts) > 1 and [held.name for part in parts for held in part.objects] == ["doc:plan"]

    async def run() -> None:
        async with AsyncClient(service.address, token=service.token, store=client.store) as user:
            now = client.statistics().time
            assert await user.describe("doc:plan", at=now) == client.describe("doc:plan", at=now)
            assert [name async for name in user.names(class_="doc")] == ["doc:map", "doc:plan"]
            assert await user.caller() == client.caller() and await user.ends() == []
            assert [change async for change in user.audit_changes("user:ann", "read", "doc:plan")] == [begin, end]
            assert [part async for part in user.audit_subject("user:ann", at=begin.revision)] == [access]

    asyncio.run(run())
