"""A fork's comment while it waits: what a maintainer would start, and the words that start it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from aces_ci.core import docs
from aces_ci.core.amount import NBSP, dollars, plural, usd
from aces_ci.core.change import How
from aces_ci.core.inert import code
from aces_ci.core.invocation import JUDGE, LIVE, uvx
from aces_ci.core.next_step import GITLAB, start_live
from aces_ci.core.proposal import Fate, ScriptChange
from aces_ci.core.report import Report
from aces_ci.core.slash import Purpose
from aces_ci.core.verdict import State
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links
from aces_ci.renderers._comment.proposed import cost_of, proposals, runs

SHOWN = 3
"""Files of a kind that are named; the diff has the rest."""
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,80}")
"""A path that a shell takes as one word: text of others is no command."""


def waiting(report: Report, place: Place) -> list[str]:
    """What approving starts and how; nothing where nobody waits. Blank line at the end."""
    if report.verdict.state is not State.WAITS:
        return []
    sha = report.event.head_sha
    return [
        f"**Maintainer: what approving {code(sha[:7])} starts**",
        *_starts(report, place),
        "",
        *_how(report, sha),
        "",
    ]


def why(report: Report) -> list[str]:
    """The fold that says why a fork waits."""
    if report.verdict.state is not State.WAITS:
        return []
    return [
        "<details><summary>Why forks wait</summary>",
        "",
        "A live run lets an agent follow the text of this change and spends this repository's money, so a person with "
        "write access looks first, at one exact commit. The text checks ran without secrets. "
        f"[Forks and security]({docs.page('forks')})",
        "</details>",
    ]


def commands(report: Report, base: str) -> list[str]:
    """How the author runs the agents with a key of their own; nothing where nobody waits or no agent would run."""
    rows = [row for row in proposals(report) if not row.because and WORD.fullmatch(row.skill)]
    if report.verdict.state is not State.WAITS or not rows:
        return []
    least, _ = cost_of(rows)
    price = "at a price that is not known" if least is None else f"about {dollars(least)}"
    paths = " ".join(row.skill for row in rows[:SHOWN])
    return [f"# the live run with your own key, {price}", f"{uvx(JUDGE, LIVE)} live {paths} --base {base}"]


def _starts(report: Report, place: Place) -> Iterator[str]:
    here = [skill.change for skill in report.skills if skill.change.how is not How.DELETED]
    cap = report.cost.cap_usd_micros
    most = f"at {usd(cap)}" if cap is not None else f"at the budget of {code(report.event.base_name, 64)}"
    judge = f"a judge reads {plural(len(here), 'skill')}, out of the same budget"
    yield f"- **Runs**: {runs(report)}, stopped {most}; {judge}; both need a key"
    changed = [path for change in here for path in change.files]
    told = {script.path: script for row in proposals(report) for script in row.scripts}
    scripts = [path for path in changed if "/scripts/" in f"/{path}"]
    if left := [path for path in scripts if path not in told or told[path].fate is not Fate.REMOVED]:
        named = _named(report, place, left, {path: _fate(told.get(path)) for path in left})
        yield f"- **Code**: agents may run {named}, in a container that reaches only the model"
    if evals := [path for path in changed if "/evals/" in f"/{path}"]:
        yield f"- **Cases**: {_named(report, place, evals)} {_cases(report)}"
    if report.unverified:
        yield "- **Look first**: this list is the word of the fork's own job, its figures too; the diff has all of it"


def _fate(script: ScriptChange | None) -> str:
    if script is None:
        return ""
    lines = "" if script.lines is None else f", {plural(script.lines, 'line').replace(' ', NBSP)}"
    return f" ({script.fate.value}{lines if script.fate is Fate.NEW else ''})"


def _cases(report: Report) -> str:
    base = code(report.event.base_name, 64)
    rows = proposals(report)
    if rows and not any(row.cases for row in rows):
        own = sum(row.own_cases for row in rows)
        return f"brings {plural(own, 'case')}; {base} has none, so they inform and do not gate" if own else "changes"
    counts = [row.cases_changed for row in rows if row.cases_changed is not None]
    what = f" {plural(sum(counts), 'case')}" if counts else ""
    return f"changes{what}; the cases of {base} decide, these are a second table"


def _how(report: Report, sha: str) -> Iterator[str]:
    once = "**Approve** (this commit only; a push takes it back)"
    if report.event.forge == GITLAB:
        yield f"{once} · run this merge request's pipeline in the target project, then {start_live(GITLAB)}"
        return
    yield f"{once} · set the label {code(Purpose.LIVE.label)}, or comment:"
    yield "```text"
    yield f"/aces {Purpose.LIVE.value} {sha}"
    yield "```"


def _named(report: Report, place: Place, paths: list[str], notes: Mapping[str, str] = MappingProxyType({})) -> str:
    repo = report.event.head_repo or report.event.repo
    shown = [
        links.to(code(path.rsplit("/", 1)[-1], 64), place.links.blob(repo, report.event.head_sha, path, None))
        + notes.get(path, "")
        for path in paths[:SHOWN]
    ]
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return f"{', '.join(shown)}{more}"
