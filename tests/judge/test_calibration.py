"""A judge against labels: agreement, its intervals, what moves it, and the bar that the gate reads."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from scipy.stats import binomtest

from aces_ci import compose
from aces_ci.cli._calibrate import judge as command
from aces_ci.core.asking.exhibit import Exhibit
from aces_ci.core.asking.judge_score import Setup, setups
from aces_ci.core.asking.label import Label, read
from aces_ci.core.asking.question import Question
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Judgement
from aces_ci.core.gate import Mode, Outcome
from aces_ci.core.gate_judge import below_bar, judge_gate
from aces_ci.statistics.proportion import wilson
from aces_ci.tiers import rubric_prompt
from aces_ci.tiers.judge_calibration import PADDING, PERTURBATIONS, Calibration, calibrate
from aces_ci.tiers.judged import judge
from aces_ci.tiers.rubric_prompt import PROMPT_VERSION, edition
from tests.builders import a_changed_skill
from tests.judge.bench import TEXT, Scripted, an_asker, an_exhibit, reply

RUBRICS = compose.rubrics()
LOST = "the reply is empty"
NAMES = [rubric.name for rubric in RUBRICS]


@pytest.mark.parametrize(("hits", "count"), [(0, 10), (10, 10), (3, 17), (50, 100), (1, 1)])
def test_the_interval_is_wilsons(hits: int, count: int) -> None:
    expected = binomtest(hits, count).proportion_ci(method="wilson")
    assert wilson(hits, count) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert wilson(0, 0) == (0.0, 1.0)


def skills(count: int) -> dict[str, Exhibit]:
    """Half of them carry a marker that the scripted judge dislikes."""
    return {
        f"s{number}": an_exhibit(TEXT + ("\nTODO write an example here.\n" if number % 2 else f"\nCase {number}.\n"))
        for number in range(count)
    }


def words_of(exhibit: Exhibit) -> str:
    """All that is shown of its files."""
    return "\n".join(part.text for parts in exhibit.texts.values() for part in parts)


def measured(say: Any, count: int = 20, **labelled: bool) -> Calibration:
    exhibits = skills(count)
    labels = [
        Label(skill=name, criterion="example_quality", passes=labelled.get(name, "TODO" not in words_of(exhibit)))
        for name, exhibit in exhibits.items()
    ]
    return calibrate(labels, exhibits, RUBRICS, an_asker(Scripted(say)), votes=2)


def honest(question: Question) -> dict[str, Any]:
    return reply(question, 3 if "TODO" in question.user else 9)


def test_a_judge_that_says_what_people_say() -> None:
    found = measured(honest)
    assert (found.agree.hits, found.agree.count, found.kappa) == (20, 20, 1.0)
    assert (found.false_yes.hits, found.false_yes.count) == (0, 10)
    assert (found.false_no.hits, found.false_no.count) == (0, 10)
    assert {name: rate.hits for name, rate in found.flips.items()} == dict.fromkeys(PERTURBATIONS, 0)
    assert found.false_yes.high == pytest.approx(0.278, abs=0.001)


def test_errors_are_counted_on_their_own_side() -> None:
    found = measured(honest, s0=False, s2=False, s1=True)
    assert (found.false_yes.hits, found.false_yes.count) == (2, 11)
    assert (found.false_no.hits, found.false_no.count) == (1, 9)
    assert found.agree.hits == 17
    assert found.kappa == pytest.approx(0.7, abs=0.02)


def test_a_judge_that_always_agrees_has_no_kappa_to_show() -> None:
    found = measured(lambda q: reply(q, 9))
    assert found.kappa == 0
    assert found.false_yes.hits == 10


def test_a_judge_that_praise_moves_is_found_out() -> None:
    def vain(question: Question) -> dict[str, Any]:
        return reply(question, 9 if "comprehensive, thorough" in question.user else 3 if "TODO" in question.user else 9)

    found = measured(vain)
    assert found.flips["padding"].hits == 10
    assert found.flips["blank lines"].hits == found.flips["order"].hits == 0


def test_an_unanswered_label_is_left_out_and_counted() -> None:
    found = measured(lambda q: "the model refused to answer" if "TODO" in q.user else honest(q))
    assert (found.labels, found.answered) == (20, 10)
    assert found.kappa is None


def test_perturbations_change_the_text_and_nothing_that_matters() -> None:
    exhibit = an_exhibit(TEXT, references__a_md="first\n", references__b_md="second\n")
    for name, change in PERTURBATIONS.items():
        moved = change(exhibit)
        assert moved.shown() != exhibit.shown(), name
        assert sorted(moved.texts) == sorted(exhibit.texts)
        assert sorted(words_of(moved).replace(PADDING, "").split()) == sorted(words_of(exhibit).split()), name


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[]", "exactly the keys"),
        ('{"skill": "a", "criterion": "example_quality"}', "exactly the keys"),
        ('{"skill": "a", "criterion": "example_quality", "pass": 1}', "true or false"),
        ('{"skill": "a", "criterion": "beauty", "pass": true}', "no criterion"),
        ('{"skill": "a", "criterion": "professional_tone", "pass": false}', "opposite"),
        ('{"skill": "./b/..//a/", "criterion": "professional_tone", "pass": false}', "opposite"),
        ('{"skill": "a", "criterion": "example_quality", "pass": false, "pass": true}', "twice"),
        ('{"skill": "a", "criterion": ["example_quality"], "pass": true}', "are text"),
        ('{"skill": "a", "criterion": {}, "pass": true}', "are text"),
        ('{"skill": ["a"], "criterion": "example_quality", "pass": true}', "are text"),
        ('{"skill": null, "criterion": "example_quality", "pass": true}', "are text"),
        ('{"skill": "a", "criterion": "example_quality", "pass": null}', "true or false"),
        ('{"skill": "a\\u0000b", "criterion": "example_quality", "pass": true}', "no path"),
        ('{"skill": " ", "criterion": "example_quality", "pass": true}', "no path"),
        ("[" * 5_000, "not JSON"),
        ("1" * 5_000, "not JSON"),
    ],
)
def test_a_line_that_is_no_label_is_refused_with_its_place(line: str, why: str) -> None:
    good = '{"skill": "a", "criterion": "professional_tone", "pass": true}'
    with pytest.raises(UsageError) as caught:
        list(read([good, "", line], NAMES, "labels.jsonl"))
    assert caught.value.line == 3 and why in str(caught.value.why)


def test_one_item_counts_once_however_its_path_is_spelled() -> None:
    spelled = ("a", "./a", "a/", "a/.", "b/../a", ".//a")
    lines = [json.dumps({"skill": skill, "criterion": "example_quality", "pass": True}) for skill in spelled]
    assert list(read(lines, NAMES, "labels.jsonl")) == [Label(skill="a", criterion="example_quality", passes=True)]


def rows(score: int) -> list[Judgement]:
    return list(judge(an_exhibit(), RUBRICS, an_asker(Scripted(lambda q: reply(q, score))), votes=2))


SETUP = Setup(judge="scripted-1-0/p2", edition=edition(tuple(RUBRICS), 2), sampling="temperature 0")
BAR = {**asdict(SETUP), "items": 60, "kappa": 0.7, "false_yes": 0.2, "false_no": 0.2}


def gate(score: int, calibration: object, mode: Mode = Mode.BLOCK) -> Outcome:
    settings = {"min_score": 6.0, "calibration": calibration}
    return judge_gate(rows(score), settings, mode, a_changed_skill()).outcome


def test_above_the_bar_the_gate_decides() -> None:
    assert gate(3, BAR) is Outcome.BROKEN
    assert gate(8, BAR) is Outcome.MET
    assert gate(3, BAR, Mode.OFF) is Outcome.OFF


@pytest.mark.parametrize(
    "change",
    [
        {"judge": "another/p2"},
        {"judge": "scripted-1-0/p1"},
        {"edition": "000000000000"},
        {"edition": None},
        {"sampling": ""},
        {"sampling": "temperature 1"},
        {"items": 49},
        {"kappa": 0.59},
        {"false_yes": 0.26},
        {"false_no": 0.26},
        {"kappa": None},
    ],
)
def test_below_the_bar_the_judge_informs_and_never_gates(change: dict[str, Any]) -> None:
    assert gate(1, {**BAR, **change}) is Outcome.UNDECIDABLE
    assert below_bar({**BAR, **change}, [SETUP])


def test_whatever_is_asked_otherwise_is_another_edition(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *rest = RUBRICS
    editions = {edition(tuple(RUBRICS), 2), edition(tuple(RUBRICS), 3), edition(tuple(rest), 2)}
    for change in ({"version": 2}, {"asks": "Whether."}, {"high": "x"}, {"low": "x"}, {"name": "other"}):
        editions.add(edition((replace(first, **change), *rest), 2))  # type: ignore[arg-type]
    for name, other in {"_RULES": "Judge.", "SCHEMA": {"type": "object"}, "PROMPT_VERSION": 99}.items():
        with monkeypatch.context() as patched:
            patched.setattr(rubric_prompt, name, other)
            edition.cache_clear()
            editions.add(edition(tuple(RUBRICS), 2))
    edition.cache_clear()
    assert len(editions) == 11


def test_a_calibration_is_of_the_edition_and_the_sampling_that_a_run_judges_with() -> None:
    found = measured(honest)
    used = setups(rows(8))
    assert [Setup(judge=found.judge[0], edition=found.edition, sampling=found.sampling[0])] == list(used) == [SETUP]
    assert below_bar(BAR, used) is None


def test_another_wording_of_the_prompt_has_another_version() -> None:
    """Raise `PROMPT_VERSION` (and a rubric's `version`) with each change of what is asked, then this digest."""
    assert (PROMPT_VERSION, edition(tuple(RUBRICS), 2)) == (2, "9edf00a6f294")


UNDECIDED = {
    "undefined": (lambda q: reply(q, 9), "one and the same word"),
    "nobody": (lambda q: LOST, "answered no label"),
}


@pytest.mark.parametrize(("say", "why"), UNDECIDED.values(), ids=UNDECIDED.keys())
def test_a_calibration_that_decides_nothing_says_what_is_missing(say: Any, why: str) -> None:
    found = measured(say, **{f"s{number}": True for number in range(20)})
    assert found.kappa is None
    text = "\n".join(command.rows(found))
    assert "kappa undefined" in text and why in text
    assert command.document(found)["settings"] is None


def test_without_a_calibration_the_judge_never_gates() -> None:
    assert gate(1, None) is Outcome.UNDECIDABLE
