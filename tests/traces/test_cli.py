"""`aces-ci trace` and `aces-ci grade` as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from aces_ci.cli.grade import COMMAND as GRADE
from aces_ci.cli.trace import COMMAND as TRACE
from aces_ci.core.errors import UsageError
from aces_ci.core.score import Score
from aces_ci.core.trace.file import write
from aces_ci.core.wire import from_line
from tests.traces import snippets

ROWS: list[dict[str, Any]] = [
    {"skill": "pdf"},
    {"sh": "python3 scripts/fill.py a.pdf", "out": "TOTAL 7"},
    {"say": "TOTAL 7"},
]
CASE = {
    "id": "fill",
    "prompt": "Fill the form.",
    "trigger": True,
    "expected_skill": "pdf",
    "expected_script": "scripts/fill.py",
    "checks": [{"id": "total", "kind": "contains", "role": "outcome", "args": {"value": "TOTAL 7"}}],
}


def call(command: Any, *args: object) -> Result:
    return CliRunner().invoke(command, [str(arg) for arg in args])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    trace, case = tmp_path / "t.json", tmp_path / "case.json"
    trace.write_bytes(write(snippets.trajectory("claude-code", ROWS)))
    case.write_text(json.dumps(CASE), encoding="utf-8")
    return trace, case


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code"])
def test_a_recorded_folder_goes_from_log_to_scores(shared: Path, tmp_path: Path, harness: str) -> None:
    target = tmp_path / "trace.json"
    folder = shared / "transcripts" / harness / "a-with-skill"
    converted = call(TRACE, "convert", folder, "--output-file", target)
    assert converted.exit_code == 0, converted.output
    assert f"{harness}: " in converted.stderr and "unverified" in converted.stderr
    checked = call(TRACE, "validate", target)
    assert (checked.exit_code, "valid (ATIF-v1.7" in checked.output) == (0, True)
    shown = call(TRACE, "show", target)
    assert "QUARTZ-TOTAL 7" in shown.output
    case = tmp_path / "evals.json"
    document = {
        "skill_name": "quartz-report",
        "evals": [
            {"id": "q", "prompt": "Give me the quartz report.", "expected_output": "QUARTZ-TOTAL 7",
             "expected_skill": "quartz-report",
             "assertions": [{"check": "contains", "value": "QUARTZ-TOTAL 7", "role": "outcome"}]}
        ],
    }  # fmt: skip
    case.write_text(json.dumps(document), encoding="utf-8")
    graded = call(GRADE, target, "--case", case, "--skill", "quartz-report", "--format", "json")
    assert graded.exit_code == 0, graded.output
    values = {score["metric"]: score["value"] for score in json.loads(graded.stdout)["scores"]}
    assert values["outcome"] == values["skill_execution"] == values["security"] == 1.0
    assert values["accuracy"] is None


def test_json_has_scores_dimensions_and_that_the_trace_is_unverified(files: tuple[Path, Path]) -> None:
    trace, case = files
    document = json.loads(call(GRADE, trace, "--case", case, "--format", "json").stdout)
    assert document["schema_version"] == 1
    assert document["flags"] == ["unverified"]
    assert document["dimensions"]["discoverability"] == 1.0
    assert document["dimensions"]["correctness"] is None


def test_scores_are_appended_as_evidence_lines(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace, case = files
    target = tmp_path / "evidence.jsonl"
    for _ in range(2):
        assert call(GRADE, trace, "--case", case, "--evidence", target).exit_code == 0
    lines = target.read_text(encoding="ascii").splitlines()
    scores = [from_line(line) for line in lines]
    assert all(isinstance(score, Score) for score in scores)
    assert len({score.id for score in scores}) * 2 == len(lines)


def test_decoys_and_arm_reach_the_metrics(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, case = files
    trace = tmp_path / "d.json"
    trace.write_bytes(write(snippets.trajectory("claude-code", [{"skill": "docx"}, *ROWS])))
    given = ("--decoy", "docx", "--arm", "baseline", "--format", "json")
    document = json.loads(call(GRADE, trace, "--case", case, *given).stdout)
    by_name = {score["metric"]: score for score in document["scores"]}
    assert next(part["value"] for part in by_name["skill_efficiency"]["parts"] if part["name"] == "routing") == 0.5
    assert by_name["skill_use_trigger"]["because"] == "there is no skill in this arm"


def test_a_collected_workspace_is_checked(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace, _ = files
    case = tmp_path / "w.json"
    check = {"id": "f", "kind": "file_exists", "role": "outcome", "args": {"path": "out/a.md"}}
    case.write_text(json.dumps({**CASE, "checks": [check]}), encoding="utf-8")
    folder = tmp_path / "ws" / "out"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("x", encoding="utf-8")
    for extra, want in (((), None), (("--workspace", tmp_path / "ws"), 1.0)):
        document = json.loads(call(GRADE, trace, "--case", case, "--format", "json", *extra).stdout)
        assert next(s["value"] for s in document["scores"] if s["metric"] == "outcome_checks") == want


def test_what_cannot_be_read_is_one_clear_error(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace, case = files
    bad = tmp_path / "bad.json"
    bad.write_text('{"steps": []}', encoding="utf-8")
    several = tmp_path / "several.json"
    several.write_text(json.dumps([CASE, {**CASE, "id": "other"}]), encoding="utf-8")
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps({**CASE, "checks": [{"id": 1}]}), encoding="utf-8")
    for arguments, clause in (
        ((bad, "--case", case), "not a valid ATIF trajectory"),
        ((tmp_path / "gone.json", "--case", case), "cannot read"),
        ((trace, "--case", several), "does not name one case"),
        ((trace, "--case", case, "--case-id", "nope"), "does not name one case"),
        ((trace, "--case", wrong), "is not a case"),
        ((trace, "--case", case, "--judge"), "nobody can judge"),
        ((trace, "--case", case, "--metric", "beauty"), "no metric is called beauty"),
    ):
        result = call(GRADE, *arguments)
        assert isinstance(result.exception, UsageError), arguments
        assert clause in result.exception.message
        assert result.exception.do


def test_validate_tells_every_fault_and_fails(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    step = {"step_id": 4, "source": "user", "message": "", "model_name": "m"}
    bad.write_text(json.dumps({"agent": {"name": "a", "version": "1"}, "steps": [step]}), encoding="utf-8")
    result = call(TRACE, "validate", bad, "--format", "json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert {fault["pointer"] for fault in document["faults"]} == {"/steps/0/step_id", "/steps/0/model_name"}


def test_a_log_of_nobody_or_of_two_is_asked_for_its_harness(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"type": "hello"}\n', encoding="utf-8")
    for extra, clause in (((), "cannot tell whose log"), (("--harness", "nobody"), "no converter is called nobody")):
        result = call(TRACE, "convert", log, *extra)
        assert isinstance(result.exception, UsageError) and clause in result.exception.message
    empty = call(TRACE, "convert", log, "--harness", "codex")
    assert isinstance(empty.exception, UsageError) and "no step" in empty.exception.message


def test_text_of_a_trace_cannot_give_orders_to_a_runner(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace = tmp_path / "hostile.json"
    rows = [{"sh": "ls", "out": "::error::pwned\n##[error]pwned\x1b[31m"}, {"say": "::set-output name=x::y"}]
    trace.write_bytes(write(snippets.trajectory("codex", rows)))
    shown = call(TRACE, "show", trace).output
    assert "\x1b" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert "##[" not in shown


def test_a_case_whose_prompt_stands_in_a_file_beside_it_is_read(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace, _ = files
    task = tmp_path / "pdf/evals/harbor/fill"
    task.mkdir(parents=True)
    (task / "task.toml").write_text("[metadata]\n[verifier]\n[agent]\n", encoding="utf-8")
    (task / "instruction.md").write_text("Fill the form.", encoding="utf-8")
    result = call(GRADE, trace, "--case", task / "task.toml", "--format", "json")
    assert result.exit_code == 0, (result.output, result.exception)
    assert {row["metric"] for row in json.loads(result.stdout)["scores"]} >= {"security", "outcome"}
