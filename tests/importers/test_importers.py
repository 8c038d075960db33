"""Other tools' results: labelled, arms by their names, a limit that was hit is missing and never a zero."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Imported, RunEnded
from aces_ci.core.wire import to_line
from aces_ci.importing import imported, split
from aces_ci.jobs.run import Options, report
from tests.builders import a_changed_skill, a_run


def read(data: Any, source: str = "r.json") -> list[Imported]:
    claiming = [importer for importer in compose.importers() if importer.claims(data)]
    assert len(claiming) == 1, [importer.name for importer in claiming]
    found = list(claiming[0].read(data, source))
    assert all("imported, unverified" in figure.because for figure in found)
    assert all(figure.source.startswith(source) for figure in found)
    return found


def told(figures: list[Imported]) -> dict[tuple[str, str], tuple[float | None, int]]:
    return {(figure.metric, figure.arm): (figure.value, figure.n) for figure in figures}


def run(configuration: str, rate: float | None, **more: Any) -> dict[str, Any]:
    return {"eval_id": 1, "configuration": configuration, "result": {"pass_rate": rate, "time_seconds": 10}, **more}


BENCHMARK = {
    "metadata": {"skill_name": "tide-tables"},
    "runs": [
        run("with_skill", 1.0),
        run("with_skill", 0.5),
        run("with_skill", 0.0, error="API Error: rate limit reached"),
        run("without_skill", 0.25),
        run("without_skill", 0.0),
    ],
    "run_summary": {"with_skill": {"pass_rate": {"mean": 0.5}}, "without_skill": {}, "delta": {"pass_rate": "+0.1"}},
}


def test_a_benchmark_is_counted_from_its_runs_without_those_that_hit_a_limit() -> None:
    figures = read(BENCHMARK)
    assert told(figures)["pass_rate", "with_skill"] == (0.75, 2)
    assert told(figures)["pass_rate", "baseline"] == (0.125, 2)
    assert {figure.skill for figure in figures} == {"tide-tables"}
    (lost,) = [figure.because for figure in figures if figure.arm == "with_skill" and figure.metric == "pass_rate"]
    assert lost.startswith("1 of 3 runs are missing")


def test_a_benchmark_without_runs_gives_its_means_and_old_skills_are_the_previous_arm() -> None:
    figures = read(
        {"run_summary": {"new_skill": {"pass_rate": {"mean": 0.8}}, "old_skill": {"pass_rate": {"mean": 0.6}}}}
    )
    assert told(figures)["pass_rate", "with_skill"] == (0.8, 0)
    assert told(figures)["pass_rate", "previous"] == (0.6, 0)
    assert told(figures)["time_seconds", "previous"] == (None, 0)


@pytest.mark.parametrize("key", ["expectations", "assertion_results"])
def test_a_grading_is_of_the_arm_of_its_folder(key: str) -> None:
    data = {key: [{"text": "t", "passed": True, "evidence": "e"}], "summary": {"pass_rate": 1.0, "total": 1}}
    assert told(read(data, "iteration-1/eval-a/without_skill/run-1/grading.json")) == {
        ("pass_rate", "baseline"): (1.0, 1)
    }
    assert told(read(data, "grading.json")) == {("pass_rate", "unknown"): (1.0, 1)}


def arms(**runs: Any) -> dict[str, Any]:
    return {"schemaVersion": 1, "aggregates": {"overallScore": 0.1}, "cases": [{"name": "a", "arms": runs}]}


def test_a_plugin_evals_run_that_hit_a_limit_or_skipped_graders_is_missing() -> None:
    data = arms(
        **{
            "with": [{"score": 1.0}, {"score": 0.0, "error": "You've hit your usage limit"}, {"score": 0.5}],
            "without": [{"score": 0.0, "error": "429 Too Many Requests"}, {"score": 1.0, "skippedPaidGraders": True}],
        }
    )
    figures = read(data)
    assert told(figures)["score/a", "with_skill"] == (0.75, 2)
    assert told(figures)["score/a", "baseline"] == (None, 0)
    assert ("score", "baseline") not in told(figures)
    assert told(figures)["score", "with_skill"] == (0.75, 1)


def test_an_error_of_the_agent_itself_is_a_zero_and_indicators_do_not_count() -> None:
    graders = [{"passed": True, "weight": 3}, {"passed": False}, {"passed": False, "scored": False}]
    data = arms(**{"with": [{"error": "max turns reached"}, {"graders": graders}]})
    assert told(read(data))["score/a", "with_skill"] == (pytest.approx(0.375), 2)


def test_a_partial_result_says_so() -> None:
    data = {**arms(**{"with": [{"score": 1.0}]}), "partial": True, "partialReason": "budget"}
    assert any(figure.because.startswith("partial: budget") for figure in read(data))


def test_the_reference_is_read_metric_by_metric_and_unscored_is_unknown() -> None:
    lift = {"accuracy": {"with_skill": 0.9, "without_skill": 0.5, "delta": 0.4, "direction": "up"}, "overall": 3}
    assert told(read(lift)) == {
        ("accuracy", "with_skill"): (0.9, 0),
        ("accuracy", "baseline"): (0.5, 0),
        ("accuracy", "lift"): (0.4, 0),
    }
    result = {
        "skill_name": "s",
        "agents": {
            "codex": {
                "with_skill": {"accuracy": 1.0, "security": None, "overall": 0.2},
                "without_skill": {"accuracy": 0.0},
                "num_trials_with": 4,
                "num_trials_without": 3,
            }
        },
    }
    figures = read(result)
    assert told(figures)["accuracy", "with_skill"] == (1.0, 4)
    assert told(figures)["accuracy", "baseline"] == (0.0, 3)
    assert told(figures)["security", "with_skill"][0] is None
    assert not any(figure.metric == "overall" for figure in figures)
    assert told(read({"paired_case_lift": {"mean": 0.2, "n": 7}})) == {("paired_case_lift", "lift"): (0.2, 7)}


def harbor(**changes: Any) -> dict[str, Any]:
    return {
        "task_name": "t",
        "trial_name": "t__abc",
        "config": {"agent": {"skills": ["s"]}},
        "verifier_result": {"rewards": {"reward": 1.0}},
        **changes,
    }


def test_a_harbor_trial_gives_its_rewards_by_arm() -> None:
    assert told(read(harbor())) == {("reward/t/t__abc", "with_skill"): (1.0, 1)}
    assert [figure.arm for figure in read(harbor(config={"agent": {"skills": []}}))] == ["baseline"]
    assert [figure.arm for figure in read(harbor(config={}))] == ["unknown"]
    assert read({"stats": {"evals": {"x": {}}}}) == []


@pytest.mark.parametrize(
    ("error", "value"),
    [
        ({"exception_type": "AgentTimeoutError", "exception_message": "300 s"}, 0.0),
        ({"exception_type": "RewardFileNotFoundError", "exception_message": "no file"}, None),
        ({"exception_type": "NonZeroAgentExitCodeError", "exception_message": "429 rate limit"}, None),
        ({}, None),
    ],
)
def test_a_harbor_trial_without_a_reward_failed_or_is_missing(error: dict[str, str], value: float | None) -> None:
    (figure,) = read(harbor(verifier_result=None, exception_info=error))
    assert figure.value == value


def test_a_reward_beside_a_limit_does_not_count() -> None:
    (figure,) = read(harbor(exception_info={"exception_type": "X", "exception_message": "usage limit"}))
    assert figure.value is None


@pytest.mark.parametrize("value", [float("nan"), "0.5", True, None, [], {}])
def test_what_is_no_number_is_unknown(value: Any) -> None:
    (figure,) = read({"expectations": [], "summary": {"pass_rate": value}})
    assert figure.value is None


def test_a_folder_is_walked_and_broken_files_in_it_are_passed_by(tmp_path: Path) -> None:
    trial = tmp_path / "jobs" / "j" / "t__abc"
    trial.mkdir(parents=True)
    (trial / "result.json").write_text(json.dumps(harbor()))
    (trial / "broken.json").write_text("{")
    (tmp_path / "jobs" / "link.json").symlink_to(trial / "result.json")
    (figure,) = imported([tmp_path / "jobs"])
    assert figure.source == "j/t__abc/result.json (Harbor)"


def test_what_cannot_be_imported_is_one_clear_error(tmp_path: Path) -> None:
    broken = tmp_path / "x.json"
    for text, code in (("{", "not_json"), ("{}", "nothing_to_import")):
        broken.write_text(text)
        with pytest.raises(UsageError) as refused:
            imported([broken])
        assert refused.value.code == code
    with pytest.raises(UsageError) as refused:
        imported([tmp_path / "none.json"])
    assert refused.value.code == "no_file"


def test_our_own_evidence_is_told_apart(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    (ours / "evidence.jsonl").write_text("")
    places = [ours, theirs, tmp_path / "benchmark.json", tmp_path / "evidence.jsonl"]
    assert split(places) == ([places[0], places[3]], [places[1], places[2]])


@pytest.fixture
def reported(tmp_path: Path, root: Path) -> Callable[..., tuple[int, Path, str]]:
    """`aces-ci report` over a sound run and other files: exit code, output folder, log."""

    def make(*theirs: Path) -> tuple[int, Path, str]:
        own = tmp_path / "own.jsonl"
        own.write_text("".join(f"{to_line(line)}\n" for line in (a_run(), a_changed_skill(), RunEnded())))
        output, log = tmp_path / f"out{len(theirs)}", StringIO()
        options = Options(repo=root, output=output)
        return report([own, *theirs], options, env={}, stdout=StringIO(), stderr=log), output, log.getvalue()

    return make


def test_every_report_shows_them_labelled_and_the_verdict_is_the_same_without_them(
    reported: Callable[..., tuple[int, Path, str]], tmp_path: Path, root: Path
) -> None:
    theirs = tmp_path / "benchmark.json"
    theirs.write_text(json.dumps(BENCHMARK))
    before, plain, _ = reported()
    after, output, log = reported(theirs)
    assert before == after
    assert "imported 4 figures of other tools" in log
    old, new = (json.loads((folder / "report.json").read_text()) for folder in (plain, output))
    assert (old["verdict"], old["gates"]) == (new["verdict"], new["gates"])
    assert old["imported"] == []
    assert {row["metric"] for row in new["imported"]} == {"pass_rate", "time_seconds"}
    assert all("imported, unverified" in row["because"] for row in new["imported"])
    for name in ("comment.md", "summary.md", "report.html", "report.txt"):
        shown = (output / name).read_text()
        assert "mported, unverified" in shown, name
        assert "with 0.75 (n 2), without 0.125 (n 2)" in shown, name
        assert "1 of 3 runs are missing" in shown, name
        assert "mported, unverified" not in (plain / name).read_text(), name
    assert (output / "comment.md").read_text().index("<details>") < (output / "comment.md").read_text().index("mported")


def test_many_figures_stay_within_the_comment_and_their_text_is_inert(
    reported: Callable[..., tuple[int, Path, str]], tmp_path: Path
) -> None:
    theirs = tmp_path / "x|y`@all`<b>.json"
    cases = [{"name": f"@everyone | <img src=x> {number}", "arms": {"with": [{"score": 1}]}} for number in range(300)]
    theirs.write_text(json.dumps({"aggregates": {}, "cases": cases}))
    _, output, _ = reported(theirs)
    comment = (output / "comment.md").read_text()
    assert "271 more in the report" in comment
    assert len(comment.encode()) < 60_000
    rows = [line for line in comment.splitlines() if "everyone" in line]
    assert all(line.count("|") == 5 for line in rows)
    assert "<img" not in (output / "report.html").read_text()
    assert "201 more in report.json" in (output / "report.txt").read_text()
