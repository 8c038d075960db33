"""Everything between the heading and the foot of a comment with live results."""

from __future__ import annotations

from aces_ci.core.estimate import Contrast
from aces_ci.core.gate import GateName, Mode, Outcome
from aces_ci.core.inert import code, prose
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import table
from aces_ci.renderers._live import diagnosis, lead, settle, tables
from aces_ci.renderers._live.shown import Live, lives


def body(report: Report, place: Place) -> list[str]:
    """Decision, table, what it rests on, why, what would settle it; empty where no skill has live results."""
    found = lives(report)
    if not found:
        return []
    lines = tables.table(found) + settle.footing(found)
    for live in found[:2]:
        lines += diagnosis.why(report, place, live)
    return lines + settle.settle(report, found)


def first(report: Report) -> list[str]:
    """The paragraph below the heading, where the live tier decided it."""
    return lead.lead(report)


def checks(report: Report) -> list[str]:
    """What the other tiers and gates say, in one line each; without a blank line."""
    found = lives(report)
    if not found:
        return []
    parts = [
        "specification " + " ".join(table.specification(live.skill) for live in found),
        "quality " + ", ".join(table.quality(live.skill) for live in found),
    ]
    judged = [table.judge(live.skill, report) for live in found]
    if any(text not in {"not run", "waits"} for text in judged):
        parts.append("judge " + ", ".join(judged))
    return [f"**Other checks** · {' · '.join(parts)}", *_gates(report, found)]


def _gates(report: Report, found: list[Live]) -> list[str]:
    """Gates of the live tier that a reader must know of although they do not block."""
    lines: list[str] = []
    paths = {live.skill.change.path for live in found}
    for gate in report.gates:
        if gate.skill not in paths:
            continue
        owner = "" if len(found) == 1 else f"{code(str(gate.skill).rsplit('/', 1)[-1], 64)} "
        undecided = gate.gate is GateName.REGRESSION and gate.outcome is Outcome.UNDECIDABLE
        if undecided and gate.mode is Mode.BLOCK:
            lines.append(f"**Gate not decided** · {owner}{code('regression: block')}: {prose(gate.reason, 240)}")
        quiet = gate.gate in {GateName.INVALID, GateName.EVALS, GateName.LIFT}
        if quiet and gate.outcome is Outcome.BROKEN and not gate.blocks:
            lines.append(f"**Warning** · {owner}{code(gate.gate.value)}: {prose(gate.reason, 240)}")
    blocked = [gate for gate in report.verdict.by if gate.gate is GateName.REGRESSION and gate.blocks]
    if blocked and any(live.summary.basis is Contrast.CHANGE for live in found):
        accept = code("aces:accept")
        lines.append(f"**Accept** · a writer may accept the loss at this commit: label {accept}")
    return lines


def commands(report: Report, version: str) -> list[str]:
    """How to repeat it at a terminal; no trailing blank line. Names are quoted by the caller's rules."""
    found = lives(report)
    if not found:
        return []
    live = found[0]
    runs = live.summary.planned
    cost = sum((level.usd_micros or 0.0) * level.trials for level in live.summary.arms)
    known = runs and all(level.usd_micros is not None for level in live.summary.arms)
    price = f", about ${cost / 1_000_000:.2f}" if known else ""
    label = "".join(char for char in live.skill.change.label if char.isalnum() or char in "-_.")
    return [
        f"# the same at your terminal{price}",
        f"uvx aces-ci@{version} live {label} --base {report.merge_base[:7]}",
    ]
