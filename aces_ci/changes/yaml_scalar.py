"""What a plain scalar means in the YAML 1.2 core schema (yaml.org/spec/1.2.2, section 10.3.2)."""

from __future__ import annotations

import re

_TAG = "tag:yaml.org,2002:"
CORE_TAGS = frozenset(
    form + kind for kind in ("str", "int", "float", "bool", "null", "map", "seq") for form in (_TAG, "!!")
)
_INT = re.compile(r"[-+]?[0-9]{1,400}")
_OCT_HEX = re.compile(r"0o[0-7]{1,400}|0x[0-9a-fA-F]{1,400}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def resolve(text: str, *, plain: bool, tag: str) -> object:
    """str, int, float, bool or None. Quoted scalars are text; so are dates, `yes` and `on`."""
    if tag.endswith(("str", "!")) or (not plain and not tag):
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _OCT_HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
