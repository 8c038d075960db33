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
from aces_ci.core.trace.file import inspect, write
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


@pytest.mark.parametrize("harness", ["claude-code", "codex", "gemini-cli", "opencode", "qwen-code"])
def test_several_sessions_in_one_folder_are_refused_with_how_to_convert_one(shared: Path, harness: str) -> None:
    folder = shared / "transcripts" / harness
    runs = sorted(path for path in folder.iterdir() if path.is_dir())
    result = call(TRACE, "convert", folder)
    assert isinstance(result.exception, UsageError) and result.exception.exit_code == 2
    assert f" holds {len(runs)} sessions" in result.exception.message
    assert result.exception.do == f"convert one at a time: aces-ci trace convert {folder / 'a-with-skill'}"
    for run in runs:
        assert " sessions, and" not in str(call(TRACE, "convert", run).exception), run


def test_session_files_of_two_runs_are_refused_and_those_of_a_subagent_are_not(shared: Path, tmp_path: Path) -> None:
    source = shared / "transcripts" / "claude-code"
    for run in ("a-with-skill", "b-baseline"):
        (log,) = (source / run / "session").rglob("*.jsonl")
        (tmp_path / log.name).write_bytes(log.read_bytes())
    refused = call(TRACE, "convert", tmp_path)
    assert isinstance(refused.exception, UsageError) and " holds 2 sessions" in refused.exception.message
    (tmp_path / log.name).unlink()
    (left,) = tmp_path.iterdir()
    event = {"sessionId": left.stem, "isSidechain": True, "type": "user", "parentUuid": None}
    (tmp_path / "agent-1.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")
    assert call(TRACE, "convert", tmp_path).exit_code == 0


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


TRACE_FILES: dict[str, tuple[str | None, str]] = {
    "gone.json": (None, "cannot read"),
    "empty.json": ("", "is empty"),
    "folder": ("/", "is a folder, not a trace"),
    "words.json": ("hello", "is not a valid ATIF trajectory"),
    "cut.json": ('{"agent": {"name": "a", "ver', "is not a valid ATIF trajectory"),
    "list.json": ("[]", "is not a valid ATIF trajectory"),
    "log.jsonl": ('{"type": "system"}\n{"type": "assistant"}\n', "is a log of JSON lines, not a trace"),
    "case.json": (json.dumps(CASE), "is a case, not a trace"),
    "no-steps.json": ('{"agent": {"name": "a", "version": "1"}, "steps": []}', "is a trace without a step"),
}
"""What somebody may give for a trace: its content (None: nothing, `/`: a folder), and what is said."""
CASE_FILES: dict[str, tuple[str | None, str]] = {
    "gone.json": (None, "cannot read"),
    "empty.json": ("", "cannot be read"),
    "folder": ("/", "is a folder, not a case"),
    "words.json": ("hello", "cannot be read"),
    "trace.json": ('{"agent": {"name": "a", "version": "1"}, "steps": [{}]}', "is a trace, not a case"),
    "SKILL.md": ("---\nname: pdf\n---\nbody", "holds no case"),
    "object.json": ('{"a": 1}', "holds no case"),
    "evals.json": ('{"skill_name": "pdf", "evals": []}', "holds no case"),
    "several.json": (json.dumps([CASE, {**CASE, "id": "other"}]), "does not name one case"),
    "wrong.json": (json.dumps({**CASE, "checks": [{"id": 1}]}), "is not a case"),
}
"""The same for a case."""


def put(folder: Path, name: str, content: str | None) -> Path:
    path = folder / name
    if content == "/":
        path.mkdir()
    elif content is not None:
        path.write_text(content, encoding="utf-8")
    return path


def refused(*arguments: object) -> str:
    """The error's first line; it names something to do, and is the only one."""
    result = call(GRADE, *arguments)
    assert isinstance(result.exception, UsageError), (arguments, result.output)
    assert result.exception.do and not result.stdout
    return result.exception.message


