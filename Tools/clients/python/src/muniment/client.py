"""The clients: `Client` for blocking code, and `AsyncClient` for code with asyncio.

Both have the same methods. `operations` defines each with its arguments; here it gets its way of sending.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Coroutine, Generator, Iterable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from . import operations
from ._exchange import Configuration, RetryPolicy, Steps, exchange, failure
from ._feed import FeedReader
from ._requests import FeedRequest, ListRequest, Request
from .errors import MunimentError
from .models import FeedEvent, Page

P = ParamSpec("P")
T = TypeVar("T")


class Items(Iterable[T]):
    """A list of the service. Iterating requests its pages one after another, all about the same moment."""

    def __init__(self, client: Client, request: ListRequest[T]) -> None:
        self._client, self._request = client, request

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.items

    def pages(self) -> Iterator[Page[T]]:
        """Yields the pages, each with its revision."""
        page = self._client.send(self._request.first)
        yield page
        while page.next is not None:
            page = self._client.send(self._request.after(page.next))
            yield page


class AsyncItems(AsyncIterable[T]):
    """A list of the service. Iterating requests its pages one after another, all about the same moment."""

    def __init__(self, client: AsyncClient, request: ListRequest[T]) -> None:
        self._client, self._request = client, request

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[T]]:
        """Yields the pages, each with its revision."""
        page = await self._client.send(self._request.first)
        yield page
        while page.next is not None:
            page = await self._client.send(self._request.after(page.next))
            yield page


def _call(make: Callable[P, Request[T]]) -> Callable[Concatenate[Client, P], T]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(make(*args, **kwargs))

    return call


def _list(make: Callable[P, ListRequest[T]]) -> Callable[Concatenate[Client, P], Items[T]]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Items[T]:
        return Items(self, make(*args, **kwargs))

    return call


def _feed(make: Callable[P, FeedRequest[T]]) -> Callable[Concatenate[Client, P], Generator[FeedEvent[T], None, None]]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Generator[FeedEvent[T], None, None]:
        return self.follow(make(*args, **kwargs))

    return call


def _async_call(make: Callable[P, Request[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @functools.wraps(make)
    async def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(make(*args, **kwargs))

    return call


def _async_list(make: Callable[P, ListRequest[T]]) -> Callable[Concatenate[AsyncClient, P], AsyncItems[T]]:
    @functools.wraps(make)
    def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncItems[T]:
        return AsyncItems(self, make(*args, **kwargs))

    return call


def _async_feed(
    make: Callable[P, FeedRequest[T]]
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[FeedEvent[T], None]]:
    @functools.wraps(make)
    def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[FeedEvent[T], None]:
        return self.follow(make(*args, **kwargs))

    return call


class _Client:
    """What both clients have."""

    def __init__(self, address: str, token: str | None, store: str, retry: RetryPolicy | None, timeout: float) -> None:
        self._configuration = Configuration(address, store, token, timeout, retry or RetryPolicy())

    @property
    def store(self) -> str:
        """The store that the methods are about."""
        return self._configuration.store


class Client(_Client):
    """A client of one store of a service, for blocking code. It can be used by several threads at the same time."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        store: str = "default",
        retry: RetryPolicy | None = None,
        timeout: float = 30.0,
        http: httpx.Client | None = None,
    ) -> None:
        """
        :param address: the address of the service, such as `http://127.0.0.1:8080`.
        :param token: a token of the service; without one, the caller is `anonymous`.
        :param store: the store that the methods are about.
        :param retry: when requests are repeated.
        :param timeout: the longest wait for a response, in seconds.
        :param http: a client of httpx to use, for example with a proxy. Closing this client does not close it.
        """
        super().__init__(address, token, store, retry, timeout)
        self._http = http or httpx.Client()
        self._is_owner = http is None

    def close(self) -> None:
        """Closes the connections."""
        if self._is_owner:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, request: Request[T]) -> T:
        """Sends a request of `operations`, and returns its result."""
        steps: Steps[T] = exchange(self._configuration, request)
        outcome: httpx.Response | httpx.RequestError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, float):
                time.sleep(step)
                outcome = None
                continue
            try:
                outcome = self._http.send(step)
            except httpx.RequestError as error:
                outcome = error

    def follow(self, request: FeedRequest[T]) -> Generator[FeedEvent[T], None, None]:
        """Yields the events of a feed, over any number of connections."""
        reader = FeedReader(self._configuration, request)
        while True:
            error: MunimentError | None = None
            try:
                response = self._http.send(reader.request(), stream=True)
                try:
                    if response.is_success:
                        for content in response.iter_bytes():
                            yield from reader.receive(content)
                    else:
                        response.read()
                        error = failure(response)
                finally:
                    response.close()
            except httpx.RequestError as cause:
                error = failure(cause)
            time.sleep(reader.wait(error))

    check = _call(operations.check)
    batch_check = _call(operations.batch_check)
    privileges = _call(operations.privileges)
    explain = _call(operations.explain)
    who = _list(operations.who)
    what = _list(operations.what)
    query = _list(operations.query)
    entries = _list(operations.entries)
    members = _list(operations.members)
    administrators = _call(operations.administrators)
    commit = _call(operations.commit)
    commit_each = _call(operations.commit_each)
    what_if = _call(operations.what_if)
    read_object = _call(operations.read_object)
    create_object = _call(operations.create_object)
    write_object = _call(operations.write_object)
    merge_object = _call(operations.merge_object)
    delete_object = _call(operations.delete_object)
    history = _list(operations.history)
    diff = _list(operations.diff)
    notices = _list(operations.notices)
    audit = _list(operations.audit)
    audit_access = _list(operations.audit_access)
    export = _call(operations.export)
    notice_feed = _feed(operations.notice_feed)
    commit_feed = _feed(operations.commit_feed)
    stores = _call(operations.stores)
    create_store = _call(operations.create_store)
    statistics = _call(operations.statistics)
    verify = _call(operations.verify)


