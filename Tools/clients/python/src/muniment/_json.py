"""Converts JSON to the types of this package, and back."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from datetime import date, datetime, timezone
from typing import Any, TypeAlias, TypeVar, Union, cast

#: Any JSON value, as in `json.loads`: None, a bool, a number, a string, a list or a dict.
JSON: TypeAlias = Any
#: A revision, a time with a time zone, a day (which means its start in UTC), or one of them as text.
Moment: TypeAlias = int | datetime | date | str

T = TypeVar("T")


def encode_time(time: datetime | str) -> str:
    if isinstance(time, str):
        return time
    if not isinstance(time, datetime):
        raise ValueError(f"{time!r} is not a time: use for example datetime(2027, 1, 1, tzinfo=timezone.utc)")
    if time.tzinfo is None:
        raise ValueError(f"the time {time} has no time zone: use for example datetime(…, tzinfo=timezone.utc)")
    return time.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def encode_moment(moment: Moment) -> int | str:
    if isinstance(moment, datetime):
        return encode_time(moment)
    return moment.isoformat() if isinstance(moment, date) else moment


def decode_time(text: str) -> datetime:
    """Returns the time of a text in RFC 3339. Python keeps microseconds: further digits are dropped."""
    parts = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?Z", text)
    if parts is None:
        raise ValueError(f"`{text}` is not a time")
    fraction = (parts[2] or "")[:6].ljust(6, "0")
    return datetime.fromisoformat(f"{parts[1]}.{fraction}+00:00")


def decode(kind: type[T], value: object) -> T:
    """Returns a value of a type that consists of dataclasses, lists, times, and the types of JSON.

    Unknown members of objects are ignored, because later versions of the service may add members. Raises a `KeyError`, `TypeError` or
    `ValueError` for another value.
    """
    return cast(T, _decode(kind, value))


def _decode(kind: Any, value: Any) -> Any:
    origin = typing.get_origin(kind)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        kinds = [part for part in typing.get_args(kind) if part is not type(None)]
        return _decode(kinds[0], value) if len(kinds) == 1 else value
    if origin is list:
        (element,) = typing.get_args(kind)
        return [_decode(element, item) for item in value]
    if kind is datetime:
        return decode_time(value)
    if not dataclasses.is_dataclass(kind):
        return value
    return _decode_members(kind, value)


def _decode_members(kind: Any, value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    members = {}
    known = _fields(kind)
    for name, (attribute, part, is_required) in known.items():
        if name in value or is_required:
            members[attribute] = _decode(part, value[name])
    if "members" in _hints(kind):
        members["members"] = {name: item for name, item in value.items() if name not in known}
    return kind(**members)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


@functools.cache
def _fields(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """Returns the attribute, the type, and whether it is required, of each member of a JSON object."""
    hints = _hints(kind)
    missing = dataclasses.MISSING
    return {
        member_name(field.name): (
            field.name,
            hints[field.name],
            field.default is missing and field.default_factory is missing,
        )
        for field in dataclasses.fields(kind)
        if field.name != "members"
    }


def member_name(attribute: str) -> str:
    """Returns the JSON name of an attribute: `was_accessible` is `wasAccessible`, and `class_` is `class`."""
    first, *words = attribute.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in words)
