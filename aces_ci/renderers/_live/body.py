"""Everything between the heading and the foot of a comment with live results."""

from __future__ import annotations

from aces_ci.core.amount import plural
from aces_ci.core.estimate import Contrast
from aces_ci.core.evidence import GATE_FAILED, Tier
from aces_ci.core.gate import GateName, GateResult, Mode, Outcome
from aces_ci.core.grading.points import NBSP, interval, signed
from aces_ci.core.inert import code, prose
from aces_ci.core.invocation import JUDGE, LIVE, uvx
from aces_ci.core.live import Word
from aces_ci.core.next_step import accept_loss
from aces_ci.core.report import Report
from aces_ci.core.trial import Arm
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import judge, table
from aces_ci.renderers._live import diagnosis, lead, settle, tables
from aces_ci.renderers._live.shown import Live, lives

NOT_ASKED = "not run: gate already failed"


def body(report: Report, place: Place) -> list[str]:
    """Decision, table, what it rests on, why, what would settle it; empty where no skill has live results."""
    found = lives(report)
    if not found:
        return []
    lines = tables.table(found) + settle.footing(found)
    for live in found[:2]:
        lines += diagnosis.why(report, place, live) or diagnosis.worth_a_look(report, place, live)
    return lines + settle.settle(report, found, place.forge)


def first(report: Report) -> list[str]:
    """The paragraph below the heading, where the live tier decided it."""
    return lead.lead(report)


def checks(report: Report, forge: str) -> list[str]:
    """What the other tiers and gates say, in one line each; without a blank line."""
    found = lives(report)
    if not found:
        return []
    parts = [
        "specification " + " ".join(table.specification(live.skill) for live in found),
        "quality " + ", ".join(table.quality(live.skill) for live in found),
    ]
    judged = [_judged(live, report) for live in found]
    if any(text not in {"not run", "waits"} for text in judged):
        parts.append("judge " + ", ".join(dict.fromkeys(judged) if set(judged) == {NOT_ASKED} else judged))
    return [f"**Other checks** · {' · '.join(parts)}", *_since(found), *_gates(report, found, forge)]


def _judged(live: Live, report: Report) -> str:
    """The judge's score with the range of its votes, and what it was on the base."""
    text = table.judge(live.skill, report)
    if table.why_not(live.skill, report, Tier.JUDGE) == GATE_FAILED:
        return NOT_ASKED
    before = judge.score(live.skill, "base") if live.skill.judgements else "–"
    return text if before in {"–", "new"} else f"{text}, was {before}"


def _since(found: list[Live]) -> list[str]:
    """What this push changed against the last one; days lie between them, so it is described and decides nothing."""
    lines = []
    for live in found[:3]:
        last = live.summary.since
        if last is None:
            continue
        owner = "" if len(found) == 1 else f"{live.name} "
        moved = (
            f"outcome {signed(last.outcome.point)}{NBSP}{interval(last.outcome)}"
            if last.outcome
            else f"no outcome: {prose(last.because, 120)}"
        )
        fixed = f"{plural(last.fixed, 'finding')} fixed" if last.fixed else "no finding fixed"
        new = f"{last.new} new" if last.new else "none new"
        lines.append(f"**Since the last push** ({code(last.head[:7])}) · {owner}{moved}, {fixed}, {new}")
    return lines


def says_gate(report: Report) -> bool:
    """Whether `checks` already names the gates that block: with a loss it names all of them."""
    return bool(_losses(report))


def _losses(report: Report) -> list[GateResult]:
    """Regressions against the base that block and that a writer may accept."""
    paths = {live.skill.change.path for live in lives(report) if live.summary.basis is Contrast.CHANGE}
    return [
        gate
        for gate in report.verdict.by
        if gate.gate is GateName.REGRESSION and gate.blocks and gate.skill in paths and report.verdict.exit_code
    ]


def _gates(report: Report, found: list[Live], forge: str) -> list[str]:
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
    if _losses(report):
        may = f"A writer may accept the loss at this commit: {accept_loss(forge)}"
        gates = dict.fromkeys(code(f"{gate.gate.value}: {gate.mode.value}") for gate in report.verdict.by)
        lines.append(f"**Gate** · {', '.join(gates)}, read from {code(report.policy.ref, 80)}. {may}")
    return lines


def commands(report: Report) -> list[str]:
    """How to repeat it at a terminal; no trailing blank line. Names are quoted by the caller's rules.

    Of a skill that regressed one case is enough to see it; of one that cannot be told more cases come first.
    """
    found = lives(report)
    if not found:
        return []
    live = found[0]
    path = live.skill.change.path
    run = f"{uvx(JUDGE, LIVE)} live {_safe(path)} --base {report.merge_base[:7]}"
    worst = _worst_case(live)
    if live.summary.word is Word.REGRESSED and worst:
        return [f"# one case here{_price(live, 1 / max(1, len(live.summary.cases)))}", f"{run} --case {worst}"]
    more = next((option for option in live.summary.options if option.kind == "more_cases"), None)
    drafts = []
    if more is not None:
        count = more.cases - len(live.summary.cases)
        drafts = ["# draft cases", f"{uvx()} evals create {_safe(path)} --add {count}"]
    same = "the same run" if drafts else "the same at your terminal"
    return [*drafts, f"# {same}{_price(live)}", run]


def _safe(path: str) -> str:
    """A path that a shell takes as one word, or `.` where it would not: text of others is no command."""
    return path if path and all(char.isalnum() or char in "-_./" for char in path) and path[0] != "-" else "."


def _worst_case(live: Live) -> str:
    """The case that lost most and has a name that a shell takes as one word."""
    other = Arm.PREVIOUS if live.summary.basis is Contrast.CHANGE else Arm.BASELINE
    losses = []
    for row in live.summary.cases:
        levels = dict(row.levels)
        this, that = levels.get(Arm.WITH_SKILL), levels.get(other)
        if this is not None and that is not None and _safe(row.case) == row.case:
            losses.append((this - that, row.case))
    return min(losses)[1] if losses else ""


def _price(live: Live, share: float = 1.0) -> str:
    """What a share of this run would cost again; nothing where a price is not known."""
    levels = live.summary.arms
    if not live.summary.planned or any(level.usd_micros is None for level in levels):
        return ""
    cost = sum((level.usd_micros or 0.0) * level.trials for level in levels) * share
    return f", about ${cost / 1_000_000:.2f}"