class AsyncClient(_Client):
    """A client of one store of a service, for code with asyncio."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        store: str = "default",
        retry: RetryPolicy | None = None,
        timeout: float = 30.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """See `Client`."""
        super().__init__(address, token, store, retry, timeout)
        self._http = http or httpx.AsyncClient()
        self._is_owner = http is None

    async def close(self) -> None:
        """Closes the connections."""
        if self._is_owner:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def send(self, request: Request[T]) -> T:
        """Sends a request of `operations`, and returns its result."""
        steps: Steps[T] = exchange(self._configuration, request)
        outcome: httpx.Response | httpx.RequestError | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, float):
                await asyncio.sleep(step)
                outcome = None
                continue
            try:
                outcome = await self._http.send(step)
            except httpx.RequestError as error:
                outcome = error

    async def follow(self, request: FeedRequest[T]) -> AsyncGenerator[FeedEvent[T], None]:
        """Yields the events of a feed, over any number of connections."""
        reader = FeedReader(self._configuration, request)
        while True:
            error: MunimentError | None = None
            try:
                response = await self._http.send(reader.request(), stream=True)
                try:
                    if response.is_success:
                        async for content in response.aiter_bytes():
                            for event in reader.receive(content):
                                yield event
                    else:
                        await response.aread()
                        error = failure(response)
                finally:
                    await response.aclose()
            except httpx.RequestError as cause:
                error = failure(cause)
            await asyncio.sleep(reader.wait(error))

    check = _async_call(operations.check)
    batch_check = _async_call(operations.batch_check)
    privileges = _async_call(operations.privileges)
    explain = _async_call(operations.explain)
    who = _async_list(operations.who)
    what = _async_list(operations.what)
    query = _async_list(operations.query)
    entries = _async_list(operations.entries)
    members = _async_list(operations.members)
    administrators = _async_call(operations.administrators)
    commit = _async_call(operations.commit)
    commit_each = _async_call(operations.commit_each)
    what_if = _async_call(operations.what_if)
    read_object = _async_call(operations.read_object)
    create_object = _async_call(operations.create_object)
    write_object = _async_call(operations.write_object)
    merge_object = _async_call(operations.merge_object)
    delete_object = _async_call(operations.delete_object)
    history = _async_list(operations.history)
    diff = _async_list(operations.diff)
    notices = _async_list(operations.notices)
    audit = _async_list(operations.audit)
    audit_access = _async_list(operations.audit_access)
    export = _async_call(operations.export)
    notice_feed = _async_feed(operations.notice_feed)
    commit_feed = _async_feed(operations.commit_feed)
    stores = _async_call(operations.stores)
    create_store = _async_call(operations.create_store)
    statistics = _async_call(operations.statistics)
    verify = _async_call(operations.verify)
