"""A fork's comment while it waits: what a maintainer would start, and the words that start it (design/ux.md, 1 f)."""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core import docs
from aces_ci.core.amount import plural, usd
from aces_ci.core.change import How
from aces_ci.core.inert import code
from aces_ci.core.next_step import GITLAB, start_live
from aces_ci.core.report import Report
from aces_ci.core.slash import Purpose
from aces_ci.core.verdict import State
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import links

SHOWN = 3
"""Files of a kind that are named; the diff has the rest."""


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


def _starts(report: Report, place: Place) -> Iterator[str]:
    here = [skill.change for skill in report.skills if skill.change.how is not How.DELETED]
    tried = sum(change.has_evals for change in here)
    # What the fork's own job says of the budget is its word; the target branch's policy is what counts.
    cap = report.cost.cap_usd_micros if not report.unverified else None
    most = f"at {usd(cap)}" if cap is not None else f"at the budget of {code(report.event.base_name, 64)}"
    agents = f", agents do the cases of {tried}" if tried else ""
    yield f"- **Runs**: a judge reads {plural(len(here), 'skill')}{agents}, where there is a key, stopped {most}"
    changed = [path for change in here for path in change.files]
    if scripts := [path for path in changed if "/scripts/" in f"/{path}"]:
        yield f"- **Code**: agents may run {_named(report, place, scripts)}, in a container that reaches only the model"
    if evals := [path for path in changed if "/evals/" in f"/{path}"]:
        decides = f"the cases of {code(report.event.base_name, 64)} decide, these are a second table"
        yield f"- **Cases**: {_named(report, place, evals)} changes; {decides}"
    if report.unverified:
        yield "- **Look first**: this list is the word of the fork's own job; the diff has all of it"


def _how(report: Report, sha: str) -> Iterator[str]:
    once = "**Approve** (this commit only; a push takes it back)"
    if report.event.forge == GITLAB:
        yield f"{once} · run this merge request's pipeline in the target project, then {start_live(GITLAB)}"
        return
    yield f"{once} · set the label {code(Purpose.LIVE.label)}, or comment:"
    yield "```text"
    yield f"/aces {Purpose.LIVE.value} {sha}"
    yield "```"


def _named(report: Report, place: Place, paths: list[str]) -> str:
    repo = report.event.head_repo or report.event.repo
    shown = [
        links.to(code(path.rsplit("/", 1)[-1], 64), place.links.blob(repo, report.event.head_sha, path, None))
        for path in paths[:SHOWN]
    ]
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return f"{', '.join(shown)}{more}"
