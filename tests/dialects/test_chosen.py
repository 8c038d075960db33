"""What the live tier takes of a suite: the cases that its policy chooses, and a word for all that is left out."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Design, Subject, TrialPlan, looks_of, make_live_plan
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.staging import Lineup
from aces_ci.tiers.suite_chosen import Chosen, chosen
from tests.unit.test_live_tier import cases, contender, skill

EVALS = {
    "skill_name": "tide-tables",
    "evals": [
        {"id": "a", "prompt": "One.", "files": ["evals/files/a.csv"]},
        {"id": "b", "prompt": "Two.", "files": ["../../secret"]},
        {"id": "c", "prompt": "Three.", "files": ["gone.csv"]},
        {"id": "d", "prompt": "Four."},
    ],
}


def take(config: str | None = None, evals: object = EVALS, cap: int = 8) -> Chosen:
    files = {"evals/evals.json": json.dumps(evals, indent=1), "evals/files/a.csv": "x"}
    if config is not None:
        files["evals/config.yml"] = config
    found = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in files.items()
    }
    return chosen("skills/tides", found, compose.dialects(), skill_name="tide-tables", cap=cap)


def refused(config: str | None = None, evals: object = EVALS) -> UsageError:
    with pytest.raises(UsageError) as caught:
        take(config, evals)
    return caught.value


def test_a_case_whose_fixture_is_refused_does_not_run_and_is_named() -> None:
    found = take()
    assert [case.id for case in found.cases] == ["a", "d"]
    assert found.notes == (
        "skills/tides/evals/evals.json:15: file `../../secret` leaves the skill: the case is left out",
        "skills/tides/evals/evals.json:22: file `gone.csv` does not exist: the case is left out",
    )


def test_a_suite_of_which_nothing_can_run_is_refused_at_its_place() -> None:
    error = refused(evals={"evals": [{"id": "b", "prompt": "Two.", "files": ["../x"]}]})
    assert (error.code, error.path) == ("evals_unreadable", "skills/tides/evals/evals.json")
    assert error.message.startswith("skills/tides/evals/evals.json:")


def test_the_policy_chooses_cases_and_lowers_attempts() -> None:
    found = take("schema_version: 1\ncases: [d]\nattempts: 4\n")
    assert ([case.id for case in found.cases], found.attempts) == (["d"], 4)
    assert not any("attempts" in note for note in found.notes)


@pytest.mark.parametrize("config", ["schema_version: 1\nattempts: 20\n", "harbor:\n  n_attempts: 20\n"])
def test_raising_attempts_is_refused_with_its_place_and_the_plan_holds(config: str) -> None:
    found = take(config)
    assert found.notes[-1] == (
        "skills/tides/evals/config.yml:2: asks for 20 attempts; a skill cannot raise the 8 of the plan"
    )
    assert looks_of(subject(found.attempts), Design(looks=(3, 5, 8))) == (3, 5, 8)


def test_keys_that_the_repository_decides_are_named_and_not_applied() -> None:
    found = take("skill_workspace: {mode: group, include: [other]}\nharbor: {n_concurrent: 9}\n")
    assert found.notes[-1] == (
        "skills/tides/evals/config.yml: not applied here: "
        "skill_workspace.mode, skill_workspace.include, harbor.n_concurrent (evals validate says why)"
    )


@pytest.mark.parametrize(
    ("config", "line", "clause"),
    [
        ("max_casess: 2\n", 1, "`max_casess` is no key of a run policy"),
        ("schema_version: 1\nattempts: many\n", 2, "`attempts` is no whole number from 1"),
        ("a: [\n", 2, "not YAML"),
        ("cases: [nothing-*]\n", 1, "it chooses none of 2 cases"),
    ],
)
def test_a_policy_at_fault_stops_before_money_is_spent(config: str, line: int, clause: str) -> None:
    error = refused(config)
    assert (error.code, error.path, error.line) == ("run_policy", "skills/tides/evals/config.yml", line)
    assert clause in error.message
    assert error.do


def subject(attempts: int | None, name: str = "read-gauge") -> Subject:
    return Subject(skill=f"skills/{name}", lineup=Lineup(target=(skill(name=name),)), cases=cases(2), attempts=attempts)


def plan(*subjects: Subject) -> TrialPlan:
    return make_live_plan(subjects, [contender()], Design(looks=(3, 5, 8)), attainable=lambda *_: True)


def test_one_skill_asks_for_less_and_its_neighbour_keeps_the_plan() -> None:
    made = plan(subject(4), subject(None, "count-gulls"))
    runs = {
        name: [(trial.attempt, trial.stage) for trial in made.trials if trial.skill.endswith(name)]
        for name in ("read-gauge", "count-gulls")
    }
    assert set(runs["read-gauge"]) == {(1, 1), (2, 1), (3, 1), (4, 2)}
    assert max(attempt for attempt, _ in runs["count-gulls"]) == 8


def test_whether_a_verdict_can_be_reached_is_asked_for_the_lowered_attempts() -> None:
    asked = []

    def attainable(cases: int, looks: Sequence[int], alpha: float, strata: int) -> bool:
        asked.append(tuple(looks))
        return looks[-1] > 2

    with pytest.raises(UsageError) as caught:
        make_live_plan([subject(2)], [contender()], Design(looks=(3, 5, 8)), attainable=attainable)
    assert asked == [(2,)]
    assert "`attempts` in evals/config.yml" in (caught.value.do or "")


def test_the_analysis_of_a_skill_has_its_own_looks() -> None:
    made = LivePlan(looks=(3, 5, 8), lowered={"skills/read-gauge": (3, 4)})
    assert made.for_skill("skills/read-gauge").looks == (3, 4)
    assert made.for_skill("skills/count-gulls").looks == (3, 5, 8)
    recorded = {"live": {"attempts": {"looks": [3, 5, 8]}}, "plan": {"s": {"looks": [3, 4]}, "t": {"looks": []}}}
    assert (LivePlan.of(recorded, "s").looks, LivePlan.of(recorded, "t").looks) == ((3, 4), (3, 5, 8))
