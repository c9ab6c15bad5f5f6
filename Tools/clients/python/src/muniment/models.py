"""The responses of the service. Attributes have the names of the HTTP API, in snake case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from ._explanation import ExplainedLevel as ExplainedLevel
from ._explanation import ExplainedObject as ExplainedObject
from ._explanation import ExplainedPath as ExplainedPath
from ._explanation import ExplainedStep as ExplainedStep
from ._explanation import Explanation as Explanation
from ._explanation import PrivilegeOutcome as PrivilegeOutcome
from ._json import JSON

T = TypeVar("T")


@dataclass(frozen=True)
class ChangeNote:
    """A note for the caller about a change that was committed."""

    #: The index of the change in the transaction, from 0.
    change: int
    #: `unchanged`, `storeLevel`, `classLevel` or `stillAllowed` for a change that neither gave nor took access;
    #: `noCreatorPrivileges` for a class that gives creators no privileges on their objects; `unreadable` for an object
    #: that the caller created and may not read.
    reason: str
    #: The explanation, and the remedy.
    message: str


@dataclass(frozen=True)
class Receipt:
    """The result of a transaction, which is on disk."""

    #: The head of the store after the transaction.
    head: int
    time: datetime
    #: The revision of the transaction; None if it changed nothing.
    revision: int | None
    #: The hash of the commit, which covers the history up to it; None if the transaction changed nothing.
    hash: str | None = None
    #: What the caller should know about changes. Empty for a repeated request.
    notes: list[ChangeNote] = field(default_factory=list)


@dataclass(frozen=True)
class Refused:
    """A change that was refused."""

    code: str
    message: str
    change: int | None = None


@dataclass(frozen=True)
class Check:
    """Whether a subject has privileges on an object, and why."""

    subject: str
    privileges: list[str]
    object: str
    allowed: bool
    reason: str
    revision: int
    time: datetime


@dataclass(frozen=True)
class BatchDecision:
    """The result of one of several checks."""

    allowed: bool
    #: Why the check is invalid; None for a valid check. An invalid check is not allowed.
    error: str | None = None


@dataclass(frozen=True)
class Privileges:
    """The privileges of a subject on an object."""

    subject: str
    object: str
    privileges: list[str]
    revision: int
    time: datetime


@dataclass(frozen=True)
class Entry:
    """The access of a subject on an object."""

    subject: str
    privileges: list[str]
    until: datetime | None = None
    permanent: bool = False
    permission: str | None = None


@dataclass(frozen=True)
class StoredObject:
    """The value of an object."""

    object: str
    value: JSON
    #: The revision of the last change to the value, the parent or the owner: `expected_revision` for the next change.
    changed: int
    revision: int
    time: datetime


@dataclass(frozen=True)
class Difference:
    """The access of a subject, or to an object, at two times."""

    name: str
    before: list[str]
    after: list[str]
    gained: list[str]
    lost: list[str]


@dataclass(frozen=True)
class DraftDifference:
    """The access of a subject to an object without and with changes that were not made."""

    subject: str
    object: str
    before: list[str]
    after: list[str]
    gained: list[str]
    lost: list[str]


@dataclass(frozen=True)
class RefusedTransaction:
    """A transaction that would be refused."""

    transaction: int
    code: str
    message: str
    change: int | None


@dataclass(frozen=True)
class WhatIf:
    """The effects of transactions that were not made."""

    differences: list[DraftDifference]
    #: Whether the list has all differences.
    complete: bool
    refused: list[RefusedTransaction]
    revision: int
    time: datetime


@dataclass(frozen=True)
class Event:
    """An event of a commit."""

    #: Such as `AccessGranted`.
    kind: str
    #: The contents of the event, such as `subject`, `object` and `privileges`.
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Commit:
    """A transaction in the history."""

    revision: int
    time: datetime
    actor: str | None
    events: list[Event]
    #: The id of the request.
    id: str | None = None
    idempotency_key: str | None = None
    comment: str | None = None
    credential: str | None = None
    import_line: int | None = None
    #: The hash of the log up to this commit; only in the feed.
    hash: str | None = None


@dataclass(frozen=True)
class Notice:
    """A change of the access of a subscriber to an object."""

    revision: int
    time: datetime
    #: Such as `shared` or `madeInaccessible`.
    kind: str
    object: str
    was_accessible: bool
    #: Whether this is the subscriber's last notice of the revision.
    completes_revision: bool
    gained: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class ObjectChange:
    """A change of an object's value, or the end of the feed of its changes."""

    revision: int
    time: datetime
    #: `childAdded`, `childChanged`, `childRemoved` or `valueChanged`. The last event is `accessEnded` or `objectDeleted`.
    kind: str
    #: Whether this is the last change of the revision.
    completes_revision: bool
    #: The name or the index of the child; None for the value itself.
    name: str | None = None
    #: The new value; None also if it was removed.
    value: JSON = None


