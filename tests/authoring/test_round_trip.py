"""Read, make canonical, write as agentskills.io, read again: nothing is lost that this format can say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci import compose
from aces_ci.core.suites.case import Behavior, Bucket, Case, CaseFile, Check, CheckKind, Role
from aces_ci.core.suites.eval_write import write
from tests.dialects.suites import files_below, suite_of
from tests.dialects.test_check_form import GOOD

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).filter(
    lambda text: text == text.strip() != ""
)
ROLE, WEIGHT = st.sampled_from(Role), st.sampled_from([0.0, 0.5, 1.0, 3.0])


@st.composite
def graded(draw: st.DrawFn) -> tuple[tuple[Behavior, ...], tuple[Check, ...]]:
    """Behaviours and checks in one order, numbered as a reader numbers them."""
    behaviors, checks = [], []
    names = draw(st.permutations(["time", "b1", "c1", "c3", "b2", "unit.2", "c99", "b10"]))
    for number in range(1, draw(st.integers(0, 4)) + 1):
        role, weight = draw(ROLE), draw(WEIGHT)
        named = draw(st.booleans())
        if draw(st.booleans()):
            name = names[number] if named else f"b{number}"
            if name in {item.id for item in (*behaviors, *checks)}:
                continue
            behaviors.append(Behavior(id=name, text=draw(TEXT), role=role, weight=weight))
        else:
            kind = draw(st.sampled_from(CheckKind))
            said = draw(st.sampled_from(["", "as said"]))
            name = names[number] if named else f"c{number}"
            if name in {item.id for item in (*behaviors, *checks)}:
                continue
            checks.append(Check(id=name, kind=kind, role=role, args=GOOD[kind], text=said, weight=weight))
    return tuple(behaviors), tuple(checks)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """What this format can say."""
    behaviors, checks = draw(graded())
    trigger = draw(st.sampled_from([True, False, None]))
    return Case(
        id=draw(st.from_regex(r"[a-z][a-z0-9.-]{0,8}[a-z0-9]", fullmatch=True)),
        prompt=draw(TEXT),
        reference=draw(st.none() | TEXT),
        files=draw(st.sampled_from([(), (CaseFile(source="evals/files/a.csv", target="a.csv"),)])),
        behaviors=behaviors,
        checks=checks,
        trigger=trigger,
        expected_skill="tide-tables" if trigger else None,
        bucket=Bucket.NEGATIVE if trigger is False else draw(st.none() | st.sampled_from(Bucket)),
        generated=draw(st.booleans()),
        unmapped=draw(st.sampled_from([{}, {"tags": ["x"]}])),
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(cases(), min_size=1, max_size=3, unique_by=lambda case: case.id.casefold()))
def test_any_case_comes_back_as_it_was(suite: list[Case]) -> None:
    text, lost = write(suite, "tide-tables")
    assert lost == ()
    again = suite_of({"evals/evals.json": text, "evals/files/a.csv": "1"})
    assert not again.errors
    assert [replace(case, provenance="") for case in again.cases] == suite


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_named_check_keeps_its_place_and_its_neighbours_their_numbers(place: int) -> None:
    rows: list[object] = ["first", "second"]
    rows.insert(place, {"check": "contains", "value": "x", "id": "named"})
    document = {"evals": [{"id": "a", "prompt": "p", "assertions": rows}]}
    text, _ = write(suite_of({"evals/evals.json": document}).cases, "tide-tables")
    assert json.loads(text)["evals"][0]["assertions"] == rows


def test_a_key_of_another_tool_never_takes_the_place_of_one_that_this_format_has() -> None:
    row = "- {name: a, prompt: p, id: other, files: [x], assertions: 5, expected_skill: null, tags: {k: v}}"
    cases = suite_of({"evals/eval.yaml": f"stimuli:\n{row}\n"}).cases
    text, lost = write(cases, "tide-tables")
    assert json.loads(text)["evals"] == [{"id": "a", "prompt": "p", "should_trigger": None, "tags": {"k": "v"}}]
    assert [clause.split("`")[1] for clause in lost] == ["id", "files", "assertions", "expected_skill"]


@pytest.mark.parametrize("name", [dialect.name for dialect in compose.dialects()])
def test_every_dialect_survives_the_way_through_it_but_for_what_is_named(root: Path, name: str) -> None:
    files = files_below(root / "fixtures/evals" / name)
    suite = suite_of(files)
    text, lost = write(suite.cases, "tide-tables")
    named = {file.source for case in suite.cases for file in case.files}
    again = suite_of({**{path: files[path] for path in named if path}, "evals/evals.json": text})
    assert len(again.cases) == len(suite.cases)
    for case, back in zip(suite.cases, again.cases, strict=True):
        assert (back.id, back.prompt, back.reference, back.trigger) == (
            case.id,
            case.prompt,
            case.reference,
            case.trigger,
        )
        assert [check.kind for check in back.checks] == [check.kind for check in case.checks]
        assert sorted(behavior.text for behavior in back.behaviors) == sorted(
            behavior.text for behavior in case.behaviors
        )
        named = any(clause.startswith(f"{case.id}:") for clause in lost)
        special = case.expected_script or case.acceptable_skills or any(file.content for file in case.files)
        assert not special or named
