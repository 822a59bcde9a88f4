# SPDX-License-Identifier: MIT
"""Events of resources, as games send them: which of them make, end and bring back effects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .particle_configs import WaterConfig

__all__ = ["ResourceEvent", "read_event"]

_KINDS = {
    "spawned": "spawned",
    "respawned": "respawned",
    "depleted": "depleted",
    "removed": "removed",
    "despawned": "removed",
}


class ResourceEvent:
    """What an event of a fishing spot asks for."""

    def __init__(self, kind: str, id: Any, config: WaterConfig | None):
        self.kind, self.id, self.config = kind, id, config


def _kind_of(event: Mapping[str, Any]) -> str | None:
    """The word at the end of such as "resource:spawned" or "RESOURCE_SPAWNED"."""
    word = event.get("type", event.get("event", "spawned"))
    if not isinstance(word, str):
        return None
    return _KINDS.get(word.lower().replace(":", "_").rsplit("_", 1)[-1])


def read_event(event: Any, spots: Mapping[Any, Any]) -> ResourceEvent | None:
    """The event, or None where it is to be ignored: of another kind of resource, or without an id.

    Its config is None where it says no position. spots: those that are known.
    """
    if not isinstance(event, Mapping):
        raise TypeError(f"event must be a dict, got {type(event).__name__}")
    kind = _kind_of(event)
    id = event.get("id", event.get("entityId"))
    resource = event.get("resourceType")
    if kind is None or id is None:
        return None
    if resource != "fishing_spot" and (resource is not None or id not in spots):
        return None
    position = event.get("position")
    if position is None:
        return ResourceEvent(kind, id, None)
    return ResourceEvent(kind, id, WaterConfig(position, event.get("resourceId") or ""))
