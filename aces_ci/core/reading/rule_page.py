"""A rule as a page: for the terminal, for docs/rules.md, and as an entry of JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from aces_ci.core.finding import Category
from aces_ci.core.inert import named
from aces_ci.core.reading.further_codes import Code
from aces_ci.core.rule import Example, Profile, Rule

_KEPT = 14
"""Lines of an example that are shown."""


def prose(rule: Rule) -> str:
    """The module's docstring: the rule's own words, or what the loader filled in."""
    module = sys.modules.get(rule.check.__module__)
    return (rule.prose or (module.__doc__ if module else None) or rule.title).strip()


def entry(rule: Rule) -> dict[str, object]:
    """JSON-ready."""
    return {
        "code": rule.code,
        "slug": rule.slug,
        "title": rule.title,
        "severity": rule.severity.value,
        "category": rule.category.value,
        "dimension": rule.dimension.value if rule.dimension else None,
        "profiles": sorted(profile.value for profile in rule.profiles),
        "requires": list(rule.requires),
        "hint": rule.hint,
        "confidence": rule.confidence.value,
        "prose": prose(rule),
        "fires_on": rule.fires_on or rule.fires_beyond,
        "silent_on": rule.silent_on,
    }


def page(rule: Rule) -> Iterator[str]:
    """Lines for a terminal."""
    yield f"{rule.code} {rule.slug}"
    yield ""
    yield prose(rule)
    yield ""
    yield f"severity   {rule.severity.value}, category {rule.category.value}"
    yield f"score      {points(rule)}"
    if rule.profiles != frozenset(Profile):
        yield f"profile    {', '.join(sorted(profile.value for profile in rule.profiles))} only"
    if rule.requires:
        yield f"needs      {', '.join(rule.requires)} to be silent"
    yield f"fix        {rule.hint}"
    yield f"fires on   {rule.fires_on or rule.fires_beyond}"
    yield f"silent on  {rule.silent_on}"
    for title, example in (("bad", _first(rule, fires=True)), ("good", _first(rule, fires=False))):
        if example is not None:
            yield ""
            yield f"{title}:"
            for line in _shown(example):
                yield f"    {line}".rstrip()
    yield ""
    yield f"leave it be, with a reason: {_leave(rule)}"


def markdown(rules: Iterable[Rule], further: Iterable[Code] = ()) -> str:
    """docs/rules.md: one document, a table and then a section a rule."""
    listed = list(rules)
    rows = [
        "# The rules of tier 1",
        "",
        "<!-- generated: aces-ci rules --format markdown > docs/rules.md; a test compares -->",
        "",
        f"{len(listed)} deterministic rules. The same text gets the same findings and the same number; they say "
        "nothing about whether an agent gets better.",
        "",
        "| Code | Severity | Counts for | What is wrong |",
        "|:--|:--|:--|:--|",
    ]
    for rule in listed:
        where = rule.dimension.value if rule.dimension else rule.category.value
        rows.append(f"| [{rule.code}](#{rule.code.lower()}) | {rule.severity.value} | {where} | {rule.title} |")
    further = list(further)
    rows += [
        f"| [{code.code}](#{code.code.lower()}) | {code.severity} | {code.category} | {code.title} |"
        for code in further
    ]
    for rule in listed:
        rows += ["", *_section(rule)]
    for code in further:
        rows += ["", *code.section()]
    return "\n".join(rows) + "\n"


def _section(rule: Rule) -> Iterator[str]:
    yield f'<a id="{rule.code.lower()}"></a>'
    yield ""
    yield f"## {rule.code} {rule.slug}"
    yield ""
    yield prose(rule)
    yield ""
    yield "| Severity | Score | Profiles | Needs silent | Sure |"
    yield "|:--|:--|:--|:--|:--|"
    profiles = "all" if rule.profiles == frozenset(Profile) else ", ".join(sorted(p.value for p in rule.profiles))
    needs = ", ".join(rule.requires) or "nothing"
    yield f"| {rule.severity.value} | {points(rule)} | {profiles} | {needs} | {rule.confidence.value} |"
    yield ""
    yield f"**Fix:** {rule.hint}."
    for title, example in (("Bad", _first(rule, fires=True)), ("Good", _first(rule, fires=False))):
        if example is not None:
            shown = list(_shown(example))
            longest = max((len(run) for line in shown for run in re.findall(r"`+", line)), default=2)
            fence = "`" * max(3, longest + 1)
            yield ""
            yield f"{title}:"
            yield ""
            yield f"{fence}text"
            yield from shown
            yield fence
    yield ""
    yield f"{_fires(rule)} Rightly silent on `{rule.silent_on}`."


def _fires(rule: Rule) -> str:
    if rule.fires_on:
        return f"Fires on the public skill `{rule.fires_on}`."
    return f"No public skill of the corpus makes it fire; outside of it `{rule.fires_beyond}` does."


def _leave(rule: Rule) -> str:
    """How a team lives with it. A critical finding is never set aside by the file that carries it."""
    comment = f"<!-- aces-ignore {rule.code}: why -->"
    if rule.category is not Category.SECURITY:
        return comment
    return (
        f"{comment}\n(not where it is critical: there only a baseline file on the default branch can; --write-baseline)"
    )


def points(rule: Rule) -> str:
    """What it takes off the score, in words."""
    if rule.dimension is None:
        return "none"
    if not rule.weight:
        return f"{rule.dimension.value}, by how much is missing"
    most = f", at most {rule.cap:g}" if rule.cap < 100 and rule.cap != rule.weight else ""
    return f"{rule.dimension.value}, {rule.weight:g} of 100 each{most}"


def _first(rule: Rule, *, fires: bool) -> Example | None:
    return next((example for example in rule.examples if bool(example.lines) is fires), None)


def _shown(example: Example) -> Iterator[str]:
    # A manifest may be called otherwise: it comes first.
    marked = example.path or next(iter(example.files))
    for path, text in example.files.items():
        yield f"{example.directory}/{path}"
        lines = text.rstrip("\n").encode("utf-8", "backslashreplace").decode().split("\n")
        for number, line in enumerate(lines[:_KEPT], start=1):
            mark = ">" if number in example.lines and path == marked else " "
            flat = named(line.replace("\r", "<CR>").replace("\ufeff", "<BOM>"))
            yield f"{mark} {number:>3} | {flat[:100]}{'…' if len(flat) > 100 else ''}".rstrip()
        if len(lines) > _KEPT:
            yield f"      … {len(lines) - _KEPT} more lines"
