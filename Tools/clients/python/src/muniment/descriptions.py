"""What exists in a store, and what a token allows. As in `operations`, each function returns a request."""

from __future__ import annotations

from urllib.parse import quote

from . import models
from ._building import STORE, get, listing, optional_moment, present
from ._json import Moment, decode
from ._requests import ListRequest, Request


def names(
    *,
    prefix: str | None = None,
    contains: str | None = None,
    class_: str | None = None,
    parent: str | None = None,
    at: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[str]:
    """Lists the existing names: objects, users, things, roles, permissions and classes.

    `prefix` is their beginning, `contains` a text in them, with ASCII letters in either case. `class_` is for example `doc`, `user`,
    `role`, `permission` or `class`. With `parent`, the list has only objects directly in that object.
    """
    return listing(
        "names", "names", str, prefix=prefix, contains=contains, class_=class_, parent=parent, at=optional_moment(at),
        atLeast=at_least, limit=limit)


def describe(name: str, *, at: Moment | None = None, at_least: int | None = None) -> Request[models.Description]:
    """Describes a name: its class, parent, owner, roles, members and options. Raises `NotFoundError` if it does not exist."""
    return get(f"{STORE}/names/{quote(name, safe='')}", models.Description, at=optional_moment(at), atLeast=at_least)


def ends(*, at_least: int | None = None, limit: int | None = None) -> Request[list[models.End]]:
    """Returns the entries with an end (`expiresAt`), the next one to end first. `limit` is the largest number of results, up to 1,000."""
    return Request(
        "GET", f"{STORE}/ends", lambda value: decode(list[models.End], value["ends"]), present(atLeast=at_least, limit=limit))


def caller() -> Request[models.Caller]:
    """Returns what the token of the client allows in the store."""
    return get(f"{STORE}/caller", models.Caller)