@pytest.mark.parametrize("name", TRACE_FILES)
def test_what_is_no_trace_is_one_clear_error(files: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    content, clause = TRACE_FILES[name]
    (tmp_path / "given").mkdir()
    assert clause in refused(put(tmp_path / "given", name, content), "--case", files[1])


@pytest.mark.parametrize("name", CASE_FILES)
def test_what_is_no_case_is_one_clear_error(files: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    content, clause = CASE_FILES[name]
    (tmp_path / "given").mkdir()
    assert clause in refused(files[0], "--case", put(tmp_path / "given", name, content))


def test_an_option_that_leads_nowhere_is_one_clear_error(files: tuple[Path, Path], tmp_path: Path) -> None:
    trace, case = files
    for extra, clause in (
        (("--case-id", "nope"), "holds no case called nope"),
        (("--judge",), "nobody can judge"),
        (("--metric", "beauty"), "no metric is called beauty"),
        (("--workspace", tmp_path / "gone"), "is no workspace"),
        (("--evidence", tmp_path / "gone" / "e.jsonl"), "cannot be written"),
        (("--skill", tmp_path / "gone"), "is no skill"),
    ):
        assert clause in refused(trace, "--case", case, *extra)


def score_of(name: str, *arguments: object) -> dict[str, Any]:
    result = call(GRADE, *arguments, "--format", "json")
    assert result.exit_code == 0, (result.output, result.exception)
    return next(row for row in json.loads(result.stdout)["scores"] if row["metric"] == name)


@pytest.mark.parametrize("metric", ["skill_execution", "scope_avoidance", "accuracy"])
def test_a_negative_case_is_told_only_where_somebody_says_which_skill(tmp_path: Path, metric: str) -> None:
    trace, case = tmp_path / "t.json", tmp_path / "n.json"
    case.write_text(json.dumps({"id": "n", "prompt": "Sum it.", "trigger": False}), encoding="utf-8")
    for rows, value in ((ROWS, 0.0), ([{"say": "TOTAL 7"}], 1.0)):
        trace.write_bytes(write(snippets.trajectory("claude-code", rows)))
        unnamed = score_of(metric, trace, "--case", case)
        assert unnamed["value"] is None
        assert "--skill" in unnamed["because"] or metric == "accuracy"
        named = score_of(metric, trace, "--case", case, "--skill", "pdf")
        assert named["value"] == (None if metric == "accuracy" else value)


def test_a_skill_beside_its_case_says_its_names_and_its_words(tmp_path: Path) -> None:
    folder = tmp_path / "forms"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(snippets.body("pdf"), encoding="utf-8")
    case = folder / "evals" / "n.json"
    case.write_text(json.dumps({"id": "n", "prompt": "Sum it.", "trigger": True}), encoding="utf-8")
    trace = tmp_path / "t.json"
    for out, value in ((snippets.body("pdf"), 1.0), ("something else", 0.0)):
        for name in ("forms", "pdf"):
            row = {"sh": f"cat skills/{name}/SKILL.md", "out": out}
            trace.write_bytes(write(snippets.trajectory("codex", [row, {"say": "x"}])))
            assert score_of("skill_execution", trace, "--case", case)["value"] == value, (name, out)
            assert score_of("skill_execution", trace, "--case", case, "--skill", folder)["value"] == value
    assert score_of("skill_execution", trace, "--case", case, "--skill", "docx")["value"] == 0.0


def test_validate_tells_every_fault_and_fails(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    step = {"step_id": 4, "source": "user", "message": "", "model_name": "m"}
    bad.write_text(json.dumps({"agent": {"name": "a", "version": "1"}, "steps": [step]}), encoding="utf-8")
    result = call(TRACE, "validate", bad, "--format", "json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert {fault["pointer"] for fault in document["faults"]} == {"/steps/0/step_id", "/steps/0/model_name"}


AGENT = {"name": "a", "version": "1"}


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        (
            {"agent": {"name": "a"}, "steps": [{"step_id": 4, "source": "user", "message": "", "metrics": {}}]},
            ["/agent/version", "/steps/0/step_id", "/steps/0/metrics"],
        ),
        (
            {"agent": AGENT, "steps": [{"step_id": "x", "source": "robot"}, {"step_id": 9, "source": "user", "a": 1}]},
            [f"/steps/{key}" for key in ("0/step_id", "0/source", "0/message", "1/message", "1/step_id", "1/a")],
        ),
        (
            {"agent": AGENT, "steps": ["no step", {"step_id": 2, "source": "agent", "message": 7, "tool_calls": 1}]},
            ["/steps/0", "/steps/1/message/str", "/steps/1/message/tuple[ContentPart, ...]", "/steps/1/tool_calls"],
        ),
        (
            {
                "schema_version": "ATIF-v9",
                "agent": AGENT,
                "steps": [
                    {
                        "step_id": 1,
                        "source": "agent",
                        "message": "",
                        "tool_calls": [{"function_name": "f", "arguments": {}}],
                        "observation": {"results": [{"source_call_id": "c"}]},
                        "timestamp": "noon",
                    }
                ],
            },
            ["/schema_version", "/steps/0/tool_calls/0/tool_call_id", "/steps/0/timestamp"],
        ),
        ({"agent": AGENT, "steps": [], "final_metrics": {"total_steps": 0}, "b": 1}, ["/steps", "/b"]),
        ([1], [""]),
    ],
)
def test_a_fault_of_the_schema_hides_no_other(document: object, pointers: list[str]) -> None:
    reading = inspect(json.dumps(document).encode())
    assert not reading.valid and reading.trajectory is None
    assert [fault.pointer for fault in reading.faults] == pointers


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
