"""Live feeds: iterators of events over any number of connections."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from typing import Any, TypeVar

import httpx

from ._exchange import failure
from ._feed import FeedReader
from .errors import MunimentError
from .models import FeedEvent

T = TypeVar("T")


class _Connection:
    """The connection of a blocking feed, which any thread can end."""

    def __init__(self) -> None:
        self.closed = threading.Event()
        self._stream: Any = None

    def use(self, stream: Any) -> None:
        """Keeps the network stream of httpx that the feed reads; None if it reads none."""
        self._stream = stream
        if self.closed.is_set():
            self._shut_down()

    def trace(self, name: str, info: dict[str, Any]) -> None:
        """Keeps the stream of a new connection. httpx calls this while it sends a request."""
        if name.endswith((".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")):
            self.use(info["return_value"])

    def close(self) -> None:
        """Ends a wait of the feed, and a read of its socket."""
        self.closed.set()
        self._shut_down()

    def _shut_down(self) -> None:
        stream = self._stream
        connected = None if stream is None else stream.get_extra_info("socket")
        if isinstance(connected, socket.socket):
            try:
                # Not the method of `SSLSocket`, which changes an object that another thread uses.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)
            except OSError:
                pass  # The connection has ended already.


class _Process:
    """The process that opened a feed."""

    def __init__(self) -> None:
        self._id = os.getpid()

    @property
    def is_current(self) -> bool:
        return self._id == os.getpid()

    def require(self) -> None:
        if not self.is_current:
            raise MunimentError(
                "this feed belongs to the parent process. Open a new feed here, with `after` set to the `id` of the last event.")


class Feed(Iterator[FeedEvent[T]]):
    """The events of a live feed. It is used by one thread; any thread can close it.

    `close` ends an iteration that waits in another thread. After an error, the next request for an event connects again.
    """

    def __init__(self, http: Callable[[], httpx.Client], reader: FeedReader[T]) -> None:
        self._http, self._reader = http, reader
        self._connection = _Connection()
        self._process = _Process()
        self._events: deque[FeedEvent[T]] = deque()
        self._steps: Generator[None, None, None] | None = None

    def __next__(self) -> FeedEvent[T]:
        self._process.require()
        while not self._connection.closed.is_set():
            if self._events:
                return self._events.popleft()
            if self._steps is None:
                self._steps = _receive(self._http(), self._reader, self._events, self._connection)
            try:
                next(self._steps)
            except BaseException as error:
                self._steps = None
                # The end of the connection is an error, unless this feed has caused it.
                if not (self._connection.closed.is_set() and isinstance(error, Exception)):
                    raise
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Ends the feed, and closes its connection."""
        if not self._process.is_current:
            return  # The connection is the one of the parent process.
        self._connection.close()
        steps = self._steps
        if steps is not None:
            try:
                steps.close()
            except ValueError:
                pass  # Another thread is in `__next__`, and closes the connection.

    def __enter__(self) -> Feed[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _receive(
    http: httpx.Client, reader: FeedReader[T], events: deque[FeedEvent[T]], connection: _Connection
) -> Generator[None, None, None]:
    """Adds events, and yields whenever bytes have arrived. Not a method of `Feed`: a feed that nobody uses is then closed at once."""
    while not connection.closed.is_set():
        error: MunimentError | None = None
        request = reader.request()
        request.extensions = {**request.extensions, "trace": connection.trace}
        try:
            response = http.send(request, stream=True)
            try:
                # A connection of HTTP/2 has the requests of others, too.
                connection.use(None if response.http_version == "HTTP/2" else response.extensions.get("network_stream"))
                if response.is_success:
                    reader.accept(response)
                    for content in response.iter_bytes():
                        events.extend(reader.receive(content))
                        yield
                else:
                    response.read()
                    error = failure(response)
            finally:
                connection.use(None)
                response.close()
        except httpx.RequestError as cause:
            error = failure(cause)
        if not connection.closed.is_set():
            connection.closed.wait(reader.wait(error))


class AsyncFeed(AsyncIterator[FeedEvent[T]]):
    """The events of a live feed. One task requests events; any task can close the feed.

    `aclose` ends an iteration that waits in another task. After a cancellation or an error, the next request for an event connects
    again, after the last event.
    """

    def __init__(self, http: Callable[[], httpx.AsyncClient], reader: FeedReader[T]) -> None:
        self._http, self._reader = http, reader
        self._is_closed = False
        self._process = _Process()
        self._events: deque[FeedEvent[T]] = deque()
        self._steps: AsyncGenerator[None, None] | None = None
        self._step: asyncio.Future[None] | None = None

    async def __anext__(self) -> FeedEvent[T]:
        self._process.require()
        if self._step is not None:
            raise RuntimeError("another task waits for an event of this feed. Open a feed for each task.")
        while not self._is_closed:
            if self._events:
                return self._events.popleft()
            await self._receive_more()
        raise StopAsyncIteration

    async def _receive_more(self) -> None:
        if self._steps is None:
            self._steps = _receive_async(self._http(), self._reader, self._events)
        # A task of its own, so that `aclose` ends the wait without cancelling the caller.
        self._step = step = asyncio.ensure_future(self._steps.__anext__())
        try:
            await asyncio.wait({step})
        finally:
            if not step.done():
                step.cancel()
                await asyncio.wait({step})
            self._step = None
            if step.cancelled() or step.exception() is not None:
                self._steps = None
        if not self._is_closed:
            step.result()

    async def aclose(self) -> None:
        """Ends the feed, and closes its connection."""
        if not self._process.is_current:
            return  # The connection is the one of the parent process.
        self._is_closed = True
        if self._step is not None:
            self._step.cancel()
            await asyncio.wait({self._step})
        elif self._steps is not None:
            await self._steps.aclose()

    async def __aenter__(self) -> AsyncFeed[T]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


async def _receive_async(
    http: httpx.AsyncClient, reader: FeedReader[T], events: deque[FeedEvent[T]]
) -> AsyncGenerator[None, None]:
    """Adds events, and yields whenever bytes have arrived. Not a method of `AsyncFeed`: a feed that nobody uses is then closed at once."""
    while True:
        error: MunimentError | None = None
        try:
            response = await http.send(reader.request(), stream=True)
            try:
                if response.is_success:
                    reader.accept(response)
                    async for content in response.aiter_bytes():
                        events.extend(reader.receive(content))
                        yield
                else:
                    await response.aread()
                    error = failure(response)
            finally:
                await response.aclose()
        except httpx.RequestError as cause:
            error = failure(cause)
        await asyncio.sleep(reader.wait(error))
