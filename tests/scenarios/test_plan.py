"""`aces-ci plan`: what would run, at which price, told without a key and without Docker."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.plan import COMMAND
from aces_ci.core.errors import UsageError
from aces_ci.jobs.run import Options, plan, run
from tests.git_history import History, skill

PRICED = "live.harnesses=[{name: claude-code, model: claude-sonnet-5}]"
UNPRICED = "live.harnesses=[{name: claude-code, model: nobody-knows-this}]"


def cases(count: int) -> str:
    rows = [
        {"id": number, "prompt": f"Sort log {number}.", "expectations": ["It is sorted."]} for number in range(count)
    ]
    return json.dumps({"skill_name": "log-triage", "evals": rows})


@pytest.fixture
def history(tmp_path: Path) -> History:
    """One skill with eight cases changes, one without any is new."""
    made = History(tmp_path / "repo", bare=False)
    start = made.commit("main", {"log-triage/SKILL.md": skill("log-triage"), "log-triage/evals/evals.json": cases(8)})
    made.commit(
        "work",
        {"log-triage/SKILL.md": skill("log-triage", "Sort them by date."), "other/SKILL.md": skill("other")},
        start,
    )
    return made


def planned(history: History, *overrides: str, env: dict[str, str] | None = None) -> tuple[dict[str, Any], str]:
    said = {}
    for form in ("json", "text"):
        out = io.StringIO()
        options = Options(repo=history.path, base="main", head="work", overrides=overrides, format=form)
        assert plan(options, env=env or {}, stdout=out, stderr=io.StringIO()) == 0
        said[form] = out.getvalue()
    loaded: dict[str, Any] = json.loads(said["json"])
    return loaded, said["text"]


def test_without_a_key_the_plan_says_why_nothing_would_start_and_what_it_would_take(history: History) -> None:
    document, text = planned(history, PRICED)
    assert [row["path"] for row in document["skills"]] == ["log-triage", "other"]
    assert document["structural"] == {"runs": True, "skills": 2}
    assert not document["judge"]["runs"]
    live = document["live"]
    assert (live["runs"], live["because"]) == (False, "no provider key is set")
    assert [row["skill"] for row in live["skipped"]] == ["other"]
    (subject,) = live["subjects"]
    assert (subject["cases"], subject["arms"]) == (8, ["baseline", "previous", "with_skill"])
    forecast = live["forecast"]
    assert (forecast["trials_at_first_look"], forecast["trials"]) == (8 * 3 * 3, 8 * 3 * 8)
    assert forecast["tokens"] > 0
    assert forecast["usd_micros"] > 0
    assert forecast["verdict_possible"] is True
    assert "72 to 192 runs" in text
    assert "will not run: no provider key is set" in text
    assert text.splitlines()[-1].strip() == "once it runs: these figures hold, a verdict can be reached"


def test_with_a_key_it_would_run(history: History) -> None:
    document, text = planned(history, PRICED, env={"ANTHROPIC_API_KEY": "tok-plan-0123456789"})
    assert document["judge"]["runs"]
    assert document["live"]["runs"]
    assert "tok-plan" not in json.dumps(document) + text


@pytest.mark.parametrize("key", [None, "k" * 20])
def test_a_budget_that_lets_no_request_out_can_reach_no_verdict_with_a_key_or_without(
    key: str | None, history: History
) -> None:
    document, text = planned(history, PRICED, "budget.usd=0.01", env={"ANTHROPIC_API_KEY": key} if key else {})
    live = document["live"]
    assert (live["runs"], live["forecast"]["verdict_possible"]) == (False, False)
    assert "the budget leaves agents" in live["because"]
    assert ("no provider key is set; " in live["because"]) is (key is None)
    assert "can be reached" not in text and "figures hold" not in text
    assert text.splitlines()[-1].strip() == "as it is planned, a verdict can never be reached"


def test_a_budget_that_ends_before_the_first_look_is_told(history: History) -> None:
    document, _ = planned(history, PRICED, "budget.usd=1", env={"ANTHROPIC_API_KEY": "k" * 20})
    (doubt,) = document["live"]["doubts"]
    assert doubt.startswith("the budget ends before the plan") and "no verdict is likely" in doubt


def test_a_model_without_a_price_is_said_and_is_no_zero(history: History) -> None:
    document, text = planned(history, UNPRICED)
    assert document["live"]["forecast"]["usd_micros"] is None
    assert "price unknown" in text


def test_too_few_runs_for_a_verdict_are_said_before_they_cost(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    start = history.commit(
        "main", {"log-triage/SKILL.md": skill("log-triage"), "log-triage/evals/evals.json": cases(2)}
    )
    history.commit("work", {"log-triage/SKILL.md": skill("log-triage", "Sort them by date.")}, start)
    document, text = planned(history, PRICED, "live.attempts.looks=[1]", env={"ANTHROPIC_API_KEY": "k" * 20})
    assert document["live"]["forecast"]["verdict_possible"] is False
    assert not document["live"]["runs"]
    assert "a verdict can never be reached" in text


def test_live_off_is_told_with_its_reason(history: History) -> None:
    document, text = planned(history, "live.when=off")
    assert document["live"]["forecast"] is None
    assert "will not run: live.when: off in aces.yml" in text


def test_a_run_leaves_the_same_document_beside_its_report(history: History, tmp_path: Path) -> None:
    options = Options(
        repo=history.path, base="main", head="work", overrides=(PRICED,), output=tmp_path / "out", post=False
    )
    run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    assert json.loads((tmp_path / "out/plan.json").read_text()) == planned(history, PRICED)[0]


def test_only_matrix_prints_the_shards(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_ACTIONS", "GITHUB_OUTPUT", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)
    named = ["--repo", str(history.path), "--base", "main", "--head", "work"]
    shards = CliRunner().invoke(COMMAND, [*named, "--matrix", "4"], standalone_mode=False)
    assert json.loads(shards.stdout)["count"] == 2
    text = CliRunner().invoke(COMMAND, named, standalone_mode=False)
    assert text.stdout.startswith("2 skills changed since ")


def with_policy(tmp_path: Path, base: str, head: str | None = None) -> History:
    made = History(tmp_path / "repo", bare=False)
    first = {
        "log-triage/SKILL.md": skill("log-triage"),
        "log-triage/evals/evals.json": cases(8),
        "log-triage/evals/config.yml": base,
        "other/SKILL.md": skill("other"),
        "other/evals/evals.json": cases(8).replace("log-triage", "other"),
    }
    start = made.commit("main", first)
    second = {"log-triage/SKILL.md": skill("log-triage", "By date."), "other/SKILL.md": skill("other", "By name.")}
    made.commit("work", {**second, **({} if head is None else {"log-triage/evals/config.yml": head})}, start)
    return made


def test_a_skills_own_policy_chooses_its_cases_and_lowers_its_attempts_in_the_main_job(tmp_path: Path) -> None:
    history = with_policy(tmp_path, "schema_version: 1\nexclude: ['7']\nattempts: 4\n", "attempts: 50\n")
    document, _ = planned(history, PRICED)
    subjects = {(row["skill"], row["side"]): row["cases"] for row in document["live"]["subjects"]}
    assert subjects == {("log-triage", "base"): 7, ("log-triage", "head"): 8, ("other", "base"): 8}
    # Three arms; 4 attempts of both sides of the one skill, all 8 of the other.
    assert document["live"]["forecast"]["trials"] == 3 * (7 * 4 + 8 * 4 + 8 * 8)


def test_a_policy_at_fault_takes_its_skill_out_with_its_place_and_leaves_the_other(tmp_path: Path) -> None:
    document, text = planned(with_policy(tmp_path, "schema_version: 1\nmax_casess: 2\n"), PRICED)
    (left,) = document["live"]["skipped"]
    assert left["skill"] == "log-triage"
    assert left["because"].startswith("log-triage/evals/config.yml:2: `max_casess` is no key of a run policy")
    assert [row["skill"] for row in document["live"]["subjects"]] == ["other"]
    assert "log-triage/evals/config.yml:2" in text


def test_a_changes_own_broken_evals_do_not_stop_the_target_branchs(tmp_path: Path) -> None:
    document, _ = planned(with_policy(tmp_path, "attempts: 4\n", "attempts: none\n"), PRICED)
    assert {(row["skill"], row["side"]) for row in document["live"]["subjects"]} == {
        ("log-triage", "base"),
        ("other", "base"),
    }
    assert document["live"]["skipped"] == []


def test_a_deleted_skill_is_named_and_counted_in_no_tier(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    start = history.commit("main", {"gone/SKILL.md": skill("gone"), "kept/SKILL.md": skill("kept")})
    history.commit("work", {"gone/SKILL.md": None, "kept/SKILL.md": skill("kept", "Sort them by date.")}, start)
    document, text = planned(history)
    assert [(row["path"], row["how"]) for row in document["skills"]] == [("gone", "deleted"), ("kept", "modified")]
    assert document["structural"] == {"runs": True, "skills": 1}
    assert document["judge"]["skills"] == 1
    assert text.startswith("2 skills changed since ")
    assert re.search(r"^structural +1 skill$", text, re.MULTILINE)


def test_outside_a_repository_it_says_what_it_needs_one_for(tmp_path: Path) -> None:
    options = Options(repo=tmp_path, base="main", head="work")
    with pytest.raises(UsageError) as refused:
        plan(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    assert refused.value.why == "`plan` compares two commits; there is no .git here or above"
