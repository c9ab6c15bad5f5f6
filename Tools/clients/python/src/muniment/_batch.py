"""Several checks in one request, in the terms of AuthZEN."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import models
from ._json import JSON


def decisions(value: JSON, faults: Sequence[str | None]) -> list[models.BatchDecision]:
    return [
        models.BatchDecision(item["decision"], item.get("context", {}).get("error", {}).get("message"))
        if fault is None else models.BatchDecision(False, fault)
        for item, fault in zip(value["evaluations"], faults, strict=True)
    ]


def name_fault(name: str) -> str | None:
    """Returns why a name is invalid, as `check` reports it; None for a valid name."""
    class_, colon, id_ = name.partition(":")
    if name in ("store", "everyone", "anonymous"):
        return None
    if not colon or class_ == "store":
        return f"`{name[:80]}` is not a name: a name is `class:id`, or one of `store`, `everyone` and `anonymous`"
    if not class_:
        return f"`{name[:80]}` has no class before its colon"
    if not id_:
        return f"`{name[:80]}` has no id after its colon"
    if re.search(r"[\x00-\x1f\x7f-\x9f]", name):
        return f"{name[:80]!r} has a control character in it"
    return None


def entity(name: str) -> dict[str, JSON]:
    type_, _, id_ = name.partition(":")
    return {"type": type_, "id": id_ or type_}
