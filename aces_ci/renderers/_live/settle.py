"""Below the table: what the numbers rest on, and what would settle what they leave open."""

from __future__ import annotations

from math import ceil

from aces_ci.core.amount import plural, usd
from aces_ci.core.estimate import Contrast
from aces_ci.core.grading.points import NBSP, number, percent
from aces_ci.core.inert import code, prose
from aces_ci.core.live import LiveSummary, Option, Word
from aces_ci.core.next_step import start_live
from aces_ci.core.report import Report
from aces_ci.renderers._live.lead import lost
from aces_ci.renderers._live.shown import Live, difference

MOST_LOST = 4
"""Skills whose lost runs are told below the rows; every row has their number."""
ENOUGH_CASES = 8
"""Cases from which a run speaks for tasks like these; tied to the statistics by a test."""


def footing(found: list[Live]) -> list[str]:
    """What the numbers rest on; blank line at the end."""
    if len(found) == 1:
        live = found[0]
        if live.summary.word is Word.CANNOT_TELL:
            lines = [_open(live)]
        elif live.summary.word is Word.NO_VERDICT:
            lines = [f"{_size(live.summary)}: levels are shown, and no difference is drawn from them."]
        else:
            lines = [_base(live), _reach(live.summary)]
        return [*(f"{line}\\" for line in lines[:-1]), lines[-1], ""]
    sizes = {(len(live.summary.cases), live.summary.attempts) for live in found}
    text = f"Outcome in points of 100, 95{NBSP}% intervals"
    if len(sizes) == 1:
        cases, attempts = sizes.pop()
        text += f", {plural(cases, 'case')} × {plural(attempts, 'run')} an arm each."
    else:
        text += "; cases × runs an arm: " + ", ".join(
            f"{live.name} {len(live.summary.cases)} × {live.summary.attempts}" for live in found
        )
        text += "."
    for live in found:
        if live.summary.word is Word.CANNOT_TELL and live.summary.rules_out_drop is not None:
            text += f" {live.name}: rules out a drop of more than {_points(live.summary.rules_out_drop)}."
    told = [f"{live.name}: {line}" for live in found for line in lost(live.summary)]
    rows = [text, *told[:MOST_LOST]]
    return [*(f"{row}\\" for row in rows[:-1]), rows[-1], ""]


def _points(value: float) -> str:
    return f"{number(value)} {'point' if round(100 * value) == 1 else 'points'}"


def _size(summary: LiveSummary) -> str:
    agents = f" × {summary.agents} agents" if summary.agents > 1 else ""
    text = f"{plural(len(summary.cases), 'case')} × {plural(summary.attempts, 'run')} an arm{agents}, "
    if not summary.planned:
        return text + "no run counts"
    if summary.missing:
        return text + f"{summary.planned - summary.missing} of {summary.planned} planned runs scored"
    failed = f", {summary.failed} of them failed or timed out" if summary.failed else ""
    more = f" ({summary.beyond} more do not count)" if summary.beyond else ""
    return text + f"all {summary.planned} {'scored' if failed else 'finished'}{failed}{more}"


def _base(live: Live) -> str:
    parts = [_size(live.summary)]
    if live.summary.basis is Contrast.CHANGE and live.summary.lift and live.summary.lift.estimate:
        parts.append(f"against no skill {difference(live.summary, Contrast.LIFT)}")
    ratio = next(
        (
            row.estimate
            for row in live.summary.ratios
            if row.what == "tokens" and row.contrast is live.summary.basis and row.estimate
        ),
        None,
    )
    if ratio is not None:
        parts.append(f"tokens {percent(ratio)}")
    return " · ".join(parts)


def _reach(summary: LiveSummary) -> str:
    if summary.population is not None:
        low, high = number(summary.population.low), number(summary.population.high)
        return (
            f"For tasks like these, 95{NBSP}% interval over {plural(summary.population.n, 'case')}: between {low} and "
            f"{high} points, if the cases were drawn at random from them."
        )
    cases = f"True for the {plural(len(summary.cases), 'case')} in `evals/`"
    if len(summary.cases) < ENOUGH_CASES:
        return f"{cases}; {ENOUGH_CASES} or more would let it speak for tasks like these."
    because = f": {prose(summary.population_because, 120)}" if summary.population_because else ""
    return f"{cases}, not for tasks like these{because}."


