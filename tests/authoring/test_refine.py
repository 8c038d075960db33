"""Refining: case by case, by what every good run did; a person's cases and intent stay as they are."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.authoring.refine import common, question, refine
from aces_ci.cli.main import cli
from aces_ci.core.errors import UsageError
from aces_ci.core.suites.authors_page import Intent
from aces_ci.core.suites.case import Case, CheckKind
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Arm
from aces_ci.core.wire import to_line
from tests.builders import a_score, a_trial
from tests.fakes.judge_model import MODEL, JudgeModel, prompt_of
from tests.fakes.upstream import Reply
from tests.traces import snippets

ROWS: list[dict[str, Any]] = [
    {"sh": "git status", "code": 0, "out": "clean"},
    {"sh": "python3 scripts/next_high.py a.csv", "code": 0, "out": "13:42"},
    {"say": "It is at 13:42"},
]
OTHER: list[dict[str, Any]] = [
    {"sh": "ls", "code": 0, "out": "a.csv"},
    {"sh": "git log", "code": 0, "out": "x"},
    {"sh": "python3 ./scripts/next_high.py a.csv", "code": 0, "out": "13:42"},
    {"say": "13:42"},
]
SCRIPTS = ("scripts/next_high.py",)
DRAFTED = Case(id="a", prompt="p", trigger=True, generated=True)


def traces(*rows: list[dict[str, Any]]) -> list[Trajectory]:
    return [snippets.trajectory("claude-code", one) for one in rows]


def test_what_every_good_run_did_becomes_a_check() -> None:
    found = refine(DRAFTED, traces(ROWS, OTHER), SCRIPTS, None)
    assert found.after is not None
    assert [(check.kind, dict(check.args)) for check in found.after.checks] == [
        (CheckKind.SCRIPT_RUN, {"script": "scripts/next_high.py"}),
        (CheckKind.TOOL_ORDER, {"tools": ["git", "python3"]}),
    ]
    assert found.after.reference is None, "nobody said that the answer is what the author wants"
    again = refine(found.after, traces(ROWS, OTHER), SCRIPTS, None)
    assert again.after is None


def test_one_run_that_did_otherwise_is_enough_to_learn_nothing() -> None:
    found = refine(DRAFTED, traces(ROWS, [{"say": "13:42"}]), SCRIPTS, None)
    assert found.after is None
    assert found.because == "good runs show nothing that it does not ask for"


@pytest.mark.parametrize(
    ("changes", "good", "because"),
    [
        ({"generated": False}, 2, "written by hand"),
        ({"trigger": False}, 2, "a negative case"),
        ({}, 1, "1 good runs; 2 are needed"),
    ],
)
def test_other_cases_stay(changes: dict[str, Any], good: int, because: str) -> None:
    found = refine(replace(DRAFTED, **changes), traces(*[ROWS] * good), SCRIPTS, lambda case, answer: True)
    assert found.after is None
    assert found.because.startswith(because)


@pytest.mark.parametrize(("agrees", "reference"), [(True, "It is at 13:42"), (False, None)])
def test_an_answer_becomes_the_reference_only_where_it_agrees_with_the_author(
    agrees: bool, reference: str | None
) -> None:
    found = refine(DRAFTED, traces(ROWS, OTHER), SCRIPTS, lambda case, answer: agrees)
    assert found.after is not None
    assert found.after.reference == reference
    asked = question(DRAFTED, "13:42", Intent(behaviors=("Names the datum",), notes=("in metres",)))
    assert "Names the datum" in asked.user
    assert "in metres" in asked.user


def test_the_common_order_is_bounded() -> None:
    assert common([["a", "b", "c", "d"], ["x", "a", "c", "d"], ["a", "d"]]) == ["a", "d"]
    assert len(common([list("abcdefgh"), list("abcdefgh")])) == 6
    assert common([]) == []


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    skill = tmp_path / "skills" / "tide-tables"
    (skill / "evals").mkdir(parents=True)
    (skill / "scripts").mkdir()
    (skill / "scripts/next_high.py").write_text("print(1)\n")
    (skill / "SKILL.md").write_text(
        "---\nname: tide-tables\ndescription: Reads tides.\n---\n# T\nRun scripts/next_high.py\n"
    )
    rows = [
        {"id": "mine", "prompt": "p", "assertions": ["x"], "my_key": 1},
        {"id": "drafted", "prompt": "q", "assertions": ["y"], "should_trigger": True, "generated": True, "tag": "t"},
    ]
    (skill / "evals/evals.json").write_text(json.dumps({"evals": rows, "note": "kept"}, indent=2))
    (skill / "evals/EVAL.md").write_text("# Behaviors\n- x\n")
    results = tmp_path / "results"
    (results / "t").mkdir(parents=True)
    lines = []
    for number, (arm, value) in enumerate([(Arm.WITH_SKILL, 1.0), (Arm.WITH_SKILL, 0.9), (Arm.BASELINE, 1.0)]):
        name = f"t/{number}.json"
        (results / name).write_bytes(trace_file.write(snippets.trajectory("claude-code", ROWS if number else OTHER)))
        for case in ("mine", "drafted"):
            trial = a_trial(
                digest=f"{case}{number}",
                skill="skills/tide-tables",
                case=case,
                arm=arm,
                attempt=number,
                trajectory=name,
            )
            lines += [trial, a_score(trial, metric="outcome", value=value)]
    (results / "evidence.jsonl").write_text("".join(f"{to_line(line)}\n" for line in lines))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for folder in ("objects", "refs"):
        (tmp_path / ".git" / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Any:
    line = ["evals", "refine", "skills/tide-tables", "--from", "results", *args]
    return CliRunner().invoke(cli, line, standalone_mode=False)


def test_it_prints_a_diff_keeps_a_backup_and_every_other_key(repo: Path) -> None:
    path = repo / "skills/tide-tables/evals/evals.json"
    before, page = path.read_text(), (path.parent / "EVAL.md").read_text()
    result = run()
    assert result.return_value == 0, result.exception
    assert result.stdout.startswith("--- a/evals/evals.json\n+++ b/evals/evals.json\n")
    assert "kept    mine: written by hand" in result.stderr
    document, old = json.loads(path.read_text()), json.loads(before)
    assert document["evals"][0] == old["evals"][0]
    assert document["note"] == "kept"
    changed = document["evals"][1]
    assert {key: changed[key] for key in ("id", "prompt", "tag", "generated")} == {
        key: old["evals"][1][key] for key in ("id", "prompt", "tag", "generated")
    }
    assert changed["assertions"][0] == "y"
    assert {one["check"] for one in changed["assertions"][1:]} == {"script_run", "tool_order"}
    (backup,) = path.parent.glob("*.bak")
    assert backup.read_text() == before
    assert (path.parent / "EVAL.md").read_text() == page


def test_a_dry_run_only_shows(repo: Path) -> None:
    path = repo / "skills/tide-tables/evals/evals.json"
    before = path.read_text()
    assert "script_run" in run("--dry-run").stdout
    assert path.read_text() == before


def test_results_without_a_run_of_the_skill_are_an_error(repo: Path) -> None:
    (repo / "results/evidence.jsonl").write_text("")
    refused = run().exception
    assert isinstance(refused, UsageError)
    assert refused.code == "no_runs"


@pytest.mark.parametrize(("says", "reference"), [(True, "13:42"), (False, None)])
def test_grounded_takes_over_an_answer_only_where_the_model_says_that_it_is_what_the_author_wants(
    repo: Path, monkeypatch: pytest.MonkeyPatch, says: bool, reference: str | None
) -> None:
    path = repo / "skills/tide-tables/evals/evals.json"
    page = (path.parent / "EVAL.md").read_text()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    with JudgeModel().running() as model:
        model.script = lambda seen: Reply(
            text=json.dumps({"reason": "so", "agrees": says}), usage=(100, 10, 0, 0), model=MODEL
        )
        sets = (
            f"judge.base_url={model.url}/v1",
            "judge.provider=openai_chat",
            "judge.model=gpt-5.4-mini",
            "budget.usd=1",
        )
        result = run("--grounded", *(part for one in sets for part in ("--set", one)))
        assert result.return_value == 0, result.exception
        prompts = [prompt_of(seen.body) for seen in model.seen]
    (asked,) = (json.loads(prompt.split("===\n", 1)[1].split("\n=== end", 1)[0]) for prompt in prompts)
    assert (asked["request"], asked["author"], asked["answer"]) == ("q", ["x"], "13:42")
    mine, drafted = json.loads(path.read_text())["evals"]
    assert drafted.get("expected_output") == reference
    assert mine == {"id": "mine", "prompt": "p", "assertions": ["x"], "my_key": 1}
    assert (path.parent / "EVAL.md").read_text() == page
    assert ("a good run's answer agrees" in result.stderr) is says


def test_grounded_without_a_provider_says_what_to_set_and_changes_nothing(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    before = (repo / "skills/tide-tables/evals/evals.json").read_text()
    refused = run("--grounded").exception
    assert isinstance(refused, UsageError)
    assert refused.code == "no_key"
    assert (repo / "skills/tide-tables/evals/evals.json").read_text() == before
