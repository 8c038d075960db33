"""Votes to judgements: what counts as a vote, when a third is asked, and what is never made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.asking.judge_score import Moved, agreement, moved, side_score, worst
from aces_ci.core.asking.judge_text import advice, argument
from aces_ci.core.asking.question import Question
from aces_ci.core.evidence import Judgement
from aces_ci.tiers.judged import judge
from tests.judge.bench import QUOTE, Scripted, an_asker, an_exhibit, reply

RUBRICS = compose.rubrics()


def judged(say: Any, *, votes: int = 2, exhibit: Any = None) -> tuple[dict[str, Judgement], Scripted]:
    provider = Scripted(say)
    rows = judge(exhibit or an_exhibit(), RUBRICS, an_asker(provider), votes=votes)
    return {row.criterion: row for row in rows}, provider


def test_there_are_ten_criteria_in_a_fixed_order_and_the_last_needs_files() -> None:
    assert [rubric.place for rubric in RUBRICS] == list(range(1, 11))
    rows, provider = judged(reply)
    assert list(rows) == [rubric.name for rubric in RUBRICS]
    assert rows["structural_coherence"].score is None
    assert len(provider.asked) == 9 * 2
    with_script, provider = judged(reply, exhibit=an_exhibit(scripts__run_py="print(1)\n"))
    assert with_script["structural_coherence"].score == 8
    assert len(provider.asked) == 10 * 2


def test_votes_that_are_close_need_no_third_and_the_score_lies_between() -> None:
    rows, provider = judged(lambda q: reply(q, 8 if q.vote == 1 else 9))
    assert len(provider.asked) == 18
    assert rows["example_quality"].score == 8.5


@pytest.mark.parametrize(("first", "second", "third", "score"), [(7, 9, 8, 8.0), (6, 7, 7, 7.0), (2, 10, 3, 3.0)])
def test_votes_that_differ_get_a_third_and_the_median_stands(first: int, second: int, third: int, score: float) -> None:
    said = {1: first, 2: second, 3: third}
    rows, provider = judged(lambda q: reply(q, said[q.vote]))
    assert len(provider.asked) == 9 * 3, "never more than three"
    assert rows["example_quality"].score == score
    assert [vote.score for vote in rows["example_quality"].votes] == [first, second, third]


def test_the_judges_own_flag_never_outvotes_its_score_and_a_contradiction_gets_a_third() -> None:
    rows, provider = judged(lambda q: reply(q, 3, **{"pass": True}))
    assert not any(vote.passed for vote in rows["example_quality"].votes)
    assert len(provider.asked) == 9 * 3


NOT_VOTES = {
    "another criterion": {"criterion": "beauty"},
    "invented quote": {"quote": "This sentence stands nowhere in it."},
    "pass without a quote": {"quote": ""},
    "fail without a quote": {"quote": "", "score": 2, "pass": False},
    "fail with an invented quote": {"quote": "This sentence stands nowhere in it.", "score": 2, "pass": False},
    "fail for an absence without its place": {"quote": " ", "searched": "example", "score": 2, "pass": False},
    "too short to prove anything": {"quote": "the"},
}


@pytest.mark.parametrize("flaw", NOT_VOTES.values(), ids=NOT_VOTES.keys())
def test_what_is_no_vote_is_asked_once_more_and_then_is_an_error(flaw: dict[str, Any]) -> None:
    rows, provider = judged(lambda q: reply(q, **{"score": 9, **flaw}))
    found = rows["example_quality"]
    assert (found.score, found.votes) == (None, ())
    assert "0 of 3 votes can be used" in found.because
    assert len(provider.asked) == 9 * 3
    good = {"score": flaw.get("score", 9), "pass": flaw.get("pass", True)}
    healed, _ = judged(lambda q: reply(q, **(flaw if q.vote == 1 else good)))
    assert healed["example_quality"].score == good["score"]
    assert len(healed["example_quality"].votes) == 2


def test_one_vote_of_three_is_no_score() -> None:
    rows, _ = judged(lambda q: reply(q, 9) if q.vote == 2 else "429")
    found = rows["example_quality"]
    assert found.score is None and len(found.votes) == 1
    assert "1 of 3 votes can be used: 429" in found.because


def test_a_fault_of_omission_quotes_its_place_and_says_what_was_looked_for() -> None:
    rows, _ = judged(lambda q: reply(q, 2, searched="a word on a missing file, in SKILL.md"))
    vote = rows["error_handling_quality"].votes[0]
    assert (vote.line, vote.quote, vote.searched) == (8, QUOTE, "a word on a missing file, in SKILL.md")
    assert "Looked for: a word on a missing file" in "\n".join(advice(rows["error_handling_quality"]))
    assert argument(vote).startswith(vote.reason) and argument(replace(vote, searched="")) == vote.reason


LOST = "the reply is empty"


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ((2, LOST, 9), None),
        ((9, 2, LOST), None),
        ((LOST, 6, 7), None),
        ((LOST, 9, 8), 8.5),
        ((8, LOST, 8), 8.0),
        ((2, LOST, LOST), None),
    ],
)
@pytest.mark.parametrize("votes", [2, 3])
def test_two_votes_that_differ_settle_nothing_where_the_third_is_lost(said: Any, score: Any, votes: int) -> None:
    by_vote = dict(enumerate(said, start=1))
    rows, provider = judged(lambda q: reply(q, by_vote[q.vote]) if by_vote[q.vote] != LOST else LOST, votes=votes)
    assert rows["example_quality"].score == score
    assert score is not None or LOST in rows["example_quality"].because
    assert len(provider.asked) == 9 * 3


AGREE = [((8, 8), True), ((8, 9), True), ((6, 7, 7), False), ((2, 10, 3), False), ((8, 8, 2), False), ((8, 8, 9), True)]


@pytest.mark.parametrize(("said", "agreed"), AGREE)
def test_votes_agree_where_all_of_them_do(said: tuple[int, ...], agreed: bool) -> None:
    contradiction = len(said) > 2
    rows, _ = judged(lambda q: reply(q, said[q.vote - 1], **({"pass": said[0] < 7} if contradiction else {})))
    found = agreement(rows.values())
    assert (found.agreed, found.criteria) == (9 if agreed else 0, 9)


def test_the_line_is_ours_not_the_judges() -> None:
    rows, _ = judged(lambda q: reply(q, line=99_999, path="elsewhere.md", quote="9| 2. Read  the newest\tfile first"))
    vote = rows["example_quality"].votes[0]
    assert (vote.path, vote.line) == ("SKILL.md", 8)


def test_one_failed_criterion_does_not_take_the_others_with_it() -> None:
    def say(question: Question) -> Any:
        return "the model refused to answer" if "professional_tone" in question.item else reply(question)

    rows, _ = judged(say)
    assert rows["professional_tone"].score is None
    assert "the model refused to answer" in rows["professional_tone"].because
    found = side_score(rows.values(), "head")
    assert found is not None and (found.answered, found.asked, found.score) == (8, 9, 8.0)


def test_too_few_answers_are_no_score() -> None:
    rows, _ = judged(lambda q: reply(q) if "clarity" in q.item else "429")
    assert side_score(rows.values(), "head") is None


def test_two_models_under_one_name_are_not_mixed() -> None:
    provider = Scripted()
    asker = an_asker(provider)
    real = provider.ask
    provider.ask = lambda q: replace(real(q), model=f"m-{q.vote}")  # type: ignore[method-assign]
    rows = list(judge(an_exhibit(), RUBRICS, asker, votes=2))
    assert all(row.score is None for row in rows)
    assert "two models answered" in rows[0].because


@pytest.mark.parametrize(("votes", "calls"), [(1, 9), (2, 18), (3, 27)])
def test_never_more_calls_than_criteria_times_votes(votes: int, calls: int) -> None:
    _, provider = judged(reply, votes=votes)
    assert len(provider.asked) == calls


def test_all_questions_of_a_skill_share_their_beginning() -> None:
    _, provider = judged(reply)
    fronts = {(q.system, q.user[: q.shared]) for q in provider.asked}
    assert len(fronts) == 1
    ((system, front),) = fronts
    assert "Read the newest file first." in front and "Read the newest" not in system
    assert len({q.user for q in provider.asked}) == len(provider.asked)


def test_structural_findings_are_shown_to_the_judge() -> None:
    _, provider = judged(reply, exhibit=an_exhibit(findings=("RE007: no word on failure",)))
    assert "RE007: no word on failure" in provider.asked[0].user


def side(name: str, low: int, high: int) -> list[Judgement]:
    rows = judge(
        an_exhibit(side=name), RUBRICS, an_asker(Scripted(lambda q: reply(q, low if q.vote == 1 else high))), votes=2
    )
    return list(rows)


@pytest.mark.parametrize(
    ("head", "base", "word"),
    [
        ((9, 9), (8, 8), Moved.GAINED),
        ((8, 8), (9, 9), Moved.LOST),
        ((8, 9), (8, 8), Moved.WITHIN),
        ((8, 8), (8, 8), Moved.WITHIN),
    ],
)
def test_a_change_counts_only_beyond_the_votes_own_spread(head: Any, base: Any, word: Moved) -> None:
    assert moved([*side("head", *head), *side("base", *base)]) is word


def test_without_a_base_or_with_another_judge_no_change_is_told() -> None:
    rows = side("head", 9, 9)
    assert moved(rows) is Moved.UNKNOWN
    other = [replace(row, judge="another/p1") if row.judge else row for row in side("base", 5, 5)]
    assert moved([*rows, *other]) is Moved.UNKNOWN


def test_the_worst_points_are_the_heads_and_are_lowest_first() -> None:
    said = {"example_quality": 2, "scope_definition": 5}
    rows, _ = judged(lambda q: reply(q, said.get(q.item.split("/")[1].split("@")[0], 9)))
    assert [row.criterion for row in worst(rows.values())] == ["example_quality", "scope_definition"]
    assert agreement(rows.values()).agreed == agreement(rows.values()).criteria == 9
