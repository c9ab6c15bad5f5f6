"""The HTTP clients of a client: one for calls, and one for feeds."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

from .errors import MunimentError

H = TypeVar("H", httpx.Client, httpx.AsyncClient)

#: A feed has a connection of its own while it is open, so the number of connections has no limit, and none is kept for reuse.
_FEED_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=0)


@dataclass(frozen=True)
class Pools(Generic[H]):
    """The HTTP clients of one process."""

    process: int
    calls: H
    #: Feeds have a pool of their own: they hold their connections, and would leave none for calls.
    feeds: H


class ProcessPools(Generic[H]):
    """The HTTP clients of the current process.

    A process must not use the connections of its parent: both would read the responses of each other. So a child gets new clients at its
    first request. It does not close those of the parent, because their locks may be held by threads that the child does not have.
    """

    def __init__(self, make: Callable[..., H], given: H | None) -> None:
        self._make: Callable[..., H] = make
        self._given: H | None = given
        self._current: Pools[H] = self._pools()

    def current(self) -> Pools[H]:
        """Returns the HTTP clients of this process. Raises a `MunimentError` if the HTTP client was given in another process."""
        if self._current.process != os.getpid():
            if self._given is not None:
                raise MunimentError(
                    "the argument `http` belongs to the parent process. Create the `Client` and its `http` in the process that uses them.")
            # Without a lock, which a thread of the parent might have held during the fork. Two threads may create clients; both work.
            self._current = self._pools()
        return self._current

    def owned(self) -> list[H]:
        """Returns the HTTP clients to close with this client: those that it has created in this process."""
        if self._given is not None or self._current.process != os.getpid():
            return []
        return [self._current.calls, self._current.feeds]

    def _pools(self) -> Pools[H]:
        if self._given is not None:
            return Pools(os.getpid(), self._given, self._given)
        verify = httpx.create_ssl_context()
        calls: H = self._make(verify=verify)
        feeds: H = self._make(verify=verify, limits=_FEED_LIMITS)
        return Pools(os.getpid(), calls, feeds)
