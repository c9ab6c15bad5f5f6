"""Requests as values: what a client sends, and how it reads the response."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ._json import JSON
from .models import Page

T = TypeVar("T")


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request to the service."""

    method: str
    #: The path. `{store}` is replaced by the store of the client.
    path: str
    #: Converts the body of the response, which is JSON unless the request accepts another media type.
    parse: Callable[[JSON], T]
    query: Mapping[str, JSON] = field(default_factory=dict)
    body: JSON = None
    has_body: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    #: Whether the client may send it again if it does not know whether the service has received it.
    is_repeatable: bool = True


@dataclass(frozen=True)
class ListRequest(Generic[T]):
    """The request of the first page of a list."""

    first: Request[Page[T]]
    #: The arguments that a request with a cursor must not have, because the cursor contains their moment.
    only_first: tuple[str, ...] = ("at",)

    def after(self, cursor: str) -> Request[Page[T]]:
        """Returns the request of the page after another one."""
        first = self.first
        if first.has_body:
            return dataclasses.replace(first, body=self._arguments(first.body, cursor))
        return dataclasses.replace(first, query=self._arguments(first.query, cursor))

    def _arguments(self, arguments: Mapping[str, JSON], cursor: str) -> dict[str, JSON]:
        return {**{name: value for name, value in arguments.items() if name not in self.only_first}, "cursor": cursor}


@dataclass(frozen=True)
class FeedRequest(Generic[T]):
    """The request of a live feed."""

    path: str
    #: Converts the `data` of an event.
    parse: Callable[[JSON], T]
    query: Mapping[str, JSON]
    #: The position after which the feed starts; None for the head.
    after: str | None
