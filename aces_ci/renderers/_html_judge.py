"""The page's part about the judge: each skill's score, every criterion with its votes, quote and fix."""

from __future__ import annotations

from typing import Any

from aces_ci.core.amount import tokens, usd
from aces_ci.core.asking.judge_score import worst
from aces_ci.core.asking.judge_text import INJECTION, NOT_TESTED, argument, overall, suspected, who
from aces_ci.core.evidence import Judgement
from aces_ci.core.inert import plain, visible
from aces_ci.core.repo_path import join
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place


def judged(report: Report, place: Place) -> list[dict[str, Any]]:
    """One dictionary a skill that was judged; plain texts, to be escaped by the template."""
    return [_skill(report, place, skill) for skill in report.skills if skill.judgements]


def said(report: Report) -> str:
    """Who judged, what was sent, how far the votes agree, and the cost; empty without a judge."""
    rows = [row for skill in report.skills for row in skill.judgements]
    if not rows:
        return ""
    used = sum(row.tokens for row in rows if not row.cached)
    return f"Judge: {who(rows)} · {usd(report.cost.judge_usd_micros)}, {tokens(used)} tokens. {NOT_TESTED}"


def _skill(report: Report, place: Place, skill: SkillReport) -> dict[str, Any]:
    weak = {row.criterion for row in worst(skill.judgements)}
    base = {row.criterion: row for row in skill.judgements if row.side == "base"}
    return {
        "label": plain(skill.change.label, 64),
        "overall": overall(skill.judgements),
        "warning": f"{INJECTION[0].upper()}{INJECTION[1:]}." if suspected(skill.judgements) else "",
        "rows": [
            {
                "criterion": row.criterion.replace("_", " "),
                "score": "–" if row.score is None else f"{row.score:g}",
                "tone": "unk" if row.criterion in weak else "",
                "votes": _votes(row),
                "base": _votes(base[row.criterion]) if row.criterion in base else "–",
                **_said(report, place, skill, row),
            }
            for row in skill.judgements
            if row.side == "head"
        ],
    }


def _votes(row: Judgement) -> str:
    return " · ".join(f"{vote.score:g}" for vote in row.votes) or plain(row.because, 160)


def _said(report: Report, place: Place, skill: SkillReport, row: Judgement) -> dict[str, object]:
    """The lowest vote in its own words."""
    if not row.votes:
        return {"where": [], "url": "", "quote": "", "reason": "", "fix": ""}
    vote = min(row.votes, key=lambda vote: vote.score)
    path = join(skill.change.path, vote.path)
    repo = report.event.head_repo or report.event.repo
    return {
        "where": f"{visible(vote.path, 160)}:{vote.line}".split("/") if vote.line else [],
        "url": place.links.blob(repo, report.event.head_sha, path, vote.line, None) if vote.line else "",
        "quote": visible(vote.quote, 300),
        "reason": visible(argument(vote), 500),
        "fix": visible(vote.fix, 300),
    }
