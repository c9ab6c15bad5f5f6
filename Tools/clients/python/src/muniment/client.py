"""The clients: `Client` for blocking code, and `AsyncClient` for code with asyncio.

Both have the same methods. `operations`, `audits` and `descriptions` define each with its arguments; here it gets its way of sending.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import time
import weakref
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import httpx

from . import audits, descriptions, operations
from ._exchange import Configuration, RetryPolicy, Steps, exchange
from ._feed import FeedReader
from ._pools import ProcessPools
from ._requests import FeedRequest, ListRequest, Request
from .errors import TransportError
from .feeds import AsyncFeed, Feed
from .models import Page

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., Any])


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


def _method(client: str, kind: str, make: Callable[..., Any], call: C) -> C:
    """Gives a method the name and signature that editors and mocks see: `self`, the arguments of `make`, and the result."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    signature = inspect.signature(make)
    result = kind.format(str(signature.return_annotation).partition("[")[2].removesuffix("]"))
    parameters = [own, *signature.parameters.values()]
    members = {"__signature__": signature.replace(parameters=parameters, return_annotation=result), "__module__": __name__}
    for name, value in members.items():
        setattr(call, name, value)
    call.__qualname__ = f"{client}.{make.__name__}"
    call.__annotations__ = {**call.__annotations__, "return": result}
    return call


def _call(make: Callable[P, Request[T]]) -> Callable[Concatenate[Client, P], T]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(make(*args, **kwargs))

    return _method("Client", "{}", make, call)


def _list(make: Callable[P, ListRequest[T]]) -> Callable[Concatenate[Client, P], Items[T]]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Items[T]:
        return Items(self, make(*args, **kwargs))

    return _method("Client", "Items[{}]", make, call)


def _feed(make: Callable[P, FeedRequest[T]]) -> Callable[Concatenate[Client, P], Feed[T]]:
    @functools.wraps(make)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> Feed[T]:
        return self.follow(make(*args, **kwargs))

    return _method("Client", "Feed[{}]", make, call)


def _async_call(make: Callable[P, Request[T]]) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    @functools.wraps(make)
    async def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(make(*args, **kwargs))

    return _method("AsyncClient", "{}", make, call)


def _async_list(make: Callable[P, ListRequest[T]]) -> Callable[Concatenate[AsyncClient, P], AsyncItems[T]]:
    @functools.wraps(make)
    def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncItems[T]:
        return AsyncItems(self, make(*args, **kwargs))

    return _method("AsyncClient", "AsyncItems[{}]", make, call)


def _async_feed(make: Callable[P, FeedRequest[T]]) -> Callable[Concatenate[AsyncClient, P], AsyncFeed[T]]:
    @functools.wraps(make)
    def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> AsyncFeed[T]:
        return self.follow(make(*args, **kwargs))

    return _method("AsyncClient", "AsyncFeed[{}]", make, call)


class _Client:
    """What both clients have."""

    def __init__(self, address: str, token: str | None, store: str, retry: RetryPolicy | None, timeout: float) -> None:
        self._configuration = Configuration.of(address, store, token, timeout, retry or RetryPolicy())

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
        :param timeout: the longest wait in seconds for a connection, and for the next bytes of a response, at each attempt.
        :param http: a client of httpx to use, for example with a proxy. Closing this client does not close it. Feeds use its connections.
        :raises ValueError: if the address is not a URL, or the token is empty or not ASCII.
        """
        super().__init__(address, token, store, retry, timeout)
        self._pools = ProcessPools(httpx.Client, http)
        self._feeds: weakref.WeakValueDictionary[int, Feed[Any]] = weakref.WeakValueDictionary()

    def close(self) -> None:
        """Ends the feeds, also those that wait in other threads, and closes the connections."""
        for reference in self._feeds.valuerefs():
            feed = reference()
            if feed is not None:
                feed.close()
        for http in self._pools.owned():
            http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, request: Request[T]) -> T:
        """Sends a request of `operations`, and returns its result."""
        http = self._pools.current().calls
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
                outcome = http.send(step)
            except httpx.RequestError as error:
                outcome = error
            except RuntimeError as error:
                if not http.is_closed:
                    raise
                raise TransportError("the client is closed") from error

    def follow(self, request: FeedRequest[T]) -> Feed[T]:
        """Yields the events of a feed, over any number of connections."""
        feed = Feed(lambda: self._pools.current().feeds, FeedReader(self._configuration, request))
        self._feeds[id(feed)] = feed
        return feed

    check = _call(operations.check)
    batch_check = _call(operations.batch_check)
    privileges = _call(operations.privileges)
    explain = _call(operations.explain)
    explain_several = _call(operations.explain_several)
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
    audit = _list(audits.audit)
    audit_access = _list(audits.audit_access)
    audit_changes = _list(audits.audit_changes)
    audit_subject = _list(audits.audit_subject)
    names = _list(descriptions.names)
    describe = _call(descriptions.describe)
    ends = _call(descriptions.ends)
    caller = _call(descriptions.caller)
    export = _call(operations.export)
    notice_feed = _feed(operations.notice_feed)
    commit_feed = _feed(operations.commit_feed)
    change_feed = _feed(operations.change_feed)
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
        self._pools = ProcessPools(httpx.AsyncClient, http)
        self._feeds: weakref.WeakValueDictionary[int, AsyncFeed[Any]] = weakref.WeakValueDictionary()

    async def close(self) -> None:
        """Ends the feeds, also those that wait in other tasks, and closes the connections."""
        for reference in self._feeds.valuerefs():
            feed = reference()
            if feed is not None:
                await feed.aclose()
        for http in self._pools.owned():
            await http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def send(self, request: Request[T]) -> T:
        """Sends a request of `operations`, and returns its result."""
        http = self._pools.current().calls
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
                outcome = await http.send(step)
            except httpx.RequestError as error:
                outcome = error
            except RuntimeError as error:
                if not http.is_closed:
                    raise
                raise TransportError("the client is closed") from error

    def follow(self, request: FeedRequest[T]) -> AsyncFeed[T]:
        """Yields the events of a feed, over any number of connections."""
        feed = AsyncFeed(lambda: self._pools.current().feeds, FeedReader(self._configuration, request))
        self._feeds[id(feed)] = feed
        return feed

    check = _async_call(operations.check)
    batch_check = _async_call(operations.batch_check)
    privileges = _async_call(operations.privileges)
    explain = _async_call(operations.explain)
    explain_several = _async_call(operations.explain_several)
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
    audit = _async_list(audits.audit)
    audit_access = _async_list(audits.audit_access)
    audit_changes = _async_list(audits.audit_changes)
    audit_subject = _async_list(audits.audit_subject)
    names = _async_list(descriptions.names)
    describe = _async_call(descriptions.describe)
    ends = _async_call(descriptions.ends)
    caller = _async_call(descriptions.caller)
    export = _async_call(operations.export)
    notice_feed = _async_feed(operations.notice_feed)
    commit_feed = _async_feed(operations.commit_feed)
    change_feed = _async_feed(operations.change_feed)
    stores = _async_call(operations.stores)
    create_store = _async_call(operations.create_store)
    statistics = _async_call(operations.statistics)
    verify = _async_call(operations.verify)
