"""The asynchronous client has the methods of the blocking one, and the same results."""

import asyncio
import inspect

import pytest

from conftest import Service
from muniment import AsyncClient, Client, errors
from muniment.changes import create_object, grant, revoke

ROOT = "user:root"


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(value).parameters) for name, value in vars(client).items() if not name.startswith("_")
        }

    assert methods(Client) == methods(AsyncClient)
    assert "at_least" in methods(Client)["check"] and Client.check.__doc__


def test_calls_lists_and_feeds(service: Service, client: Client) -> None:
    async def run() -> None:
        async with AsyncClient(service.address, token=service.token, store=client.store) as user:
            objects = [f"doc:{number}" for number in range(5)]
            changes = [change for object in objects for change in [create_object(object), grant("user:bob", "read", object)]]
            await user.commit(changes, as_=ROOT)
            checks = await asyncio.gather(*(user.check("user:bob", "read", object) for object in objects))
            assert all(check.allowed for check in checks)
            assert [object async for object in user.what("user:bob", "read", limit=2)] == objects
            assert [len(page.items) async for page in user.what("user:bob", "read", limit=2).pages()] == [2, 2, 1]
            with pytest.raises(errors.NotFoundError):
                await user.read_object("doc:none", as_=ROOT)

            feed = user.notice_feed("user:bob", after=0)
            assert sorted([(await anext(feed)).data.object for _ in objects]) == objects
            waiting = asyncio.ensure_future(feed.__anext__())
            await user.commit([revoke("user:bob", "doc:3")], as_=ROOT)
            assert (await waiting).data.kind == "madeInaccessible"
            await feed.aclose()

    asyncio.run(run())
