"""Ways to spoil a skill that no rule was tuned on, and those that once were such.

Written down and committed before the first look at any of their figures (`git log benchmarks/held_out.py`); the
first look is recorded in docs/tier1.md as it was. Where it led to a change of a rule, an operator stopped being
unseen and moved to `FORMER`; others took its place.

A donor description is taken from the same repository where it has other skills, since a mix-up happens between
neighbours; which one is decided by a digest, not by what comes out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256

from aces_ci.core.reading.outline import outline
from aces_ci.core.skill import Skill
from benchmarks.spoil import with_body, with_description

PLACEHOLDER = "<command>"
_INLINE = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"[ /._-]")


def commands_blanked(skill: Skill) -> Skill | None:
    """Every line of a code block, every inline command, path and option gives way to one placeholder."""
    lines = skill.body.split("\n")
    fenced = [code for code in outline(skill.body).codes if code.fenced]
    inside = {at for code in fenced for at in range(code.line + 1, code.end_line)}
    count = 0
    for at, line in enumerate(lines, 1):
        if at in inside:
            if line.strip():
                lines[at - 1] = PLACEHOLDER
                count += 1
        elif not line.lstrip().startswith(("```", "~~~")):
            commands = [match for match in _INLINE.finditer(line) if _COMMAND.search(match[1])]
            for match in reversed(commands):
                line = f"{line[: match.start(1)]}{PLACEHOLDER}{line[match.end(1) :]}"
            lines[at - 1] = line
            count += len(commands)
    return with_body(skill, "\n".join(lines)) if count >= 4 else None


def sections_gutted(skill: Skill) -> Skill | None:
    """Under each heading only the first line of text stays; code blocks go."""
    code = {at for part in outline(skill.body).codes for at in range(part.line, part.end_line + 1)}
    heads = {heading.line for heading in outline(skill.body).headings}
    kept: list[str] = []
    dropped, open_ = 0, True
    for at, line in enumerate(skill.body.split("\n"), 1):
        if at in heads:
            kept += ["", line, ""]
            open_ = True
        elif line.strip() and open_ and at not in code:
            kept.append(line)
            open_ = False
        else:
            dropped += bool(line.strip())
    return with_body(skill, "\n".join(kept).strip("\n") + "\n") if len(heads) >= 3 and dropped >= 8 else None


def descriptions_mixed_up(skill: Skill, donors: Sequence[str]) -> Skill | None:
    """The description is another skill's, word for word, and there is a body to hold it against."""
    mine = " ".join((skill.description or "").split())
    others = sorted(
        {" ".join(text.split()) for text in donors} - {mine},
        key=lambda text: sha256(f"{skill.root}\0{text}".encode()).hexdigest(),
    )
    if len(mine) < 40 or not others or len(skill.body.split()) < 80:
        return None
    return with_description(skill, '"' + others[0].replace("\\", "").replace('"', "'") + '"')


def body_of_another(skill: Skill, bodies: Sequence[str]) -> Skill | None:
    """The body is another skill's, word for word: the wrong file was saved."""
    others = sorted(
        {text for text in bodies if len(text.split()) >= 80} - {skill.body},
        key=lambda text: sha256(f"{skill.root}\0body\0{text}".encode("utf-8", "surrogatepass")).hexdigest(),
    )
    if len(skill.body.split()) < 80 or len(skill.description or "") < 40 or not others:
        return None
    return with_body(skill, others[0])


def lists_flattened(skill: Skill) -> Skill | None:
    """Steps, items and the paragraphs between them become one paragraph a section; headings and blocks stay."""
    parts = outline(skill.body)
    code = {at for part in parts.codes for at in range(part.line, part.end_line + 1)}
    heads = {heading.line for heading in parts.headings}
    kept: list[str] = []
    run: list[str] = []
    items = 0
    for at, line in enumerate([*skill.body.split("\n"), ""], 1):
        if at in code or at in heads or line.lstrip().startswith(("|", ">")) or at > skill.body.count("\n") + 1:
            kept += [" ".join(run), "", line] if run else [line]
            run = []
        elif line.strip():
            plain = _BULLET.sub("", line)
            items += plain != line
            run.append(plain.strip())
    return with_body(skill, "\n".join(kept)) if items >= 6 else None


def every_second_line_gone(skill: Skill) -> Skill | None:
    """Of the lines that say something every second one is lost, fences and headings apart."""
    heads = {heading.line for heading in outline(skill.body).headings}
    kept, seen = [], 0
    for at, line in enumerate(skill.body.split("\n"), 1):
        if line.strip() and at not in heads and not line.lstrip().startswith(("```", "~~~")):
            seen += 1
            if seen % 2 == 0:
                continue
        kept.append(line)
    return with_body(skill, "\n".join(kept)) if seen >= 12 else None


