"""The response to `explain`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ._json import JSON


@dataclass(frozen=True)
class PrivilegeOutcome:
    """Whether a privilege is allowed, and the level that decides."""

    privilege: str
    allowed: bool
    decided_by: str
    failing: list[str]


@dataclass(frozen=True)
class ExplainedStep:
    """A fact on a path of access, with the event that caused it."""

    #: The kind of the fact, such as `entry` or `member`.
    fact: str
    revision: int
    event: int
    kind: str
    time: datetime
    actor: str | None
    #: The contents of the fact, such as `subject`, `object` and `privileges`, and the origin of the event.
    members: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True)
class ExplainedObject:
    """An object that gives access to the objects that link to it."""

    object: str
    class_level: list[ExplainedPath]
    object_part: list[ExplainedPath]


@dataclass(frozen=True)
class ExplainedPath:
    """Facts that give privileges together."""

    privileges: list[str]
    steps: list[ExplainedStep]
    as_: str | None = None
    permanent: bool = False
    through: list[ExplainedObject] = field(default_factory=list)


@dataclass(frozen=True)
class ExplainedLevel:
    """The paths at the level `store`, `class` or `object`, and the privileges that it does not give."""

    level: str
    missing: list[str]
    paths: list[ExplainedPath]


@dataclass(frozen=True)
class Explanation:
    """Why a subject has privileges on an object or not."""

    subject: str
    privileges: list[str]
    object: str
    allowed: bool
    #: Whether the explanation has all paths.
    complete: bool
    outcomes: list[PrivilegeOutcome]
    revision: int
    time: datetime
    levels: list[ExplainedLevel] = field(default_factory=list)
    #: The appointment of an administrator, who has all privileges.
    appointment: ExplainedStep | None = None
    #: For a denial: lists of changes, each of which would allow the access.
    proposals: list[list[JSON]] = field(default_factory=list)
    proposals_complete: bool = True
    #: Why no change would allow the access.
    obstacle: str | None = None
