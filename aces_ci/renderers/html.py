"""`report.html`: one page, no script, every value escaped."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from aces_ci.core import docs
from aces_ci.core.amount import duration, tokens, usd
from aces_ci.core.finding import Finding, Severity, since
from aces_ci.core.gate import Outcome
from aces_ci.core.headline import headline
from aces_ci.core.inert import plain, visible
from aces_ci.core.report import Report
from aces_ci.core.verdict import State
from aces_ci.ports.renderer import Place
from aces_ci.renderers import _html_judge, _html_live, _imported
from aces_ci.renderers._html_skills import lead, skill_rows

MOST_FINDINGS = 2000
_TONES = {
    State.BLOCKED: "bad",
    State.REGRESSED: "bad",
    State.INVALID: "unk",
    State.INCOMPLETE: "unk",
    State.INCONCLUSIVE: "unk",
    State.NOT_COMPARED: "unk",
    State.WAITS: "unk",
}
_SEVERE = {Severity.CRITICAL: "bad", Severity.ERROR: "bad", Severity.WARNING: "unk", Severity.INFO: "mut"}


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("aces_ci.renderers"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    return environment.get_template("report.html.j2")


@dataclass(frozen=True, slots=True)
class Html:
    """`report.html`. Text of others enters through autoescape alone; nothing of it is marked safe."""

    name: str = "html"
    filename: str = "report.html"

    def render(self, report: Report, place: Place) -> str:
        """The whole page."""
        title = headline(report)
        findings = sorted(
            (f for skill in report.skills for f in skill.findings), key=lambda f: (f.severity.rank, f.order)
        )
        forest = _html_live.forest_rows(report)
        return _template().render(
            title=title.plain.removeprefix("aces-ci: ").capitalize(),
            icon=title.icon,
            tone=_TONES.get(report.verdict.state, "good"),
            lead=lead(report),
            chips=_chips(report),
            base=plain(report.event.base_name, 64),
            forest=forest,
            plot=Markup(_html_live.plot(forest)),
            skills=skill_rows(report),
            judged=_html_judge.judged(report, place),
            judge_said=_html_judge.said(report),
            live=_html_live.summaries(report),
            findings=[_finding(report, place, finding) for finding in findings[:MOST_FINDINGS]],
            more=max(0, len(findings) - MOST_FINDINGS),
            gates=[
                {
                    "name": gate.gate.value,
                    "mode": gate.mode.value,
                    "outcome": gate.outcome.value,
                    "tone": "bad" if gate.blocks else "unk" if gate.outcome is Outcome.BROKEN else "mut",
                    "skill": plain(gate.skill or "the run", 120),
                    "reason": plain(gate.reason),
                }
                for gate in report.gates
            ],
            skipped=[_skip(item.tier.value, item.skill, item.because) for item in report.skipped],
            imported=_imported.rows(report)[:MOST_FINDINGS],
            imported_said=f"{_imported.LABEL[0].upper()}{_imported.LABEL[1:]}. {_imported.SAID}",
            cost=_cost(report),
            method=_method(report),
        )


def _chips(report: Report) -> list[str]:
    event = report.event
    number = f" #{event.change_request}" if event.change_request else ""
    head = f"{'working tree on ' if event.worktree else ''}{event.head_sha[:7]}"
    chips = [f"{plain(event.repo, 80)}{number} · {report.merge_base[:7]} → {head}"]
    models = _html_live.models(report)
    return [*chips, *models, usd(report.cost.usd_micros), f"aces-ci {report.version}"]


def _finding(report: Report, place: Place, finding: Finding) -> dict[str, object]:
    line = None if finding.whole_file else finding.line
    where = visible(finding.path, 160) + ("" if line is None else f":{line}")
    repo = report.event.head_repo or report.event.repo
    return {
        "severity": finding.severity.value,
        "tone": _SEVERE[finding.severity],
        "since": since(finding),
        "where": where.split("/"),
        "url": place.links.blob(repo, report.event.head_sha, finding.path, line, finding.end_line),
        "message": plain(finding.message),
        "hint": plain(finding.hint),
        "code": finding.code,
        "rule": docs.rule(finding.code),
    }


def _skip(tier: str, skill: str | None, because: str) -> str:
    owner = f" ({plain(skill, 80)})" if skill else ""
    return f"{tier}{owner}: {plain(because)}"


def _cost(report: Report) -> str:
    cost = report.cost
    cap = f" of at most {usd(cost.cap_usd_micros)}" if cost.cap_usd_micros is not None else ""
    return f"{usd(cost.usd_micros)}{cap} · {tokens(cost.tokens)} tokens · {duration(cost.seconds)}"


def _method(report: Report) -> str:
    text = "Text is read by deterministic rules: same text, same number."
    if not any(skill.live for skill in report.skills):
        return f"{text} Agents were not tested in this run."
    return (
        f"{text} Live: paired trials with and without the skill, exact within-case permutation test, outcome first. "
        f"More: {docs.page('method')}"
    )


RENDERER = Html()
