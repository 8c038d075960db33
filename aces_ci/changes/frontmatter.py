"""Where the frontmatter of a manifest begins and ends, by the letter of the specification."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aces_ci.core.skill import ParseProblem, Place

_FENCE = "---"
_HEADING_KEY = re.compile(r"#+ +[A-Za-z][\w-]*:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The text between the fences. `line` is the manifest's 1-based line on which `text` begins."""

    text: str
    line: int
    body: str
    body_line: int


def locate(text: str) -> tuple[Block | None, tuple[ParseProblem, ...]]:
    """The block, or None where there is none; with every problem of its fences.

    A fence is a line of exactly three hyphens (trailing blanks allowed), so a table rule or an indented
    `---` inside a value closes nothing. A block that does not begin on line 1 is read and reported.
    """
    lines = text.split("\n")
    if not text.strip():
        return None, (_problem("empty", "The file is empty.", "write frontmatter with name and description", 1),)
    first = next((number for number, line in enumerate(lines[:20]) if line.rstrip() == _FENCE), None)
    if first is None or not _only_furniture(lines[:first]):
        message = "The file does not begin with a `---` line, so agents find no name and no description."
        hint = "start the file with `---`, `name:`, `description:`, `---`"
        return None, (_problem("missing", message, hint, 1),)
    problems: list[ParseProblem] = []
    if first > 0:
        message = f"The frontmatter begins on line {first + 1}; unless it is line 1, readers do not see it."
        hint = "move what stands before the opening `---` below the closing one"
        problems.append(_problem("content_before", message, hint, 1))
    for number in range(first + 1, len(lines)):
        if lines[number].rstrip() == _FENCE:
            body = "\n".join(lines[number + 1 :])
            inner = "\n".join(lines[first + 1 : number])
            block = Block(text=inner, line=first + 2, body=body, body_line=number + 2)
            return block, tuple(problems)
    problems.append(_unclosed(lines, first))
    return None, tuple(problems)


def _only_furniture(before: list[str]) -> bool:
    """Blank lines, a comment, or the opening of a code fence: what people put above frontmatter."""
    rest = re.sub(r"<!--.*?-->", "", "\n".join(before), flags=re.DOTALL)
    return all(not line.strip() or line.startswith(("```", "~~~")) for line in rest.split("\n"))


def _unclosed(lines: list[str], first: int) -> ParseProblem:
    message = f"The frontmatter opened on line {first + 1} is never closed."
    hint = "put a line with only `---` after the last field"
    rest = [(number, line) for number, line in enumerate(lines, start=1) if number > first + 1]
    dots = next((number for number, line in rest if line.rstrip() == "..."), None)
    heading = next(((number, line) for number, line in rest if line.strip()), (0, ""))
    if dots is not None:
        message += f" Line {dots} ends it with `...`, which YAML allows and skills do not."
        hint = f"write `---` instead of `...` on line {dots}"
    elif _HEADING_KEY.match(heading[1]):
        message += f" Line {heading[0]} looks rewritten by a Markdown formatter: a field became a heading."
        hint = "restore the block and tell the formatter to leave frontmatter alone"
    return _problem("unclosed", message, hint, first + 1)


def _problem(kind: str, message: str, hint: str, line: int) -> ParseProblem:
    place = Place(line=line, column=1, end_line=line, end_column=4)
    return ParseProblem(kind=kind, message=message, hint=hint, place=place, fatal=True)
