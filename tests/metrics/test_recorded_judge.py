"""Real runs of every CLI, graded end to end by a recorded judge: no key, no network, and a miss fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci import plugins
from aces_ci.cli.grade import COMMAND as GRADE
from aces_ci.cli.trace import COMMAND as TRACE
from aces_ci.core.asking.recording import to_line
from aces_ci.core.errors import UsageError
from aces_ci.core.suites.case_file import read as read_case
from aces_ci.core.trace.file import read
from aces_ci.tiers.grade import grade
from tests.metrics.judges import Court, literal
from tests.traces import snippets

METRICS = plugins.load("metrics", "METRIC", "name")
CASE: dict[str, Any] = {
    "id": "q",
    "prompt": "Give me the quartz report of ledger.csv. Answer with one line.",
    "trigger": True,
    "expected_skill": "quartz-report",
    "expected_script": "scripts/quartz.py",
    "reference": "QUARTZ-TOTAL 7",
    "behaviors": [{"id": "b1", "text": "Executes quartz.py"}],
}
RUNS = [
    (harness, run)
    for harness in ("claude-code", "codex", "gemini-cli", "opencode", "qwen-code")
    for run in ("a-with-skill", "b-baseline")
]


@pytest.mark.parametrize(("harness", "run"), RUNS)
def test_a_real_run_is_judged_from_recordings(shared: Path, tmp_path: Path, harness: str, run: str) -> None:
    trace, case, records = tmp_path / "t.json", tmp_path / "c.json", tmp_path / "answers.jsonl"
    runner = CliRunner()
    folder = str(shared / "transcripts" / harness / run)
    assert runner.invoke(TRACE, ["convert", folder, "--output-file", str(trace)]).exit_code == 0
    case.write_text(json.dumps(CASE), encoding="utf-8")
    arm = "baseline" if "baseline" in run else "with_skill"

    court = Court(literal, model="judge-1")
    answers: list[str] = []

    def recording(questions: Any) -> Any:
        found = court(questions)
        answers.extend(to_line(question, found[question.item, question.vote]) for question in questions)
        return found

    trajectory = read(trace.read_bytes(), source="t.json")
    given = read_case(CASE, source="c.json")
    trial = snippets.trial(arm, skill="quartz-report", harness=harness)
    grade(trial, trajectory, given, None, METRICS, recording, cast=None)  # type: ignore[arg-type]
    records.write_text("".join(f"{line}\n" for line in answers), encoding="utf-8")

    arguments = [str(trace), "--case", str(case), "--arm", arm, "--judge", "--format", "json"]
    arguments += ["--output", str(tmp_path / "out"), "-C", str(tmp_path)]
    arguments += [
        "--set",
        "judge.provider=recorded",
        "--set",
        f"judge.recordings={records}",
        "--set",
        "judge.model=judge-1",
    ]
    result = runner.invoke(GRADE, arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    scores = {score["metric"]: score for score in json.loads(result.stdout)["scores"]}
    good = arm == "with_skill"
    assert scores["outcome"]["value"] == float(good)
    assert scores["accuracy_outcome"]["value"] == float(good)
    assert scores["accuracy"]["value"] == float(good)
    assert scores["goal_accuracy"]["value"] == float(good)
    assert scores["behavior_check"]["value"] == float(good)
    assert scores["accuracy"]["method"] == "judge-1/p2/votes"
    if good:
        assert scores["goal_accuracy"]["cites"] or scores["accuracy"]["cites"]

    failed = [{key: value for key, value in json.loads(line).items() if key != "text"} for line in answers]
    broken = [
        json.dumps({**line, "error": "429"}) if "facts_agree" in line["item"] else whole
        for line, whole in zip(failed, answers, strict=True)
    ]
    records.write_text("".join(f"{line}\n" for line in broken), encoding="utf-8")
    again = {score["metric"]: score for score in json.loads(runner.invoke(GRADE, arguments).stdout)["scores"]}
    for name in ("accuracy", "accuracy_outcome", "outcome"):
        assert again[name]["value"] is None and "429" in again[name]["because"]
    assert again["goal_accuracy"]["value"] == float(good)

    records.write_text("".join(f"{line}\n" for line in answers[:-1]), encoding="utf-8")
    assert isinstance(runner.invoke(GRADE, arguments).exception, UsageError), "a replay never invents an answer"