@dataclass(frozen=True)
class AuditRecord:
    """An event, or a refused command. A record that the caller may not see has only its time."""

    time: datetime
    #: `done` or `refused`.
    outcome: str | None = None
    actor: str | None = None
    revision: int | None = None
    index: int | None = None
    event: Event | None = None
    caller: str | None = None
    code: str | None = None
    message: str | None = None
    tried: JSON = None
    id: str | None = None
    comment: str | None = None
    credential: str | None = None
    #: Further members, such as the number and the hash of a refusal.
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """A time during which a subject had access."""

    begin: int
    from_: datetime
    end: int | None = None
    until: datetime | None = None
    as_administrator: bool = False
    #: Whether the access existed before the first moment of the query; `begin` and `from_` are then that moment.
    existed_before: bool = False


@dataclass(frozen=True)
class SubjectAccess:
    """When a subject had access to an object."""

    subject: str
    spans: list[Span]


@dataclass(frozen=True)
class AccessTransition:
    """The begin or the end of the access of a subject to an object."""

    #: Whether the access began.
    gained: bool
    #: None for the end of an entry that no commit has recorded yet.
    revision: int | None
    time: datetime
    #: None if the caller may read none of the events.
    actor: str | None
    #: The events that caused it.
    events: list[AuditRecord]
    id: str | None = None
    comment: str | None = None
    credential: str | None = None


@dataclass(frozen=True)
class Holding:
    """The privileges of a subject on a class or an object."""

    name: str
    privileges: list[str]


@dataclass(frozen=True)
class RoleOfSubject:
    """A role of a subject."""

    role: str
    #: Whether the subject has the role only because `everyone` is a member of it.
    everyones: bool
    #: The roles between the subject and this role, its own first; empty for a direct member.
    through: list[str]


@dataclass(frozen=True)
class SubjectAudit:
    """The access of a subject, or a part of it."""

    subject: str
    #: Whether the store knows the subject.
    known: bool
    administrator: bool
    #: The privileges at the store level.
    store: list[str]
    roles: list[RoleOfSubject]
    classes: list[Holding]
    objects: list[Holding]
    revision: int
    time: datetime


@dataclass(frozen=True)
class Permission:
    """A permission: the privileges of a subject on several objects."""

    subject: str
    privileges: list[str]
    objects: list[str]


@dataclass(frozen=True)
class Description:
    """What the store records about a name. Lists have at most 10,000 names."""

    name: str
    class_: str
    has_children: bool
    revision: int
    time: datetime
    #: The revisions of its creation, and of the last change to its value, parent or owner.
    created: int | None = None
    changed: int | None = None
    parent: str | None = None
    owner: str | None = None
    #: The roles of a user, thing or role.
    roles: list[str] | None = None
    #: The objects on which a user, thing or role has entries.
    entries: list[str] | None = None
    #: The members of a role.
    members_: list[str] | None = None
    permission: Permission | None = None
    #: The options of a class, such as `privileges`, its custom ones, and `aliases`.
    options: Mapping[str, JSON] | None = None


@dataclass(frozen=True)
class End:
    """An entry that ends."""

    subject: str
    object: str
    until: datetime


@dataclass(frozen=True)
class Caller:
    """What a token allows in a store."""

    #: `ask`, `act` or `administer`.
    right: str
    #: Such as `token t1`.
    credential: str
    #: Whether it may query all subjects, because of its right or as an administrator of the store.
    queries_all: bool
    #: The principal that the token acts as; None for a token without one.
    principal: str | None = None
    #: When the token expires.
    until: datetime | None = None


@dataclass(frozen=True)
class Statistics:
    """The contents of a store."""

    store: str
    preset: str
    revision: int
    time: datetime
    hash: str
    events: int
    principals: int
    roles: int
    classes: int
    objects: int
    refusals: int
    #: Further members, such as sizes in bytes.
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class Verification:
    """The result of a check of the log."""

    sound: bool
    commits: int
    events: int
    refusals: int
    problems: list[str]
    notes: list[str]
    revision: int | None
    hash: str | None


@dataclass(frozen=True)
class ListNote:
    """Why a caller finds no object of a class, and the grant that would help."""

    #: `storeLevel`, `classLevel`, `noQuery` or `noAccess`.
    reason: str
    message: str


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list."""

    items: list[T]
    #: The revision that all pages of the list are about; None for lists about a span.
    revision: int | None
    #: The cursor of the next page; None for the last page.
    next: str | None
    #: Why a query finds nothing, if its caller lacks access; None for other lists.
    note: ListNote | None = None


@dataclass(frozen=True)
class FeedEvent(Generic[T]):
    """An event of a feed."""

    #: The position after this event: pass it as `after` to resume.
    id: str
    #: Such as `muniment.notice.shared` or `muniment.commit`.
    type: str
    time: datetime
    data: T
