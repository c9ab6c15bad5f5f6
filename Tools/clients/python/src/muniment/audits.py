"""The operations of auditors: what was done and refused, and who had access. As in `operations`, each function returns a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import models
from ._building import STORE, listing, optional_moment, present
from ._json import JSON, Moment, decode
from ._requests import ListRequest, Request
from .changes import names as name_list


def audit(
    *,
    actor: str | None = None,
    object: str | None = None,
    subject: str | None = None,
    kinds: str | Sequence[str] | None = None,
    request: str | None = None,
    from_: Moment | None = None,
    to: Moment | None = None,
    outcome: Literal["done", "refused", "any"] | None = None,
    order: Literal["oldest", "newest"] | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[models.AuditRecord]:
    """Lists what was done and refused, with actor and time."""
    return listing(
        "audit", "records", models.AuditRecord, (), actor=actor, object=object, subject=subject,
        kind=None if kinds is None else ",".join(name_list(kinds)), request=request, from_=optional_moment(from_), to=optional_moment(to),
        outcome=outcome, order=order, atLeast=at_least, limit=limit)


def audit_access(
    privilege: str | Sequence[str],
    object: str,
    *,
    from_: Moment | None = None,
    to: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[models.SubjectAccess]:
    """Lists the subjects with a privilege on an object during a span, and when each had it."""
    return listing(
        "audit/access", "access", models.SubjectAccess, ("to",), privileges=",".join(name_list(privilege)), object=object,
        from_=optional_moment(from_), to=optional_moment(to), atLeast=at_least, limit=limit)


def audit_changes(
    subject: str,
    privilege: str | Sequence[str],
    object: str,
    *,
    from_: Moment | None = None,
    to: Moment | None = None,
    at_least: int | None = None,
    limit: int | None = None,
) -> ListRequest[models.AccessTransition]:
    """Lists when and how the access of a subject to an object began and ended during a span, oldest first."""
    return listing(
        "audit/changes", "transitions", models.AccessTransition, ("to",), subject=subject, privileges=",".join(name_list(privilege)),
        object=object, from_=optional_moment(from_), to=optional_moment(to), atLeast=at_least, limit=limit)


def audit_subject(
    subject: str, *, at: Moment | None = None, at_least: int | None = None, limit: int | None = None
) -> ListRequest[models.SubjectAudit]:
    """Lists all access of a subject, now or at another moment: its roles, and its privileges on the store, classes and objects.

    Each item is a part of it, with at most `limit` roles, classes and objects together. A subject with less access has one part.
    """
    query = present(subject=subject, at=optional_moment(at), atLeast=at_least, limit=limit)
    return ListRequest(Request("GET", f"{STORE}/audit/subject", _subject_page, query))


def _subject_page(value: JSON) -> models.Page[models.SubjectAudit]:
    return models.Page([decode(models.SubjectAudit, value)], value["revision"], value.get("next"))
