"""The operations of the service. Each function returns a request; `Client` and `AsyncClient` have a method for each."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Literal
from urllib.parse import quote

from . import models
from ._batch import decisions, entity, name_fault
from ._building import STORE, get, listing, optional_moment, point, present, privilege_members, question, question_list
from ._json import JSON, Moment, decode, encode_moment
from ._requests import FeedRequest, ListRequest, Request
from .changes import Change


def _object_path(object: str) -> str:
    return f"{STORE}/objects/{quote(object, safe='')}"


# Questions


def check(
    subject: str,
    privilege: str | Sequence[str],
    object: str,
    *,
    at: Moment | None = None,
    at_least: int | None = None,
) -> Request[models.Check]:
    """Checks if a subject has a privilege, or all of several, on an object.

    With `at`, at a revision or a time. `at_least` is a revision that the store must have.
    """
    body = {"subject": subject, "object": object, **privilege_members(privilege), **point(at, at_least)}
    return question("check", models.Check, body)


def batch_check(
    checks: Sequence[tuple[str, str, str]], *, at: Moment | None = None
) -> Request[list[models.BatchDecision]]:
    """Checks up to 10,000 triples of subject, privilege and object in one request, all at the same moment.

    Where `check` raises `MalformedError` for an invalid name, the decision has an `error`, and the other checks are made. A privilege
    that the store does not have is denied without an error, as AuthZEN requires; an alias of the object's class is allowed.
    """
    faults = [name_fault(subject) or name_fault(object) for subject, _, object in checks]
    evaluations = [
        {"subject": entity(subject), "action": {"name": privilege}, "resource": entity(object)}
        for subject, privilege, object in checks
    ]
    if not evaluations:
        # The service takes a request without evaluations as a single evaluation.
        raise ValueError("there is nothing to check: pass at least one triple")
    body: dict[str, JSON] = {"evaluations": evaluations}
    if at is not None:
        moment = encode_moment(at)
        # Unlike `check`, the service does not take the text of a revision here.
        body["context"] = {"muniment_at": int(moment) if isinstance(moment, str) and moment.isdecimal() else moment}
    return Request(
        "POST", "/stores/{store}/access/v1/evaluations", lambda value: decisions(value, faults), body=body, has_body=True)


def privileges(
    subject: str, object: str, *, at: Moment | None = None, at_least: int | None = None
) -> Request[models.Privileges]:
    """Returns the privileges of a subject on an object."""
    return question("privileges", models.Privileges, {"subject": subject, "object": object, **point(at, at_least)})


def explain(
    subject: str,
    privilege: str | Sequence[str],
    object: str,
    *,
    proposals: bool = True,
    at: Moment | None = None,
    at_least: int | None = None,
) -> Request[models.Explanation]:
    """Explains why a subject has a privilege or not; for a denial, with changes that would allow it."""
    body = {
        "subject": subject, "object": object, "proposals": proposals, **privilege_members(privilege), **point(at, at_least)
    }
    return question("explain", models.Explanation, body)


def explain_several(
    questions: Sequence[tuple[str, str | Sequence[str], str]],
    *,
    proposals: bool = True,
    at: Moment | None = None,
    at_least: int | None = None,
) -> Request[list[models.Explanation]]:
    """Explains up to 100 triples of subject, privilege and object in one request, all at the same moment."""
    asked: list[JSON] = [
        {"subject": subject, "object": object, "proposals": proposals, **privilege_members(privilege)}
        for subject, privilege, object in questions
    ]
    return Request(
        "POST", f"{STORE}/explanations",
        lambda value: [decode(models.Explanation, item) for item in value["explanations"]],
        body={"questions": asked, **point(at, at_least)}, has_body=True)


def who(
    privilege: str | Sequence[str],
    object: str,
    *,
    at: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[str]:
    """Lists the users and things with a privilege on an object.

    Administrators have all privileges: they are in the list if the caller may ask about all subjects.

    `limit` is the largest number of results on a page.
    """
    body = {
        "object": object, "withAdministrators": True, **privilege_members(privilege), **point(at, at_least), **present(limit=limit)}
    return question_list("who", "subjects", body)


def what(
    subject: str,
    privilege: str | Sequence[str],
    *,
    class_: str | None = None,
    at: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[str]:
    """Lists the objects where a subject has a privilege."""
    body = {"subject": subject, **privilege_members(privilege), **point(at, at_least), **present(class_=class_, limit=limit)}
    return question_list("what", "objects", body)


def query(
    class_: str,
    *,
    where: Mapping[str, JSON] | None = None,
    order: Sequence[str] | None = None,
    as_: str | None = None,
    at: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[str]:
    """Lists the objects of a class that the caller may read and query, by their properties."""
    body = {
        **present(class_=class_, where=where, order=None if order is None else list(order), as_=as_, limit=limit),
        **point(at, at_least),
    }
    return question_list("query", "objects", body)


def entries(
    object: str, *, at: Moment | None = None, at_least: int | None = None, limit: int | None = None
) -> ListRequest[models.Entry]:
    """Lists the entries on an object: subjects and their privileges."""
    return listing(
        f"objects/{quote(object, safe='')}/entries", "entries", models.Entry, at=optional_moment(at), atLeast=at_least, limit=limit)


def members(
    role: str, *, at: Moment | None = None, at_least: int | None = None, limit: int | None = None
) -> ListRequest[str]:
    """Lists the direct members of a role."""
    return listing(
        f"roles/{quote(role, safe='')}/members", "members", str, at=optional_moment(at), atLeast=at_least, limit=limit)


def administrators(*, at: Moment | None = None, at_least: int | None = None) -> Request[list[str]]:
    """Returns the administrators of the store."""
    return Request(
        "GET", f"{STORE}/administrators", lambda value: decode(list[str], value["administrators"]), point(at, at_least))


# Changes


def commit(
    changes: Sequence[Change],
    *,
    as_: str | None = None,
    comment: str | None = None,
    idempotency_key: str | None = None,
    expected_revision: int | None = None,
) -> Request[models.Receipt]:
    """Makes changes, all or none, and returns when they are on disk.

    `as_` names the acting principal; a token that acts as a principal does not need it. The client repeats the request with the
    same idempotency key if the response is lost. Give a key of your own to repeat it in another process.

    With `expected_revision`, nothing changes if another transaction has changed the value, parent, owner or access list of an
    object that the changes name since: `PreconditionFailedError` is raised.
    """
    if isinstance(changes, Mapping):
        raise ValueError("`changes` is one change: pass a list of changes")
    return Request(
        "POST",
        f"{STORE}/transactions",
        lambda value: decode(models.Receipt, value),
        body=present(do=[dict(change) for change in changes], as_=as_, comment=comment),
        has_body=True,
        headers=_key(idempotency_key) | ({} if expected_revision is None else _match(expected_revision)),
    )


def commit_each(
    changes: Sequence[Change], *, as_: str | None = None, comment: str | None = None
) -> Request[list[models.Receipt | models.Refused]]:
    """Makes each change in a transaction of its own. A refused change does not stop the following ones.

    These transactions have no idempotency key, so the client does not repeat the request if the response is lost.
    """
    return Request(
        "POST",
        f"{STORE}/transactions",
        lambda value: [
            decode(models.Refused, item["refused"]) if "refused" in item else decode(models.Receipt, item)
            for item in value["results"]
        ],
        body=present(do=[dict(change) for change in changes], mode="each", as_=as_, comment=comment),
        has_body=True,
        is_repeatable=False,
    )


def what_if(
    transactions: Sequence[tuple[str, Sequence[Change]]], *, at_least: int | None = None
) -> Request[models.WhatIf]:
    """Returns the access that transactions would add and remove, without making them. Each is an actor and changes."""
    drafts = [{"as": actor, "do": [dict(change) for change in changes]} for actor, changes in transactions]
    return question("what-if", models.WhatIf, present(transactions=drafts, atLeast=at_least))


def _key(idempotency_key: str | None) -> dict[str, str]:
    if idempotency_key is None:
        return {"Idempotency-Key": str(uuid.uuid4())}
    if re.fullmatch(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?", idempotency_key) is None:
        raise ValueError(
            f"invalid `idempotency_key` {idempotency_key[:80]!r}. Use at least one printable ASCII character, and no space at the ends.")
    return {"Idempotency-Key": idempotency_key}


# Objects


def read_object(
    object: str, *, as_: str | None = None, at: Moment | None = None, at_least: int | None = None
) -> Request[models.StoredObject]:
    """Returns the value of an object, for a caller that may read it."""
    return get(_object_path(object), models.StoredObject, as_=as_, at=optional_moment(at), atLeast=at_least)


def create_object(
    object: str,
    value: JSON,
    *,
    parent: str | None = None,
    owner: str | None = None,
    as_: str | None = None,
    idempotency_key: str | None = None,
) -> Request[models.Receipt]:
    """Creates an object. Raises `PreconditionFailedError` if it exists."""
    query = present(parent=parent, owner=owner, as_=as_)
    return _write("PUT", object, {"If-None-Match": "*", **_key(idempotency_key)}, query, value, has_body=True)


def write_object(
    object: str,
    value: JSON,
    *,
    expected_revision: int | None,
    as_: str | None = None,
    idempotency_key: str | None = None,
) -> Request[models.Receipt]:
    """Replaces the value of an object.

    `expected_revision` is the `changed` of the object that the caller read: if the object has changed since, this raises
    `PreconditionFailedError`. None replaces any version.
    """
    headers = {**_match(expected_revision), **_key(idempotency_key)}
    return _write("PUT", object, headers, present(as_=as_), value, has_body=True)


def merge_object(
    object: str,
    patch: JSON,
    *,
    expected_revision: int | None,
    as_: str | None = None,
    idempotency_key: str | None = None,
) -> Request[models.Receipt]:
    """Changes members of the value of an object: a merge patch (RFC 7396). See `write_object`."""
    headers = {**_match(expected_revision), **_key(idempotency_key), "Content-Type": "application/merge-patch+json"}
    return _write("PATCH", object, headers, present(as_=as_), patch, has_body=True)


def delete_object(
    object: str, *, expected_revision: int | None, as_: str | None = None, idempotency_key: str | None = None
) -> Request[models.Receipt]:
    """Deletes an object and everything in it. See `write_object`."""
    return _write("DELETE", object, {**_match(expected_revision), **_key(idempotency_key)}, present(as_=as_))


def _write(
    method: str, object: str, headers: dict[str, str], query: dict[str, JSON], body: JSON = None, has_body: bool = False
) -> Request[models.Receipt]:
    return Request(
        method, _object_path(object), lambda value: decode(models.Receipt, value), query, body, has_body, headers)


def _match(expected_revision: int | None) -> dict[str, str]:
    return {"If-Match": "*" if expected_revision is None else f'"{expected_revision}"'}


# History


def history(
    name: str, *, at: Moment | None = None, at_least: int | None = None, limit: int | None = None
) -> ListRequest[models.Commit]:
    """Lists the commits about an object, a principal or a role, oldest first."""
    return listing("history", "commits", models.Commit, name=name, at=optional_moment(at), atLeast=at_least, limit=limit)


def diff(
    name: str, from_: Moment, to: Moment | None = None, *, at_least: int | None = None, limit: int | None = None
) -> ListRequest[models.Difference]:
    """Lists the differences in the access of a subject, or to an object, between two times."""
    return listing(
        "diff", "differences", models.Difference, ("to",), name=name, from_=optional_moment(from_), to=optional_moment(to),
        atLeast=at_least, limit=limit)


def notices(
    subscriber: str | None = None,
    *,
    after: int | None = None,
    at: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[models.Notice]:
    """Lists the notices of a subscriber, oldest first; by default of the principal of the token."""
    return listing(
        "notices", "notices", models.Notice, ("at", "after"), for_=subscriber, after=after, at=optional_moment(at), atLeast=at_least,
        limit=limit)


def export(from_: int | None = None, to: int | None = None) -> Request[bytes]:
    """Returns the log as a history, in the JSON Lines that `muniment import` reads."""
    return Request(
        "GET", f"{STORE}/export", lambda content: bytes(content), present(from_=from_, to=to),
        headers={"Accept": "application/jsonl"})


# Feeds


def notice_feed(subscriber: str | None = None, *, after: str | int | None = None) -> FeedRequest[models.Notice]:
    """Yields the notices of a subscriber as they happen; by default of the principal of the token.

    The feed starts after a revision, or after the `id` of an event; 0 means the beginning. Without `after`, it starts when the first
    event is requested. It connects at that time, with the repetitions of the retry policy. From then on it reconnects without limit,
    and yields each event once. It ends when it or its client is closed. It raises an error if the service rejects the caller; the next
    request for an event then connects again.
    """
    return FeedRequest(
        f"{STORE}/notices", lambda value: decode(models.Notice, value), present(for_=subscriber), _position(after))


def commit_feed(*, after: str | int | None = None) -> FeedRequest[models.Commit]:
    """Yields the commits of the store as they happen, for administrators. See `notice_feed`."""
    return FeedRequest(f"{STORE}/commits", lambda value: decode(models.Commit, value), {}, _position(after))


def change_feed(
    object: str, *, path: str | None = None, as_: str | None = None, after: str | int | None = None
) -> FeedRequest[models.ObjectChange]:
    """Yields the changes of an object's value as they happen, for a caller that may read it. See `notice_feed`.

    The last event names the reason of the end: `accessEnded` or `objectDeleted`. The request for another one raises the error of reading
    the object.

    :param path: a part of the value, as a JSON Pointer such as `/address/city`; None for the whole value.
    """
    return FeedRequest(
        f"{_object_path(object)}/changes", lambda value: decode(models.ObjectChange, value), present(path=path, as_=as_),
        _position(after))


def _position(after: str | int | None) -> str | None:
    if after is None:
        return None
    if isinstance(after, bool) or not isinstance(after, (int, str)) or after == "":
        raise ValueError(
            f"`after` is {after!r}: pass a revision, or the `id` of an event; 0 begins with the first event, and None with the next one")
    return str(after)


# Stores


def stores() -> Request[list[str]]:
    """Returns the names of the stores that the token can access."""
    return Request("GET", "/v1/stores", lambda value: decode(list[str], value["stores"]))


def create_store(
    name: str, *, preset: Literal["open", "locked"] | None = None, administrator: str | None = None
) -> Request[None]:
    """Creates a store."""
    body = present(store=name, preset=preset, administrator=administrator)
    return Request("POST", "/v1/stores", lambda _: None, body=body, has_body=True, is_repeatable=False)


def statistics(*, at_least: int | None = None) -> Request[models.Statistics]:
    """Returns the contents and the size of the store."""
    return get(STORE, models.Statistics, atLeast=at_least)


def verify(*, at_least: int | None = None) -> Request[models.Verification]:
    """Checks the log: its hash chain, every event, every refusal."""
    return get(f"{STORE}/verify", models.Verification, atLeast=at_least)

