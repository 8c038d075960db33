"""Every rule fires on its bad examples at the lines it names, and is silent on its good ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.rule import Example, Profile, Rule
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, universal_newlines
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess

RULES = tuple(rule for rule in load("rules", "RULE", "code") if isinstance(rule, Rule))


def skill_of(example: Example) -> Skill:
    files = {}
    for path, text in example.files.items():
        data = text.encode("utf-8", "surrogateescape")
        files[path] = SkillFile(path=path, kind=FileKind.REGULAR, size=len(data), data=data)
    return parse_skill(root=f"skills/{example.directory}", files=files)


def fired(rule: Rule, example: Example) -> list[Finding]:
    siblings = [Sibling(path=name, name=name, description=text) for name, text in example.siblings.items()]
    profile = Profile.STRICT if rule.profiles == frozenset({Profile.STRICT}) else Profile.ACES
    alone = frozenset(rule.explained_by)
    _, findings = assess(skill_of(example), RULES, profile=profile, siblings=siblings, disabled=alone)
    return [finding for finding in findings if finding.code == rule.code]


def examples() -> Iterator[tuple[Rule, int]]:
    return ((rule, number) for rule in RULES for number in range(len(rule.examples)))


@pytest.mark.parametrize(("rule", "number"), list(examples()), ids=lambda value: getattr(value, "code", str(value)))
def test_an_example_fires_exactly_where_it_says(rule: Rule, number: int) -> None:
    example = rule.examples[number]
    mine = fired(rule, example)
    assert tuple(finding.line for finding in mine) == example.lines
    place = example.path or skill_of(example).manifest
    assert {finding.path for finding in mine} <= {f"skills/{example.directory}/{place}"}
    for finding in mine:
        assert finding.message and finding.hint and finding.path
        assert len(finding.title) <= 60 and not finding.title.endswith(".")


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize(
    ("rule", "number"),
    [(rule, number) for rule, number in examples() if len(rule.examples[number].files) > 1],
    ids=lambda value: getattr(value, "code", str(value)),
)
def test_a_line_is_the_same_line_however_it_ends(rule: Rule, number: int, end: str) -> None:
    example = rule.examples[number]
    files = {
        path: text if path.lower() == "skill.md" else universal_newlines(text).replace("\n", end)
        for path, text in example.files.items()
    }
    places = [(finding.path, finding.line, finding.title) for finding in fired(rule, example)]
    others = fired(rule, replace(example, files=files))
    assert [(finding.path, finding.line, finding.title) for finding in others] == places


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_shows_both_sides_and_is_named_like_its_file(rule: Rule) -> None:
    assert any(example.lines for example in rule.examples), "no example fires"
    assert any(not example.lines for example in rule.examples), "no example is silent"
    module = rule.check.__module__.rsplit(".", 1)[-1]
    assert module == f"{rule.code.lower()}_{rule.slug.replace('-', '_')}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_errors_are_for_the_specification_alone(rule: Rule) -> None:
    assert (rule.severity is Severity.ERROR) == (rule.category is Category.SPEC)
    assert (rule.category is Category.SPEC) == rule.code.startswith("SP")
    assert (rule.dimension is not None) == (rule.category is Category.QUALITY)


def test_what_a_rule_requires_exists() -> None:
    codes = {rule.code for rule in RULES}
    assert not {needed for rule in RULES for needed in rule.requires} - codes
