"""What a case holds once templates, shared graders and inline files are written out: the bound on a suite's memory."""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.suites.case import Case, CaseFile

SUITE_LIMIT = 32 * 1024 * 1024
"""Characters and parts of all cases of one skill, as many as bytes of a skill are read."""
_PART = 64
"""What a sentence, a check or a value costs beside its text."""
_FILE = 16
"""A fixture's name, which cases share; its content is counted where it stands in the case."""


class Scales:
    """Weighs cases; a list of fixtures that many of them share is counted for each, and looked through once."""

    def __init__(self) -> None:
        # With the list itself, so that its id is nobody else's meanwhile.
        self._files: dict[int, tuple[tuple[CaseFile, ...], int]] = {}

    def size_of(self, case: Case) -> int:
        """Characters of a case and its parts, in units of `SUITE_LIMIT`."""
        told = len(case.prompt) + len(case.reference or "") + _PART
        told += sum(len(behavior.text) + _PART for behavior in case.behaviors)
        told += sum(len(check.text) + _deep(check.args) + _PART for check in case.checks)
        if id(case.files) not in self._files:
            size = sum(len(file.content or "") + _FILE for file in case.files)
            self._files[id(case.files)] = (case.files, size)
        return told + self._files[id(case.files)][1] + _deep(case.unmapped)


def _deep(value: object) -> int:
    stack, told = [value], 0
    while stack:
        node = stack.pop()
        told += _PART
        if isinstance(node, str):
            told += len(node)
        elif isinstance(node, Mapping):
            stack += [*node.keys(), *node.values()]
        elif isinstance(node, list | tuple):
            stack += node
    return told
