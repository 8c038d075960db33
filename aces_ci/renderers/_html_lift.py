"""The page's tables of one skill's lift: every number stands with its interval, or with the reason why not."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.amount import plural
from aces_ci.core.cause_text import look
from aces_ci.core.diagnosis import Diagnosis, Excerpt
from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.grading.points import interval, number, percent, signed
from aces_ci.core.grading.skill_use_summary import FORMS, SHAM
from aces_ci.core.inert import plain, visible
from aces_ci.core.live import LiveSummary
from aces_ci.core.trial import Arm
from aces_ci.renderers._live.versions import answers

_AMOUNTS = {"tokens": "tokens", "usd": "USD", "seconds": "time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: a head, rows of plain text, and a sentence below it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def grids(live: LiveSummary, names: dict[Arm, str], base: str) -> list[Grid]:
    """Metrics, Skill-Use, groups, passes and ratios, each where there is something to show."""
    found = (_metrics(live, names, base), _use(live), _groups(live, base), _passes(live, names), _ratios(live, base))
    return [grid for grid in found if grid.rows]


def size(live: LiveSummary) -> str:
    """What all numbers of a skill rest on."""
    agents = f" × {live.agents} agents" if live.agents > 1 else ""
    text = f"{plural(len(live.cases), 'case')} × {plural(live.attempts, 'run')} an arm{agents}"
    return f"{text}, {live.planned - live.missing} of {live.planned} runs scored"


def sentences(live: LiveSummary) -> list[str]:
    """What the run proves beyond its number, with the reasons for what it does not."""
    said = [f"Case levels are means; {size(live)}. A single case is too small for an interval and decides nothing."]
    if live.answers:
        said.append(f"{answers(live.answers)}: runs that answer alike carry less than their number.")
    if live.rules_out_drop is not None:
        said.append(f"Rules out a drop of more than {number(live.rules_out_drop)} points on this suite (95 %).")
    if live.smallest_detectable is not None:
        said.append(f"A run of this size and spread sees {number(live.smallest_detectable)} points four times of five.")
    if live.population is not None:
        said.append(
            f"For tasks like these (95 % interval): {_estimate(live.population)}, if the cases were drawn at random."
        )
    elif live.population_because:
        said.append(f"Nothing is said for tasks like these: {plain(live.population_because, 200)}.")
    if live.routing_premium is not None:
        said.append(f"Routing premium, group minus isolated: {_estimate(live.routing_premium)}.")
    if live.missing_bounds is not None:
        low, high = (signed(value) for value in live.missing_bounds)
        said.append(f"With every lost run at its worst or best the difference would lie in [{low}, {high}].")
    if live.head is not None:
        second = live.head.change or live.head.lift
        if second is not None:
            said.append(f"On this change's own evals, which do not gate: {_lift(second)}.")
    if live.cannot_gate:
        said.append(f"Does not gate: {plain(live.cannot_gate, 200)}.")
    return [*said, *(_sentence(note) for note in live.notes)]


def _sentence(note: str) -> str:
    text = plain(note, 240)
    return f"{text[:1].upper()}{text[1:]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One cause: title, sentence, the suggestion with its place, and the two traces to stand side by side."""

    title: str
    said: str
    suggestion: str
    left: str
    right: str
    left_name: str
    right_name: str


def causes(live: LiveSummary, names: dict[Arm, str]) -> list[Shown]:
    """Causes with both excerpts where there are two, then what is worth a look."""
    beside = [_cause(item, names, title="Worth a look") for item in live.worth_a_look]
    return [*(_cause(item, names) for item in live.diagnosis), *beside]


def _cause(item: Diagnosis, names: dict[Arm, str], *, title: str = "Why") -> Shown:
    before = f", before in {item.compared[0]} of {item.compared[1]}" if item.compared else ""
    where = f" {visible(item.place.path, 120)}:{item.place.line} ({item.place.side})" if item.place else ""
    seen = f"{item.seen[0]} of {item.seen[1]} runs"
    said = f"{item.cause.value.replace('_', ' ')}:{where} {plain(item.what, 160)} in {seen}{before}."
    if title != "Why":
        said = f"{where.strip()} {look(item, plain(item.what, 160))}".strip()
    return Shown(
        title=title,
        said=said,
        suggestion=f"Try {plain(item.suggestion, 200)}." if item.suggestion and title == "Why" else "",
        left=_trace(item.other),
        right=_trace(item.this),
        left_name=_named(item.other, names),
        right_name=_named(item.this, names),
    )


