"""How feeds end and continue: when they are closed, cancelled, or lose the service."""

import asyncio
import inspect
import threading
import time
from collections.abc import Callable

import httpx
import pytest

from conftest import Service
from muniment import AsyncClient, Client, Feed, RetryPolicy, TransportError, errors, models
from muniment.changes import create_object, grant

ROOT = "user:root"
FAST = RetryPolicy(max_retries=1, min_wait_seconds=0, max_wait_seconds=0.01)
EVENT = (
    'retry: 1\n\nid: 4\ndata: {"type":"muniment.commit","time":"2026-01-01T00:00:00Z","data":'
    '{"revision":4,"time":"2026-01-01T00:00:00Z","actor":null,"events":[]}}\n\n'
)


def share(client: Client, object: str) -> None:
    client.commit([create_object(object), grant("user:bob", "read", object)], as_=ROOT)


def end_in_another_thread(feed: Feed[models.Notice], stop: Callable[[], None]) -> None:
    """Checks that an iteration that waits for an event ends with `stop`."""
    ends: list[object] = []
    assert next(feed).data.kind == "shared"

    def follow() -> None:
        try:
            ends.append(next(feed, "end"))
        except BaseException as error:
            ends.append(error)

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    while feed._steps is None or inspect.getgeneratorstate(feed._steps) != inspect.GEN_RUNNING:
        time.sleep(0.001)
    stop()
    thread.join(1200)
    assert not thread.is_alive() and ends == ["end"] and next(feed, "end") == "end"


def test_closing_a_feed_ends_its_iteration_in_another_thread(client: Client) -> None:
    share(client, "doc:plan")
    feed = client.notice_feed("user:bob", after=0)
    end_in_another_thread(feed, feed.close)
    assert client.stores()


def test_closing_a_client_ends_its_feeds_in_other_threads(service: Service, client: Client) -> None:
    share(client, "doc:plan")
    other = Client(service.address, token=service.token, store=client.store)
    end_in_another_thread(other.notice_feed("user:bob", after=0), other.close)


def test_closing_a_feed_ends_its_wait_for_the_service() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(503, text="away", headers={"Retry-After": "3600"}))
    client = Client("http://service", http=httpx.Client(transport=transport))
    feed = client.commit_feed()
    thread = threading.Thread(target=lambda: next(feed, None), daemon=True)
    thread.start()
    client.close()
    thread.join(1200)
    assert not thread.is_alive()


class Away(httpx.BaseTransport):
    """Sends one event, then cannot be reached for some connections, and then rejects the caller."""

    def __init__(self, failures: int) -> None:
        self.failures, self.connections = failures, 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.connections += 1
        if self.connections == 1:
            return httpx.Response(200, text=EVENT, headers={"Content-Type": "text/event-stream"})
        assert request.headers["Last-Event-ID"] == "4"
        if self.connections <= self.failures:
            raise httpx.ConnectError("refused")
        if self.connections == self.failures + 1:
            return httpx.Response(502, text="<html>", headers={"Content-Type": "text/html"})
        return httpx.Response(401, json={"type": "/problems/unauthenticated"}, headers={"Content-Type": "application/problem+json"})


def test_an_open_feed_reconnects_without_limit_until_the_service_rejects_it() -> None:
    transport = Away(failures=40)
    feed = Client("http://service", retry=FAST, http=httpx.Client(transport=transport)).commit_feed()
    assert next(feed).id == "4"
    with pytest.raises(errors.UnauthenticatedError):
        next(feed)
    assert transport.connections == 42
    with pytest.raises(errors.UnauthenticatedError):
        next(feed)


def test_a_feed_that_was_never_open_ends_with_the_retry_policy() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(TransportError):
        next(Client("http://service", retry=FAST, http=httpx.Client(transport=httpx.MockTransport(refuse))).commit_feed())


def test_a_page_of_another_service_is_not_a_feed() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, html="<p>"))
    with pytest.raises(errors.ResponseError, match="not a feed"):
        next(Client("http://service", http=httpx.Client(transport=transport)).commit_feed())


def test_an_asynchronous_feed_continues_after_a_cancelled_wait(service: Service, client: Client) -> None:
    async def run() -> None:
        async with AsyncClient(service.address, token=service.token, store=client.store) as user:
            feed = user.notice_feed("user:bob", after=0)
            share(client, "doc:a")
            assert (await anext(feed)).data.object == "doc:a"
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(anext(feed), 0.2)
            share(client, "doc:b")
            assert (await asyncio.wait_for(anext(feed), 1200)).data.object == "doc:b"
            await feed.aclose()
            assert [event async for event in feed] == []

    asyncio.run(run())


def test_closing_an_asynchronous_client_ends_its_feeds(service: Service, client: Client) -> None:
    async def run() -> None:
        user = AsyncClient(service.address, token=service.token, store=client.store)
        feed = user.notice_feed("user:bob", after=0)
        share(client, "doc:a")
        await anext(feed)

        async def follow() -> list[object]:
            return [event async for event in feed]

        waiting = asyncio.create_task(follow())
        while feed._step is None:
            await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="another task"):
            await anext(feed)
        await user.close()
        assert await asyncio.wait_for(waiting, 1200) == []

    asyncio.run(run())
