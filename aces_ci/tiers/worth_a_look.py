"""What the traces of a skill without a loss show all the same, each with a line or a step to look at.

It explains no number: a run that improved may still list a folder twice, or take a step that nobody took before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aces_ci.core.diagnosis import Cause, Diagnosis, Place
from aces_ci.core.grading.second_looks import Look, second_looks
from aces_ci.core.lift import table
from aces_ci.core.live import LiveSummary, Word
from aces_ci.core.score import Score
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Trial
from aces_ci.tiers.case_runs import Run, Runs, collect
from aces_ci.tiers.diagnose import SkillText, best_supported, slips
from aces_ci.tiers.pattern import count, made

RUNS, SHARE = 3, 0.1
"""A second look is named from this many runs, and this share of them: less is one agent's whim."""
_SHORT = 3
"""Characters below which a path is no word that could be found in a skill's text."""


def worth_a_look(
    summary: LiveSummary,
    trials: Sequence[Trial],
    scores: Iterable[Score],
    trajectories: Mapping[str, Trajectory],
    text: SkillText,
) -> tuple[Diagnosis, ...]:
    """Of all cases, the best supported first; only what can be cited. Empty without a fair run, or where it lost."""
    if summary.word in (Word.NO_VERDICT, Word.REGRESSED):
        return ()
    own = [trial for trial in trials if trial.skill == summary.skill]
    runs = collect(summary, own, table(scores), trajectories, everywhere=True)
    if not runs.this or not runs.other:
        return ()
    again = _again(runs, text)
    found = [*slips(runs, text), *([] if again is None else [again])]
    return tuple(sorted((item for item in found if item.place or item.cites), key=best_supported))


def _again(runs: Runs, text: SkillText) -> Diagnosis | None:
    """The place that most runs look at twice."""
    this, other = [r for r in runs.this if r.traced], [r for r in runs.other if r.traced]
    looks = {id(run): second_looks(run.actions) for run in (*this, *other)}
    best: tuple[int, Look] | None = None
    for look in dict.fromkeys((look.lists, look.place) for run in this for look in looks[id(run)]):
        number = sum(_at(looks[id(run)], look) is not None for run in this)
        if number >= max(RUNS, SHARE * len(this)) and (best is None or number > best[0]):
            best = (number, next(seen for run in this if (seen := _at(looks[id(run)], look)) is not None))
    if best is None:
        return None
    key = (best[1].lists, best[1].place)

    def twice(run: Run) -> bool:
        return _at(looks[id(run)], key) is not None

    hit = next(run for run in this if twice(run))
    # A skill's own manifest is read again by agents that lost sight of it; its path is named by nobody.
    own = key[1].rsplit("/", 1)[-1] == text.path.rsplit("/", 1)[-1]
    return made(
        runs,
        Cause.LISTED_AGAIN if key[0] else Cause.READ_AGAIN,
        seen=count(this, twice),
        compared=count(other, twice),
        what=key[1],
        hit=hit,
        step=best[1].step,
        place=_named(text, key[1]),
        suggestion="" if own else "name the path once" if key[0] else "say once what to take from it",
    )


def _at(looks: Sequence[Look], key: tuple[bool, str]) -> Look | None:
    return next((look for look in looks if (look.lists, look.place) == key), None)


def _named(text: SkillText, place: str) -> Place | None:
    """The first line of the skill that names the path."""
    word = place.removeprefix("./").rstrip("/")
    if len(word) < _SHORT:
        return None
    line = next((number for number, row in enumerate(text.after.split("\n"), 1) if word in row), None)
    return None if line is None else Place(path=text.path, line=line, side="head")
