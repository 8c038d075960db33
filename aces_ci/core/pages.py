"""A report as texts: all that a forge, a log and a folder of results get to see of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One line in the diff view. `level` is error, warning or notice; title at most 60 characters."""

    level: str
    path: str
    line: int
    end_line: int
    title: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """One report, rendered for one place."""

    texts: Mapping[str, str]
    """File name to text, of every format."""
    smaller: str
    """The comment with the same verdict in fewer words, for a forge that refused the long one."""
    annotations: tuple[Annotation, ...]
    outputs: Mapping[str, str]
    """What the action and the component hand on."""
    brief: str
    """`report.txt` without its notes, for a terminal that did not ask for them."""
    title: str
    """The headline in plain words."""
