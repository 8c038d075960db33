"""YAML as evaluation files have it: safe, dates as text, no key twice, aliases that stand for little."""

from __future__ import annotations

from typing import Any

import yaml

from aces_ci.core.suites import yaml_aliases

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NotYaml(ValueError):
    """Why a text cannot be read; `line` is 1-based, None where the fault has no place."""

    def __init__(self, message: str, line: int | None, hint: str) -> None:
        super().__init__(message)
        self.line = line
        self.hint = hint


def documents(text: str) -> list[Any]:
    """All documents of a text, as plain data.

    Raises:
        NotYaml: says why and where.
        RecursionError: nested too deep.
    """
    try:
        # The composer in C offers no hook, so aliases are weighed before it runs.
        heavy = yaml_aliases.fault(text, _Base) if "*" in text else None
        if heavy is not None:
            raise NotYaml(heavy[0], heavy[1], "write the value out")
        return list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = error.problem or error.context or "cannot be read"
        raise NotYaml(f"not YAML: {said}", mark.line + 1 if mark else None, "correct the YAML on this line") from None
    except yaml.YAMLError as error:
        line = text.count("\n", 0, at) + 1 if isinstance(at := getattr(error, "position", None), int) else None
        raise NotYaml(f"not YAML: {str(error).splitlines()[0]}", line, "correct the YAML") from None


class _Loader(_Base):  # type: ignore[misc]
    """Safe, with dates as the text that was written, and with no key twice in a mapping."""

    def flatten_mapping(self, node: Any) -> None:
        """Looks at the keys as they are written, before those of `<<` come in, which may be overridden."""
        looked: set[int] = self.__dict__.setdefault("_looked", set())
        if id(node) not in looked:
            looked.add(id(node))
            _no_key_twice(node)
        super().flatten_mapping(node)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """As the safe loader, with the place of what no number or byte string can be made of."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError, TypeError) as error:
            said = str(error).splitlines()[0][:80]
            raise yaml.constructor.ConstructorError(None, None, said, node.start_mark) from None


def _no_key_twice(node: yaml.MappingNode) -> None:
    seen: set[tuple[str, str]] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            continue
        if (key.tag, key.value) in seen:
            raise yaml.constructor.ConstructorError(None, None, f'key "{key.value[:60]}" stands twice', key.start_mark)
        seen.add((key.tag, key.value))


# Dates stay the text that was written; JSON, which everything else speaks, has none.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rows if tag != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
