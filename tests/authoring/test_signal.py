"""Whether items measure the skill: predicted by a model that does not see it, and replayed on a good and a bad run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.authoring.masked import items, predict
from aces_ci.cli.main import cli
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.errors import UsageError
from aces_ci.core.suites.case import Behavior, Case, Check, CheckKind, Role
from aces_ci.core.trace import file as trace_file
from tests.traces import snippets

CASE = Case(
    id="a",
    prompt="When is high water?",
    reference="13:42",
    behaviors=(Behavior(id="b1", text="Names the house datum"),),
    checks=(Check(id="c2", kind=CheckKind.CONTAINS, role=Role.OUTCOME, args={"value": "13:42"}),),
)


def test_each_item_is_asked_without_the_skill() -> None:
    asked: list[Question] = []

    def ask(questions: Sequence[Question]) -> list[Answer]:
        asked.extend(questions)
        replies: list[dict[str, object] | None] = [
            {"verdict": "no", "reason": "a house rule"},
            {"verdict": "yes", "reason": "plain"},
            None,
        ]
        return [
            Answer(item=question.item, vote=1, reply=reply, error=None if reply else "429")
            for question, reply in zip(questions, replies, strict=True)
        ]

    rows = predict([CASE, Case(id="n", prompt="x", trigger=False, behaviors=CASE.behaviors)], ask)
    assert [(row.case, row.item, row.verdict) for row in rows] == [
        ("a", "b1", "no"),
        ("a", "c2", "yes"),
        ("a", "reference", None),
    ]
    assert rows[2].reason == "429"
    assert all("When is high water?" in question.user for question in asked)
    assert "contains value '13:42'" in items(CASE)[1][1]


def test_an_empty_suite_asks_nothing() -> None:
    def ask(questions: Sequence[Question]) -> list[Answer]:
        raise AssertionError("nothing is to be asked")

    assert predict([Case(id="n", prompt="x", trigger=False)], ask) == []


def test_masked_without_a_provider_says_what_to_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "evals").mkdir()
    (tmp_path / "SKILL.md").write_text("---\nname: a-b\ndescription: Does x.\n---\n# A\n")
    (tmp_path / "evals/evals.json").write_text('{"evals": [{"id": 1, "prompt": "p", "assertions": ["x"]}]}')
    result = CliRunner().invoke(cli, ["evals", "masked", str(tmp_path)], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
    assert result.exception.message.startswith("nobody can answer")


@pytest.fixture
def traces(tmp_path: Path) -> tuple[Path, Path, Path]:
    case = {
        "id": "a",
        "prompt": "p",
        "assertions": [
            {"check": "contains", "value": "TOTAL 7", "id": "good"},
            {"check": "command_ran", "program": "make", "id": "always"},
            {"check": "command_ran", "program": "cargo", "id": "never"},
            {"check": "not_contains", "value": "TOTAL", "id": "turned"},
            {"check": "file_exists", "path": "a.txt", "id": "unseen"},
        ],
    }
    (tmp_path / "evals.json").write_text(json.dumps({"evals": [case]}))
    rows: list[dict[str, Any]] = [{"sh": "make report", "code": 0, "out": "ok"}]
    for name, said in (("passing", "TOTAL 7"), ("failing", "no idea")):
        trajectory = snippets.trajectory("claude-code", [*rows, {"say": said}])
        (tmp_path / f"{name}.json").write_bytes(trace_file.write(trajectory))
    return tmp_path / "evals.json", tmp_path / "passing.json", tmp_path / "failing.json"


def test_dead_checks_are_named(traces: tuple[Path, Path, Path]) -> None:
    case, passing, failing = traces
    line = ["evals", "replay", str(case), "--passing", str(passing), "--failing", str(failing), "--format", "json"]
    result = CliRunner().invoke(cli, line, standalone_mode=False)
    assert result.return_value == 1, result.exception
    found = {row["check"]: row["signal"] for row in json.loads(result.stdout)["checks"]}
    assert found == {
        "good": "tells them apart",
        "always": "dead: passes on both",
        "never": "dead: fails on both",
        "turned": "dead: upside down",
        "unseen": "cannot tell",
    }
    text = CliRunner().invoke(cli, line[:-2], standalone_mode=False).stdout
    assert "dead: upside down" in text