_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def merged_with_another(skill: Skill, bodies: Sequence[str]) -> Skill | None:
    """A merge went wrong: from its middle on the body is another skill's, from that one's middle on."""
    others = sorted(
        {text for text in bodies if len(text.split()) >= 120} - {skill.body},
        key=lambda text: sha256(f"{skill.root}\0merged\0{text}".encode("utf-8", "surrogatepass")).hexdigest(),
    )
    mine = skill.body.rstrip("\n").split("\n")
    if len(skill.body.split()) < 120 or not others:
        return None
    other = others[0].rstrip("\n").split("\n")
    return with_body(skill, "\n".join([*mine[: len(mine) // 2], *other[len(other) // 2 :]]) + "\n")


def sentences_cut_short(skill: Skill) -> Skill | None:
    """Every line of text of six words or more breaks off after half of them; headings, tables and code stay."""
    parts = outline(skill.body)
    code = {at for part in parts.codes for at in range(part.line, part.end_line + 1)}
    kept, count = [], 0
    for at, line in enumerate(skill.body.split("\n"), 1):
        words = line.split()
        if at in code or len(words) < 6 or words[0].startswith(("#", "|", "```", "~~~")):
            kept.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        kept.append(indent + " ".join(words[: len(words) // 2]))
        count += 1
    return with_body(skill, "\n".join(kept)) if count >= 6 else None


def made_vague(skill: Skill) -> Skill | None:
    """Of every line of text each third word gives way to a word that says nothing; code, tables and headings stay."""
    parts = outline(skill.body)
    code = {at for part in parts.codes for at in range(part.line, part.end_line + 1)}
    kept, seen, count = [], 0, 0
    for at, line in enumerate(skill.body.split("\n"), 1):
        if at in code or line.lstrip().startswith(("#", "|", "```", "~~~")):
            kept.append(line)
            continue
        pieces = re.split(r"(\s+)", line)
        for place, piece in enumerate(pieces):
            if _PLAIN_WORD.fullmatch(piece):
                seen += 1
                if seen % 3 == 0:
                    pieces[place] = _VAGUE_WORDS[count % len(_VAGUE_WORDS)]
                    count += 1
        kept.append("".join(pieces))
    return with_body(skill, "\n".join(kept)) if count >= 20 else None


_PLAIN_WORD = re.compile(r"[A-Za-z]{3,}[,.;:]?")
_VAGUE_WORDS = ("usual", "similar", "different", "related", "normal", "certain", "further", "particular")


def headings_rotated(skill: Skill) -> Skill | None:
    """Sections below the title lose their headings to their neighbours: each carries that of the one before it."""
    heads = [heading for heading in outline(skill.body).headings if heading.level > 1]
    if len(heads) < 4:
        return None
    lines = skill.body.split("\n")
    texts = [heading.text for heading in heads]
    for heading, text in zip(heads, [texts[-1], *texts[:-1]], strict=True):
        lines[heading.line - 1] = f"{'#' * heading.level} {text}"
    return with_body(skill, "\n".join(lines))


def slop_added(skill: Skill) -> Skill | None:
    """A generator went over it: below each heading stands a paragraph that fits any skill."""
    heads = {heading.line for heading in outline(skill.body).headings}
    if len(heads) < 3:
        return None
    kept, count = [], 0
    for at, line in enumerate(skill.body.split("\n"), 1):
        kept.append(line)
        if at in heads:
            kept += ["", _SLOP[count % len(_SLOP)], ""]
            count += 1
    return with_body(skill, "\n".join(kept))


def conflict_left_in(skill: Skill) -> Skill | None:
    """A merge was committed unresolved: the middle third stands there in two versions, between conflict markers."""
    lines = skill.body.rstrip("\n").split("\n")
    if len(lines) < 18:
        return None
    first, last = len(lines) // 3, 2 * len(lines) // 3
    ours = lines[first:last]
    theirs = [" ".join(line.split(" ")[:-1]) if len(line.split()) > 6 else line for line in ours]
    middle = ["<<<<<<< HEAD", *ours, "=======", *theirs, ">>>>>>> update-skill"]
    return with_body(skill, "\n".join([*lines[:first], *middle, *lines[last:]]) + "\n")


_SLOP = (
    "This section covers the key aspects that matter most at this stage. "
    "Taking the time to get it right pays off later.",
    "Here we look at what makes the difference between a good result and a great one, "
    "so that nothing is left to chance.",
    "A thoughtful approach at this point helps to keep quality high and makes the rest of the work go more smoothly.",
    "With the groundwork in place, the following points bring everything together in a clear and structured way.",
)
HELD_OUT: Mapping[str, str] = {
    "headings_rotated": "every section stands below its neighbour's heading",
    "slop_added": "below each heading a paragraph that fits any skill",
    "conflict_left_in": "a third of it twice, between conflict markers",
}
FORMER: Mapping[str, str] = {
    "merged_with_another": "the second half of the body is another skill's",
    "sentences_cut_short": "every line of text breaks off in its middle",
    "made_vague": "every third word says nothing",
    "body_of_another": "the body is that of another skill",
    "lists_flattened": "steps and items run together in one paragraph a section",
    "every_second_line_gone": "half of the lines are lost",
    "commands_blanked": "every command, path and option is one placeholder",
    "sections_gutted": "a section keeps its first line",
    "descriptions_mixed_up": "the description is that of another skill",
}
"""Held out until their first look."""
