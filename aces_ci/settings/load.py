"""Layers to settings: default < aces.yml of the policy branch < CI inputs < command line; each origin is kept."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.settings import source
from aces_ci.settings.model import Settings
from aces_ci.settings.refuse import COMMAND_LINE, explain
from aces_ci.settings.source import Document

Path = tuple[str, ...]
ALIKE = 0.95
"""How like a setting's variable another one is from which on it is that one, mistyped: a letter or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Settings, and for every leaf that is not a default where its value came from."""

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)
    """Dotted key to origin, e.g. `gates.spec` to `aces.yml:12 (main 4be1f02)`."""


def leaves(model: type[BaseModel] = Settings, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every setting as (path, pydantic FieldInfo), in the order of the model."""
    for name, info in model.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from leaves(kind, (*path, name))
        else:
            yield (*path, name), info


def twin(path: Path) -> str:
    """The environment variable of a setting: `live.when` is `ACES_LIVE_WHEN`."""
    return "ACES_" + "_".join(path).upper()


def load(
    *,
    policy: Document | None = None,
    policy_origin: str = "",
    env: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
) -> Loaded:
    """Merge all layers.

    `inputs` are CI inputs by dotted key; `overrides` are `key=value` of the command line. Values are YAML.

    Raises:
        UsageError: an unknown key (with a suggestion), a mistyped variable, or a value that its setting does not take;
            located.
    """
    data: dict[str, Any] = {}
    origins: dict[str, str] = {}
    if policy is not None:
        _merge(data, policy.data)
        for path in _paths(policy.data):
            line = policy.place(path)
            origins[".".join(path)] = f"{policy.name}:{line[0] if line else 1} {policy_origin}".strip()
    _mistyped(env or {})
    flat = [(path, (env or {}).get(twin(path), ""), f"environment {twin(path)}") for path, _ in leaves()]
    flat += [(tuple(key.split(".")), value, f"input {key}") for key, value in (inputs or {}).items()]
    flat += [(*_assignment(text), COMMAND_LINE) for text in overrides]
    for path, value, origin in flat:
        if value != "" or origin == COMMAND_LINE:
            _put(data, path, _scalar(value, ".".join(path)))
            origins = {key: old for key, old in origins.items() if not f"{key}.".startswith(".".join(path) + ".")}
            origins[".".join(path)] = origin
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        raise explain(error, policy, origins) from None
    return Loaded(settings=settings, origins=origins)


def _mistyped(env: Mapping[str, str]) -> None:
    """Raises UsageError for a variable that is all but the one of a setting; others of that beginning are not ours."""
    twins = [twin(path) for path, _ in leaves()]
    for name in sorted(name for name in env if name.startswith("ACES_") and name not in twins):
        if close := difflib.get_close_matches(name, twins, n=1, cutoff=ALIKE):
            raise UsageError(
                f"no setting has the variable `{name}`; did you mean `{close[0]}`?",
                code="setting",
                at="environment",
                why="an ignored one could spend money or open a gate unnoticed",
                do="rename it, or unset it; all of them: aces-ci settings",
            )


def with_server(url: str | None, overrides: Sequence[str]) -> tuple[str, ...]:
    """`--set` of a command line that names one model server for all: a setting that is spelled out outranks it."""
    return (f"judge.base_url={url}", *overrides) if url else tuple(overrides)


def _assignment(text: str) -> tuple[Path, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"`--set {text}` is not key=value", code="setting", do="e.g. --set live.when=label")
    return tuple(key.strip().split(".")), value.strip()


def _scalar(value: str, key: str) -> object:
    return source.read(f"value: {value}\n".encode(), f"value of {key}").data["value"]


def _merge(into: dict[str, Any], layer: Mapping[str, object]) -> None:
    for key, value in layer.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = dict(value) if isinstance(value, Mapping) else value


def _put(into: dict[str, Any], path: Path, value: object) -> None:
    *parents, last = path
    for name in parents:
        child = into.setdefault(name, {})
        if not isinstance(child, dict):
            child = into[name] = {}
        into = child
    into[last] = value


def _paths(data: object, path: Path = ()) -> Iterator[Path]:
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from _paths(value, (*path, str(key)))
    elif path:
        yield path
