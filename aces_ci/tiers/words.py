"""The word for one contrast: the rule of `docs/verdicts.md`, in one place."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.estimate import Contrast
from aces_ci.core.live import Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.statistics.equivalence import within_margin
from aces_ci.statistics.sequential import Side
from aces_ci.tiers.contrast import Tested, agrees
from aces_ci.tiers.fairness import Reason

WORST_FIRST = {Side.LOWER: Word.REGRESSED, Side.HIGHER: Word.IMPROVED}


def word(tested: Tested, reasons: Sequence[Reason], plan: LivePlan) -> tuple[Word, str]:
    """The word and the clause behind it.

    In order: unfair is *no verdict*; a boundary that was crossed, upheld by rule R and by the interval, at least the
    floor away from 0, is *regressed* or *improved*; at the plan's last look a 90 % interval inside the margin, also at
    the worst that lost runs could have been, is *no difference*; all else *cannot tell*.
    """
    if reasons:
        return Word.NO_VERDICT, reasons[0][1]
    if tested.point is None:
        return Word.CANNOT_TELL, "no case has a scored run in both arms"
    if not tested.looks.look:
        return Word.CANNOT_TELL, f"the first look needs {plan.looks[0]} runs of every case in both arms"
    crossed = tested.looks.crossed
    sure = tested.stands and agrees(tested) and excludes_zero(tested)
    if crossed is not None and sure and abs(tested.point) >= plan.floor:
        than = "the base" if tested.contrast is Contrast.CHANGE else "no skill"
        return WORST_FIRST[crossed], f"beyond chance against {than} at look {tested.looks.look} of {len(plan.looks)}"
    # Asked once, where the looks end: asked at each of them its error would add up. A boundary that was crossed earlier
    # is no end of the looks, whatever kept it from being a word.
    if tested.looks.look == len(plan.looks) and within_margin(tested.cells, plan.margin):
        return (
            Word.NO_DIFFERENCE,
            f"the 90 % interval lies inside {round(100 * plan.margin)} points either way",
        )
    return Word.CANNOT_TELL, _why_not(tested, plan)


def excludes_zero(tested: Tested) -> bool:
    """Whether the printed interval agrees with the test. With few distinct scores they part in about 1 % of runs;
    the word then stays unsaid, which can only lower the error.
    """
    return tested.interval is not None and not tested.interval.low <= 0 <= tested.interval.high


def _why_not(tested: Tested, plan: LivePlan) -> str:
    if tested.looks.crossed is not None:
        if not tested.stands:
            return "missing runs could explain the difference"
        if not agrees(tested):
            return "test and estimate point in different directions, because runs are missing"
        if not excludes_zero(tested):
            return "the exact test speaks, but the interval still holds 0"
        return f"beyond chance, but smaller than the floor of {round(100 * plan.floor)} points"
    if tested.looks.hopeless:
        return "no completion of the plan can cross a boundary any more"
    if tested.looks.futile:
        return "more runs of the same plan are not expected to settle it"
    if tested.looks.look < len(plan.looks):
        return f"not decided at look {tested.looks.look} of {len(plan.looks)}"
    return "the plan ended and chance can still explain what was seen"