def _trace(excerpt: Excerpt | None) -> str:
    return "\n".join(visible(line, 240) for line in excerpt.lines) if excerpt else ""


def _named(excerpt: Excerpt | None, names: dict[Arm, str]) -> str:
    return f"{names[excerpt.arm]}, {plain(excerpt.case, 60)}" if excerpt else ""


def _metrics(live: LiveSummary, names: dict[Arm, str], base: str) -> Grid:
    arms = [level.arm for level in live.arms]
    rows = tuple(
        (
            item.metric.replace("_", " "),
            item.part,
            *(_level(dict(item.levels).get(arm)) for arm in arms),
            _lift(item.change),
            _lift(item.lift),
        )
        for item in live.metrics
    )
    head = ("Metric", "Part", *(names[arm] for arm in arms), f"Against {base}", "Against no skill")
    return Grid(title="Metrics", head=head, rows=rows, note=f"Levels are means over {size(live)}.")


def _use(live: LiveSummary) -> Grid:
    """The forms of the Skill-Use paper over this change's runs; a form of which no run says anything says that."""
    levels = {row.form: row for row in live.skill_use_levels}
    rows = [
        (name, _share(levels[form].level, ""), str(levels[form].runs), str(levels[form].level.n))
        if form in levels
        else (name, "no interval: no run says anything of it", "0", "0")
        for form, name in FORMS.items()
    ]
    note = (
        f"Of this change's runs, 0 to 100, on this suite. A sham trigger reads the skill and follows under {SHAM:.0%}."
    )
    head = ("Form", "Mean [95 % interval]", "Runs", "Cases")
    return Grid(title="Skill-Use", head=head, rows=tuple(rows) if levels else (), note=note)


def _groups(live: LiveSummary, base: str) -> Grid:
    rows = tuple(
        (
            item.kind,
            plain(item.name, 80) + (" (looks worse on its own: look there, no verdict)" if item.flagged else ""),
            _lift(item.change),
            _lift(item.lift),
        )
        for item in live.groups
    )
    head = ("Group", "Name", f"Against {base}", "Against no skill")
    return Grid(title="Outcome by harness, model and bucket", head=head, rows=rows, note="Described, never gated.")


def _passes(live: LiveSummary, names: dict[Arm, str]) -> Grid:
    rows = tuple(
        (
            names[item.arm],
            str(item.k),
            _share(item.some, item.because),
            _share(item.every, item.because),
            str(item.cases),
        )
        for item in live.passes
    )
    head = ("Arm", "k", "pass@k: some of k passes", "pass^k: all k pass", "Cases")
    return Grid(title="Passes", head=head, rows=rows, note="Unbiased over the runs there are, on this suite.")


def _ratios(live: LiveSummary, base: str) -> Grid:
    names = {Contrast.CHANGE: base, Contrast.LIFT: "no skill"}
    rows = tuple(
        (
            _AMOUNTS.get(item.what, item.what),
            names[item.contrast],
            f"{percent(item.estimate)}, {plural(item.estimate.n, 'case')}"
            if item.estimate
            else f"no interval: {plain(item.because, 120)}",
        )
        for item in live.ratios
    )
    return Grid(title="What a run takes", head=("Amount", "Against", "Paired ratio minus 1"), rows=rows)


def _lift(lift: Lift | None) -> str:
    if lift is None:
        return "that arm did not run"
    return _estimate(lift.estimate) if lift.estimate else f"no interval: {plain(lift.because, 120)}"


def _estimate(estimate: Estimate) -> str:
    return f"{signed(estimate.point)} {interval(estimate)}, {plural(estimate.n, 'case')}"


def _share(estimate: Estimate | None, because: str) -> str:
    if estimate is None:
        return f"no interval: {plain(because, 120)}"
    return f"{number(estimate.point)} [{number(estimate.low)}, {number(estimate.high)}]"


def _level(value: float | None) -> str:
    return "–" if value is None else number(value)
