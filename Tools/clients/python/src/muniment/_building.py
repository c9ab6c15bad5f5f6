"""What the operations have in common: how they build requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from . import models
from ._json import JSON, Moment, decode, encode_moment
from ._requests import ListRequest, Request

T = TypeVar("T")

STORE = "/v1/stores/{store}"


def present(**members: JSON) -> dict[str, JSON]:
    """Returns the members that are not None, without the underscore that keywords of Python end with."""
    return {name.rstrip("_"): value for name, value in members.items() if value is not None}


def point(at: Moment | None, at_least: int | None) -> dict[str, JSON]:
    return present(at=None if at is None else encode_moment(at), atLeast=at_least)


def optional_moment(moment: Moment | None) -> int | str | None:
    return None if moment is None else encode_moment(moment)


def privilege_members(privilege: str | Sequence[str]) -> dict[str, JSON]:
    return {"privilege": privilege} if isinstance(privilege, str) else {"privileges": list(privilege)}


def question(name: str, kind: type[T], body: dict[str, JSON]) -> Request[T]:
    return Request("POST", f"{STORE}/{name}", lambda value: decode(kind, value), body=body, has_body=True)


def get(path: str, kind: type[T], /, **query: JSON) -> Request[T]:
    return Request("GET", path, lambda value: decode(kind, value), present(**query))


def _page(value: JSON, items: str, kind: type[T]) -> models.Page[T]:
    note = decode(models.ListNote, value["note"]) if "note" in value else None
    return models.Page([decode(kind, item) for item in value[items]], value.get("revision"), value.get("next"), note)


def listing(
    name: str, items: str, kind: type[T], only_first: tuple[str, ...] = ("at",), /, **query: JSON
) -> ListRequest[T]:
    path = f"{STORE}/{name}"
    return ListRequest(Request("GET", path, lambda value: _page(value, items, kind), present(**query)), only_first)


def question_list(name: str, items: str, body: dict[str, JSON]) -> ListRequest[str]:
    request = Request(
        "POST", f"{STORE}/{name}", lambda value: _page(value, items, str), body=body, has_body=True)
    return ListRequest(request)