def _open(live: Live) -> str:
    summary = live.summary
    text = _size(summary)
    if summary.look == 0:
        cut = f"; stopped before the first look {prose(summary.stopped, 120)}" if summary.stopped else ""
        return f"{text}{cut}; {prose(summary.because, 160)}."
    if summary.look < summary.looks:
        why = f" {prose(summary.stopped, 120)}" if summary.stopped else ""
        text += f"; stopped after look {summary.look} of {summary.looks}{why}"
    if summary.futile:
        text += f", because {prose(summary.because, 160)}"
    text += "."
    if summary.rules_out_drop is not None:
        text += f" This rules out a drop of more than {_points(summary.rules_out_drop)}"
        if summary.smallest_detectable is not None:
            text += (
                f"; the smallest change that it could have shown is about **{_points(summary.smallest_detectable)}**"
            )
        text += "."
    return text


def settle(report: Report, found: list[Live], forge: str) -> list[str]:
    """`What would settle it` for a single undecided skill; blank line at the end, empty for all else."""
    if len(found) != 1 or not found[0].summary.options:
        return []
    live = found[0]
    lines = ["**What would settle it**"]
    lines += [
        f"{index}. {_option(report, live, option, forge)}" for index, option in enumerate(live.summary.options, 1)
    ]
    scored = live.summary.planned - live.summary.missing
    return [
        *lines,
        "",
        f"New runs are **added** to these {scored}, or start from the alpha that is left: asking again cannot turn "
        "luck into a verdict.",
        "",
    ]


def _option(report: Report, live: Live, option: Option, forge: str) -> str:
    summary = live.summary
    price = "" if option.usd_micros is None else f", about {_rough(option.usd_micros)}"
    shows = f"{number(option.shows)} points or more"
    if option.kind == "go_on":
        looks = [str(look) for look in range(summary.look + 1, summary.looks + 1)]
        which = f"look{'s' if len(looks) > 1 else ''} {' and '.join(looks) if len(looks) < 3 else ', '.join(looks)}"
        text = f"**Go on to {option.attempts} runs a case** ({which}): {option.runs} more runs{price}, shows {shows}"
        return text + _budget(report, option, forge)
    size = f"{option.cases} cases × {option.attempts} runs"
    if option.kind == "more_cases":
        more = option.cases - len(summary.cases)
        base = code(live.base, 64)
        reach = f"{ENOUGH_CASES} also speak for tasks like these"
        return (
            f"**Add {more} cases in a change of their own first** ({base}'s cases decide; {reach}): "
            f"{size}{price}, shows {shows}{_above(report, option)}"
        )
    return f"To see {number(option.shows)} points: {size}{price}{_above(report, option)}"


def _above(report: Report, option: Option) -> str:
    """A price above the cap is no invitation."""
    cap = report.cost.cap_usd_micros
    if cap is None or option.usd_micros is None or option.usd_micros <= cap:
        return ""
    return f"; more than the cap of {usd(cap)} lets run"


def _rough(micros: float) -> str:
    """Whole dollars from 10 on: an estimate has no cents."""
    return usd(micros) if micros < 10_000_000 else f"{round(micros / 1_000_000)}{NBSP}USD"


def _budget(report: Report, option: Option, forge: str) -> str:
    cap, spent = report.cost.cap_usd_micros, report.cost.usd_micros
    if cap is None or spent is None or option.usd_micros is None or spent + option.usd_micros <= cap:
        return ""
    needed = ceil((spent + option.usd_micros) / 1_000_000)
    start = start_live(forge, report.links.log)
    return f". Needs `budget.usd: {needed}` on {code(report.policy.ref, 64)}, then {start}"
