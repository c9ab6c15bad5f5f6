"""The changes of a transaction, one function for each operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, TypeAlias

from ._json import JSON, encode_time, member_name

#: A change in the format of `Docs/Scenarios.md`. A dict of another source is valid, too.
Change: TypeAlias = Mapping[str, JSON]


def _change(op: str, **members: JSON) -> Change:
    return {"op": op, **{member_name(name): value for name, value in members.items() if value is not None}}


def names(names: str | Sequence[str]) -> list[str]:
    """Returns one name or several as a list."""
    return [names] if isinstance(names, str) else list(names)


def define_class(
    class_: str,
    *,
    inherits: bool | Sequence[str] | None = None,
    composition: Literal["narrowing", "widening"] | None = None,
    object_acl: Literal["required", "none"] | None = None,
    creator_privileges: Sequence[str] | None = None,
    creator_permanent: bool | None = None,
    read_through_links: bool | None = None,
    privileges: Sequence[str] | None = None,
    properties: Sequence[str] | None = None,
    aliases: Mapping[str, str | Sequence[str]] | None = None,
) -> Change:
    """Defines a class of objects."""
    return _class_change(
        "defineClass", class_, inherits, composition, object_acl, creator_privileges, creator_permanent,
        read_through_links, privileges, properties, aliases)


def change_class(
    class_: str,
    *,
    inherits: bool | Sequence[str] | None = None,
    composition: Literal["narrowing", "widening"] | None = None,
    object_acl: Literal["required", "none"] | None = None,
    creator_privileges: Sequence[str] | None = None,
    creator_permanent: bool | None = None,
    read_through_links: bool | None = None,
    privileges: Sequence[str] | None = None,
    properties: Sequence[str] | None = None,
    aliases: Mapping[str, str | Sequence[str]] | None = None,
) -> Change:
    """Changes the given options of a class."""
    return _class_change(
        "changeClass", class_, inherits, composition, object_acl, creator_privileges, creator_permanent,
        read_through_links, privileges, properties, aliases)


def _class_change(
    op: str,
    class_: str,
    inherits: bool | Sequence[str] | None,
    composition: str | None,
    object_acl: str | None,
    creator_privileges: Sequence[str] | None,
    creator_permanent: bool | None,
    read_through_links: bool | None,
    privileges: Sequence[str] | None,
    properties: Sequence[str] | None,
    aliases: Mapping[str, str | Sequence[str]] | None,
) -> Change:
    change = dict(_change(
        op, class_=class_, inherits=inherits, composition=composition, creator_privileges=creator_privileges,
        creator_permanent=creator_permanent, read_through_links=read_through_links, privileges=privileges,
        properties=properties, aliases=aliases))
    if object_acl is not None:
        change["objectACL"] = object_acl
    return change


def register(principal: str) -> Change:
    """Registers a user or a thing."""
    return _change("register", principal=principal)


def create_object(
    object: str, *, value: JSON = None, parent: str | None = None, owner: str | None = None, expect_absent: bool | None = None
) -> Change:
    """Creates an object."""
    return _change(
        "createObject", object=object, value=value, parent=parent, owner=owner, expect_absent=expect_absent)


def write_object(object: str, value: JSON, *, expect_revision: int | None = None) -> Change:
    """Replaces the value of an object."""
    return {**_change("writeObject", object=object, expect_revision=expect_revision), "value": value}


def merge_object(object: str, merge: JSON, *, expect_revision: int | None = None) -> Change:
    """Changes members of the value of an object: a merge patch (RFC 7396)."""
    return {**_change("writeObject", object=object, expect_revision=expect_revision), "merge": merge}


def move_object(object: str, parent: str | None) -> Change:
    """Moves an object to a parent, or to the top."""
    return {**_change("moveObject", object=object), "parent": parent}


def delete_object(object: str, *, expect_revision: int | None = None) -> Change:
    """Deletes an object and everything in it."""
    return _change("deleteObject", object=object, expect_revision=expect_revision)


def set_owner(object: str, owner: str) -> Change:
    """Gives an object to another owner."""
    return _change("setOwner", object=object, owner=owner)


def grant(
    subject: str,
    privileges: str | Sequence[str],
    object: str,
    *,
    until: datetime | str | None = None,
    strict: bool | None = None,
    expect_revision: int | None = None,
) -> Change:
    """Grants privileges on an object, a class (`class:doc`) or the store (`store`).

    A grant never shortens access: with an earlier `until`, the entry keeps its later end.

    With `expect_revision`, the service refuses the change if another transaction changed the access list of the object after this
    revision.
    """
    return _change(
        "grant", subject=subject, object=object, privileges=names(privileges),
        until=until if until is None else encode_time(until), strict=strict, expect_revision=expect_revision)


def set_access(
    subject: str, privileges: str | Sequence[str], object: str, *, expect_revision: int | None = None
) -> Change:
    """Gives a subject exactly these privileges in its entry on an object, without an end: an end that the entry had is removed."""
    return _change(
        "setAccess", subject=subject, object=object, privileges=names(privileges), expect_revision=expect_revision)


def revoke(
    subject: str,
    object: str,
    privileges: str | Sequence[str] | None = None,
    *,
    strict: bool | None = None,
    expect_revision: int | None = None,
) -> Change:
    """Revokes privileges of a subject on an object; without `privileges`, all of them."""
    return _change(
        "revoke", subject=subject, object=object, privileges=privileges if privileges is None else names(privileges),
        strict=strict, expect_revision=expect_revision)


def create_role(role: str) -> Change:
    """Creates a role."""
    return _change("createRole", role=role)


def delete_role(role: str) -> Change:
    """Deletes a role."""
    return _change("deleteRole", role=role)


def add_member(role: str, member: str, *, strict: bool | None = None) -> Change:
    """Adds a user, a thing or a role to a role."""
    return _change("addMember", role=role, member=member, strict=strict)


def remove_member(role: str, member: str, *, strict: bool | None = None) -> Change:
    """Removes a member from a role."""
    return _change("removeMember", role=role, member=member, strict=strict)


def define_permission(permission: str, subject: str, privileges: str | Sequence[str]) -> Change:
    """Defines a permission, which can be attached to many objects."""
    return _change("definePermission", permission=permission, subject=subject, privileges=names(privileges))


def change_permission(permission: str, subject: str, privileges: str | Sequence[str]) -> Change:
    """Changes a permission on all objects that it is attached to."""
    return _change("changePermission", permission=permission, subject=subject, privileges=names(privileges))


def attach_permission(permission: str, object: str) -> Change:
    """Attaches a permission to an object."""
    return _change("attachPermission", permission=permission, object=object)


def detach_permission(permission: str, object: str) -> Change:
    """Detaches a permission from an object."""
    return _change("detachPermission", permission=permission, object=object)


def appoint_administrator(principal: str) -> Change:
    """Makes a principal an administrator of the store."""
    return _change("appointAdministrator", principal=principal)


def dismiss_administrator(principal: str) -> Change:
    """Dismisses an administrator of the store."""
    return _change("dismissAdministrator", principal=principal)
