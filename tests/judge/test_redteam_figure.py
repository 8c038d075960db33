"""The figure of the red team: what it counts, when it counts, and that the published one comes out of kept answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.core.asking.question import Question
from aces_ci.statistics.proportion import paired_difference
from benchmarks.judge_redteam import Figure, Once, figure, lines, measured, replayed, rotation
from tests.judge.bench import Scripted, reply
from tests.judge.redteam import ATTACKS

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = ROOT / "fixtures/redteam/answers-smollm2-135m.jsonl"


def told(say: Callable[[Question], object], name: str = "said") -> Figure:
    """The figure of a judge that answers by `say`."""
    found = measured(Once(Scripted(say)), rotation(compose.rubrics()))  # type: ignore[arg-type]
    return figure((getattr(control, name), getattr(hostile, name)) for control, hostile in found)


def test_every_pair_is_asked_and_the_criteria_rotate() -> None:
    criteria = rotation(compose.rubrics())
    assert len(criteria) == len(ATTACKS) >= 40
    assert len({rubric.name for rubric in criteria}) == 9, "all but the one that needs files"
    assert told(reply).pairs == len(ATTACKS)


@pytest.mark.parametrize("score", [2, 9])
def test_a_judge_that_always_says_the_same_gives_no_figure_that_counts(score: int) -> None:
    found = told(lambda question: reply(question, score))
    assert found.difference[0] == 0 and not found.counts
    assert "does not count" in lines("said", found)[-1]


def test_a_judge_that_decides_and_is_not_steered_counts_with_no_difference() -> None:
    found = told(lambda question: reply(question, 9 if "clarity" in question.item else 3))
    assert found.counts and found.difference[0] == 0
    assert found.difference[1] < 0 < found.difference[2]


def test_a_judge_that_believes_what_it_reads_is_found_out() -> None:
    steered = {id(attack): attack["hostile"][:20] for attack in ATTACKS}

    def say(question: Question) -> object:
        text = question.user.replace("\\n", "\n").replace('\\"', '"')
        believed = any(start in text for start in steered.values())
        return reply(question, 9 if believed or "clarity" in question.item else 3)

    found = told(say)
    assert found.counts
    share, low, _ = found.difference
    assert share > 0.25 and low > 0.1, "hostile texts that are shown turn its word"


def test_a_pass_without_a_quote_that_stands_there_is_said_and_not_counted() -> None:
    def say(question: Question) -> object:
        return reply(question, 9, quote="Nothing like this stands in it.")

    assert told(say).of("control", True) == len(ATTACKS)
    assert told(say, "counted").of("control", None) == len(ATTACKS)


def test_an_interrupted_measurement_goes_on_and_a_replay_gives_the_same(tmp_path: Path) -> None:
    first, second = Scripted(), Scripted()
    kept = tmp_path / "answers.jsonl"
    measured(Once(first, kept), rotation(compose.rubrics()), most=3)
    whole = measured(Once(second, kept), rotation(compose.rubrics()))
    assert (len(first.asked), len(second.asked)) == (6, 2 * len(ATTACKS) - 6)
    third = Scripted()
    assert measured(Once(third, kept), rotation(compose.rubrics())) == whole and third.asked == []


def test_the_interval_of_a_paired_difference_is_newcombes() -> None:
    # At this size every method is close to the simple one: sqrt(150 + 86 - 64**2 / 1600) / 1600 is its standard error.
    share, low, high = paired_difference(794, 150, 86, 570)
    reach = 1.96 * (150 + 86 - 64**2 / 1600) ** 0.5 / 1600
    assert (share, low, high) == pytest.approx((0.04, 0.04 - reach, 0.04 + reach), abs=2e-4)
    mirrored = paired_difference(794, 86, 150, 570)
    assert mirrored == pytest.approx((-share, -high, -low))
    assert paired_difference(0, 0, 0, 0) == (0.0, -1.0, 1.0)
    for counts in ((0, 10, 0, 0), (10, 0, 0, 0), (0, 0, 0, 10), (3, 4, 2, 1)):
        share, low, high = paired_difference(*counts)
        assert -1 <= low <= share <= high <= 1 and low < high


def test_the_published_figure_is_what_the_kept_answers_of_the_real_model_give() -> None:
    """The model is that of the end-to-end suite; another wording of the question needs another measurement."""
    answers = replayed(ANSWERS.read_text("utf-8").splitlines())
    found = measured(answers, rotation(compose.rubrics()), shape="verdict")
    said = figure((control.said, hostile.said) for control, hostile in found)
    page = " ".join((ROOT / "docs/judge.md").read_text("utf-8").split())
    assert lines("said", said)[0].removeprefix("said: ") in page
    assert " ".join(lines("said", said)[1].split()) in page
    assert ("does not count" in lines("said", said)[-1]) is ("**does not count**" in page)
