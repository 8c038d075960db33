"""A line that the grammar takes for the end of the one before is a command of its own."""

from __future__ import annotations

import pytest

from aces_ci.core.scripts.danger import scan
from aces_ci.core.scripts.shell.commands import parse


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a | b | c x\nw m && h", [("c", ["x"], 1), ("w", ["m"], 2), ("h", [], 2)]),
        ("a | b | c x # note\nw m && h", [("c", ["x"], 1), ("w", ["m"], 2), ("h", [], 2)]),
        ("a | b | c x \\\n  y\nw m && h", [("c", ["x", "y"], 1), ("w", ["m"], 3), ("h", [], 3)]),
        ("a | b | c x\n\n# note\nw m && h", [("c", ["x"], 1), ("w", ["m"], 4), ("h", [], 4)]),
        ("a | b | c x # one\n# two\nw m && h", [("c", ["x"], 1), ("w", ["m"], 3), ("h", [], 3)]),
        ('a | b | c "x\ny"\nw && h', [("c", ["x\ny"], 1), ("w", [], 3), ("h", [], 3)]),
        ("a | b | c x\nw m && h\na | b | c y\nv && g", [("c", ["x"], 1), ("w", ["m"], 2), ("h", [], 2)]),
    ],
)
def test_each_line_is_its_own(script: str, expected: list[tuple[str, list[str], int]]) -> None:
    found = [(command.name, [word.shape for word in command.arguments], command.line) for command in parse(script)]
    assert found[2:5] == expected
    assert not any(";" in word for _, words, _ in found for word in words)


def test_what_stands_behind_a_pipeline_is_judged() -> None:
    """Else whoever puts one before it hides what follows."""
    assert "rm-root" in {hazard.shape for hazard in scan("a | b | c x\nrm -rf / && true")}


def test_a_here_document_is_left_as_it_is() -> None:
    script = "a | b | cat <<EOF\nx y\nEOF\nw m && h"
    assert [command.name for command in parse(script)] == ["a", "b", "cat", "w", "h"]
