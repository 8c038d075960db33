"""What a change measures less, from the files of both sides, whatever dialect they are written in."""

from __future__ import annotations

import json

import pytest

from aces_ci import compose
from aces_ci.core.finding import Category
from aces_ci.core.gate_evals import WEAKENED
from aces_ci.core.request import Request
from aces_ci.core.skill import FileKind, SkillFile, Snapshot
from aces_ci.core.wire import from_line
from aces_ci.tiers.evals_guard import guard
from aces_ci.untrusted import answer

CASES = [
    {"id": "vat", "question": "Export October", "expected_skill": "ledger", "ground_truth": "three rows"},
    {"id": "split", "question": "Split the invoice", "expected_skill": "ledger", "ground_truth": "two invoices"},
]


def files(cases: object = CASES, **more: str) -> dict[str, SkillFile]:
    texts = {"SKILL.md": "---\nname: ledger\n---\n", "evals/evals.json": json.dumps(cases), **more}
    return {p: SkillFile(path=p, kind=FileKind.REGULAR, size=len(t), data=t.encode()) for p, t in texts.items()}


def found(before: dict[str, SkillFile], after: dict[str, SkillFile]) -> list[str]:
    rows = guard(before, after, compose.dialects(), root="skills/ledger", skill_name="ledger")
    assert all(row.code == WEAKENED and row.category is Category.EVALS and row.new for row in rows)
    return [row.message for row in rows]


def test_the_same_evals_and_more_cases_weaken_nothing() -> None:
    assert found(files(), files()) == []
    assert found(files(), files([*CASES, {**CASES[0], "id": "third"}])) == []
    assert found({}, files()) == []


def test_a_removed_case_is_named_at_the_file_that_lost_it() -> None:
    assert found(files(), files(CASES[:1])) == ["case split is gone"]
    (row,) = guard(files(), files(CASES[:1]), compose.dialects(), root="skills/ledger", skill_name="ledger")
    assert row.path == "skills/ledger/evals/evals.json"


def test_what_is_less_of_a_case_stands_at_its_line_and_what_is_gone_at_the_file() -> None:
    """A running number stood there, which a reader was sent to as a line."""
    less = [{**CASES[0], "id": "no-vat"}, {**CASES[0], "id": "vat-2"}, {**CASES[0], "question": "Hello"}]
    after = files(less)
    text = json.dumps(less, indent=1)
    after["evals/evals.json"] = SkillFile(
        path="evals/evals.json", kind=FileKind.REGULAR, size=len(text), data=text.encode()
    )
    rows = guard(files(), after, compose.dialects(), root="skills/ledger", skill_name="ledger")
    (line,) = (number for number, row in enumerate(text.split("\n"), start=1) if '"id": "vat"' in row)
    assert [(row.message, row.line, row.whole_file) for row in rows] == [
        ("case vat: its prompt is changed", line, False),
        ("case split is gone", 1, True),
    ]
    assert rows[0].hint.startswith("keep case vat as it was")
    assert len({row.id for row in rows}) == len({row.fingerprint for row in rows}) == 2


def test_removed_evals_name_every_case_at_the_manifest() -> None:
    bare = {"SKILL.md": files()["SKILL.md"]}
    rows = guard(files(), bare, compose.dialects(), root="skills/ledger", skill_name="ledger")
    assert len(rows) == 2 and {row.path for row in rows} == {"skills/ledger/SKILL.md"}


@pytest.mark.parametrize(
    ("more", "clause"),
    [
        ({"evals/grader.py": "print(1)"}, "evals/grader.py is changed"),
        ({"evals/files/in.csv": "b"}, "evals/files/in.csv is changed"),
        ({"evals/environment/Dockerfile": "FROM b"}, "evals/environment/Dockerfile is changed"),
        ({"evals/config.yml": "harbor:\n  n_attempts: 1\n"}, "attempts lowered from 5 to 1"),
    ],
)
def test_graders_fixtures_sandbox_and_attempts_are_watched(more: dict[str, str], clause: str) -> None:
    before = {
        "evals/grader.py": "exit(1)",
        "evals/files/in.csv": "a",
        "evals/environment/Dockerfile": "FROM a",
        "evals/config.yml": "harbor:\n  n_attempts: 5\n",
    }
    assert found(files(**before), files(**{**before, **more})) == [clause]


def test_broken_bytes_on_the_head_side_are_cases_gone_and_never_an_error() -> None:
    broken = files()
    broken["evals/evals.json"] = SkillFile(path="evals/evals.json", kind=FileKind.REGULAR, size=2, data=b"\xff\x00")
    assert found(files(), broken) == ["case vat is gone", "case split is gone"]


def test_the_unprivileged_reader_reports_it_with_tier_one() -> None:
    asked = Request(
        before=Snapshot(root="skills/ledger", files=files()),
        after=Snapshot(root="skills/ledger", files=files(CASES[:1])),
        added=False,
    )
    codes = [getattr(from_line(line), "code", "") for line in answer(asked)]
    assert WEAKENED in codes
