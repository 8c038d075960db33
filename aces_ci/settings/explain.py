"""Settings as rows: value, origin, meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from aces_ci.settings.load import Loaded, leaves, twin


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting."""

    key: str
    value: Any
    """As plain data."""
    origin: str
    """`default`, or where the value was read."""
    help: str
    twin: str
    """Its environment variable."""

    @property
    def shown(self) -> str:
        """The value as YAML flow, on one line."""
        return json.dumps(self.value, ensure_ascii=False)

    def json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def rows(loaded: Loaded) -> Iterator[Row]:
    """Every leaf, in the order of the model."""
    data = loaded.settings.model_dump(mode="json")
    for path, info in leaves():
        value: Any = data
        for name in path:
            value = value[name]
        key = ".".join(path)
        origin = next(
            (where for known, where in loaded.origins.items() if known == key or known.startswith(f"{key}.")),
            "default",
        )
        yield Row(key=key, value=value, origin=origin, help=info.description or "", twin=twin(path))
