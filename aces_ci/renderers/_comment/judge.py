"""What the judge says: score and change, the weakest points with quote and fix, every vote in a fold."""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.amount import NBSP, plural
from aces_ci.core.asking.judge_score import Moved, SideScore, agreement, apart, judges, moved, side_score, worst
from aces_ci.core.asking.judge_text import argument
from aces_ci.core.change import How
from aces_ci.core.evidence import Judgement, Vote
from aces_ci.core.inert import cell, code, prose
from aces_ci.core.repo_path import join
from aces_ci.core.report import Report, SkillReport
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links

WEAKEST = 2
FOLD_SKILLS = 4
"""Columns of the fold; a phone shows about three."""


def has_judged(report: Report) -> bool:
    """Whether a judge answered anything."""
    return any(skill.judgements for skill in report.skills)


def columns(report: Report) -> tuple[str, ...]:
    """Headings of the judge's columns."""
    if not has_judged(report):
        return ("Judge",)
    return ("Judge, 0 to 10", f"Judge on {cell(report.event.base_name, 40)}")


def score(skill: SkillReport, side: str = "head") -> str:
    """Score with the votes' range; what is missing says so."""
    found = side_score(skill.judgements, side)
    if found is not None:
        missing = found.asked - found.answered
        return shown(found) + (f", {missing}{NBSP}of{NBSP}{found.asked} unanswered" if missing else "")
    if side == "base":
        return "new" if skill.change.how is How.ADDED else "–"
    return "cannot tell" if skill.judgements else "not run"


def shown(found: SideScore) -> str:
    """`8.4 (8.2 to 8.6)`, unbreakable inside the brackets."""
    return f"{found.score:.1f} ({found.low:.1f}{NBSP}to{NBSP}{found.high:.1f})"


def below_table(report: Report, place: Place) -> list[str]:
    """What the columns mean, which skill moved, and the weakest points; blank line at the end."""
    judged = [skill for skill in report.skills if skill.judgements]
    if not judged:
        return []
    words = [text for skill in judged if (text := _moved(skill))]
    lines = [" ".join(["In brackets: the range of the votes.", *([f"{'; '.join(words)}."] if words else [])]), ""]
    for skill in judged:
        if any(row.injection_suspected for row in skill.judgements if row.side == "head"):
            lines += [
                f"**Warning** · text in {code(skill.change.label, 64)} tries to instruct its judge, or takes itself "
                "off a reader's screen. Read the skill before you trust its score.",
                "",
            ]
    weak = [(skill, row) for skill in judged for row in worst(skill.judgements, WEAKEST)]
    weak = sorted(weak, key=lambda pair: pair[1].score or 0.0)[:WEAKEST]
    if weak:
        lines += [f"**Weakest to the judge** ({len(weak)}), advice"]
        lines += [_weak(report, place, index, *pair) for index, pair in enumerate(weak, start=1)]
        lines += [""]
    return lines


def _moved(skill: SkillReport) -> str:
    name = code(skill.change.label, 64)
    return {
        Moved.GAINED: f"{name} gained",
        Moved.LOST: f"{name} lost",
        Moved.WITHIN: f"{name} did not change beyond the judge's own spread",
        Moved.UNKNOWN: "",
    }[moved(skill.judgements)]


def _weak(report: Report, place: Place, index: int, skill: SkillReport, row: Judgement) -> str:
    vote = min(row.votes, key=lambda vote: vote.score)
    owner = f"{code(skill.change.label, 64)} " if len(report.skills) > 1 else ""
    where = _where(report, place, skill, vote)
    quote = f" {code(vote.quote, 120)}:" if vote.quote else ""
    fix = f" **Fix**: {prose(vote.fix, 240)}" if vote.fix else ""
    return f"{index}. {owner}{where}{title(row)} {row.score:g} of 10.{quote} {prose(argument(vote), 360)}{fix}"


def _where(report: Report, place: Place, skill: SkillReport, vote: Vote) -> str:
    if vote.line is None:
        return ""
    repo = report.event.head_repo or report.event.repo
    path = join(skill.change.path, vote.path)
    url = place.links.blob(repo, report.event.head_sha, path, vote.line, None)
    return links.to(code(f"{vote.path}:{vote.line}", 80), url) + " "


def title(row: Judgement) -> str:
    """The criterion as it is read."""
    return row.criterion.replace("_", " ").replace("error handling", "error-handling")


def fold(report: Report) -> list[str]:
    """Every vote of the head side."""
    judged = [skill for skill in report.skills if skill.judgements][:FOLD_SKILLS]
    if not judged:
        return []
    names = " | ".join(cell(skill.change.label, 40) for skill in judged)
    lines = ["<details><summary>Judge, by criterion</summary>", "", f"| Criterion | {names} |"]
    lines += ["|:--|" + ":--|" * len(judged)]
    explained = False
    for criterion in dict.fromkeys(row.criterion for skill in judged for row in skill.judgements):
        rows = [_of(skill, criterion) for skill in judged]
        first = next(row for row in rows if row is not None)
        cells = []
        for row in rows:
            cells.append(_votes(row, explain=not explained))
            explained = explained or (row is not None and _differ(row))
        lines.append(f"| {title(first)} | {' | '.join(cells)} |")
    return [*lines, "", _who(report), "</details>"]


def _of(skill: SkillReport, criterion: str) -> Judgement | None:
    return next((row for row in skill.judgements if row.criterion == criterion and row.side == "head"), None)


def _differ(row: Judgement) -> bool:
    """Whether a third vote was asked because the first two differ; a judge that contradicts itself is asked too."""
    return row.score is not None and len(row.votes) > 2 and apart(row.votes[:2])


def _votes(row: Judgement | None, *, explain: bool) -> str:
    """All votes; `explain` says in words what a third one is for, which the first of a table does for all."""
    if row is None:
        return "–"
    if row.score is None:
        return _in_cell(row.because)
    marks = [f"{vote.score:g}" for vote in row.votes]
    shown = f"{NBSP}·{NBSP}".join(marks[:2])
    if len(marks) < 3:
        return shown
    return f"{shown} ({'votes differ, ' if explain and _differ(row) else ''}third: {marks[2]})"


def _in_cell(text: str) -> str:
    return prose(text, 140).replace("|", "∣").replace("\\", "＼")


def _who(report: Report) -> str:
    rows: Sequence[Judgement] = [row for skill in report.skills for row in skill.judgements]
    names = [name.rpartition("/p") for name in judges(rows)]
    who = ", ".join(f"{code(model, 80)}, prompt {prompt}" for model, _, prompt in names) or "none answered"
    sampling = sorted({row.sampling for row in rows if row.sampling})
    sent = f", {prose(sampling[0], 80)}" if len(sampling) == 1 else ""
    agreed = agreement(rows)
    share = f" Votes agree on {agreed.agreed} of {plural(agreed.criteria, 'criterion', 'criteria')}."
    return (
        f"Judge: {who}{sent}.{share if agreed.criteria else ''} Do not compare with another judge. In published data "
        "a judge's score says almost nothing about live lift (Spearman −0.02)."
    )
