"""How many runs an approval would start, what they cost and how long they take, as one clause."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.amount import NBSP, plural
from aces_ci.core.evidence import Tier
from aces_ci.core.inert import prose
from aces_ci.core.proposal import Proposed
from aces_ci.core.report import Report


def proposals(report: Report) -> list[Proposed]:
    """One a skill, where its job could plan."""
    return [skill.proposed for skill in report.skills if skill.proposed is not None]


def cost_of(rows: Sequence[Proposed]) -> tuple[int | None, int | None]:
    """Millionths of a dollar at the first and at the last look; None where a price is not known."""
    known = [row.usd_micros for row in rows if row.usd_micros is not None]
    if len(known) != len(rows):
        return None, None
    return sum(least for least, _ in known), sum(most for _, most in known)


def runs(report: Report) -> str:
    """`5 cases × 3 to 8 runs × 3 arms = 45 to 120, about 3.60 to 9.60 USD and 20 to 50 min`, or why there are none."""
    off = next((row.because for row in report.skipped if row.tier is Tier.LIVE and row.code != "fork"), "")
    told = proposals(report)
    rows = [row for row in told if not row.because]
    if not told:
        return f"no agent: {prose(off, 200)}" if off else "agents do the cases that there are, which were not counted"
    if not rows:
        whys = dict.fromkeys(row.because for row in told)
        return f"no agent: {prose('; '.join(whys), 300)}"
    least, most = sum(row.runs[0] for row in rows), sum(row.runs[1] for row in rows)
    cheap, dear = cost_of(rows)
    money = "at a price that is not known" if cheap is None or dear is None else f"about {_usd(cheap, dear)}"
    minutes = _range(*(round(sum(row.minutes[index] for row in rows)) for index in (0, 1)))
    beside = "" if len(rows) == len(told) else f" (in {len(rows)} of {plural(len(told), 'skill')}; the rest has none)"
    return f"{_product(rows, least, most)}{beside}, {money} and {minutes}{NBSP}min"


def _product(rows: Sequence[Proposed], least: int, most: int) -> str:
    """The factors where they are the same for all skills and do give the sum; else the sum alone."""
    cases = sum(row.cases + row.own_cases for row in rows)
    own = sum(row.own_cases for row in rows if row.cases)
    named = f"{plural(cases, 'case')}" + (f" ({own} of them the change's own)" if own else "")
    shape = {(row.arms, row.agents, row.attempts) for row in rows}
    total = _range(least, most)
    if len(shape) == 1:
        (arms, agents, (first, last)) = shape.pop()
        if (cases * arms * agents * first, cases * arms * agents * last) == (least, most):
            agent = f" × {plural(agents, 'agent')}" if agents != 1 else ""
            attempts = plural(last, "run") if first == last else f"{first} to {last} runs"
            return f"{named} × {attempts} × {plural(arms, 'arm')}{agent} = {total}"
    return f"{named}, {total} runs"


def _usd(least: int, most: int) -> str:
    return f"{_range(f'{least / 1e6:.2f}', f'{most / 1e6:.2f}')}{NBSP}USD"


def _range(least: object, most: object) -> str:
    return f"{least}" if least == most else f"{least} to {most}"
