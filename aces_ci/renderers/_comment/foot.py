"""What did not run, what it cost, how to repeat it, and where the rest is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from aces_ci import __version__
from aces_ci.core import docs
from aces_ci.core.amount import duration, plural, tokens, usd
from aces_ci.core.change import How
from aces_ci.core.event import EventKind
from aces_ci.core.evidence import CUT_SHORT, GATE_FAILED, Skipped, Tier
from aces_ci.core.gate import Outcome
from aces_ci.core.inert import code, prose, visible
from aces_ci.core.invocation import JUDGE, uvx
from aces_ci.core.report import Cost, Report
from aces_ci.ports.renderer import Place
from aces_ci.renderers._comment import approve, links
from aces_ci.renderers._live import body

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,80}")
_REFUSED = {"key_refused", "unknown_model"}
"""Words for what only a provider can have said, so it was called."""
_ASK = {"no_evals": ("draft some", "evals"), "no_key": ("turn on", None), "fork": ("why", "forks")}
"""Code of a reason to the words of a link, and its page; None: the page of the tier that did not run."""


def status(report: Report, place: Place) -> list[str]:
    """`Not run`, `Gate` and `Cost`, joined by written hard breaks; blank line at the end."""
    rows = [*body.checks(report, place.forge), *_gates(report), *_policy(report), *_not_run(report), _cost(report)]
    return [*(f"{row}\\" for row in rows[:-1]), rows[-1], ""]


def _gates(report: Report) -> list[str]:
    blocking = report.verdict.by if report.verdict.exit_code else ()
    if not blocking or body.says_gate(report):
        return []
    source = report.policy.ref if report.policy.sha is None else f"{report.policy.ref} {report.policy.sha[:7]}"
    names = list(dict.fromkeys(f"{gate.gate.value}: {gate.mode.value}" for gate in blocking))
    shown = ", ".join(code(name) for name in names)
    undecided = [gate for gate in report.gates if gate.outcome is Outcome.UNDECIDABLE and gate.blocks]
    return [f"**Gate** · {shown}, read from {code(source, 80)}" + (" (undecided)" if undecided else "")]


def _policy(report: Report) -> list[str]:
    return [*_settings(report), *_baseline(report)]


def _baseline(report: Report) -> list[str]:
    """What was left out on the default branch's word, and what the change would leave out beyond it."""
    known = sum(skill.structure.known for skill in report.skills if skill.structure is not None)
    said = [f"{plural(known, 'finding')} known before this change left out"] if known else []
    if grows := report.policy.baseline_grows:
        added = f"adds {plural(grows, 'finding')} to the file, which may only shrink; the default branch's decides"
        said.append(f"this change {added}")
    return [f"**Baseline** · {' · '.join(said)}"] if said else []


def _settings(report: Report) -> list[str]:
    if report.policy.head_problem:
        return [
            f"**Settings** · {code('aces.yml')} in this change has an error: {prose(report.policy.head_problem, 200)}"
        ]
    if report.policy.head_differs:
        return [
            f"**Settings** · this change edits {code('aces.yml')}; it takes effect after merge, until then "
            f"{code(report.policy.ref, 80)} decides"
        ]
    return []


def _not_run(report: Report) -> list[str]:
    parts: list[str] = []
    names = {skill.change.path: skill.change.label for skill in report.skills}
    for tier in (Tier.JUDGE, Tier.LIVE):
        reasons: dict[str, list[Skipped]] = {}
        for item in report.skipped:
            if item.tier is tier and not _told(report, item):
                reasons.setdefault(item.code, []).append(item)
        for why, items in list(reasons.items())[:3]:
            ask = _ASK.get(why)
            tail = f" ([{ask[0]}]({docs.page(ask[1] or tier.value)}))" if ask else ""
            parts.append(f"{tier.value}: {_because(items, names)}{tail}")
        if len(reasons) > 3:
            parts.append(f"{tier.value}: {len(reasons) - 3} more reasons in the report")
    return [f"**Not run** · {' · '.join(parts)}"] if parts else []


def _told(report: Report, item: Skipped) -> bool:
    """Whether the live results tell it already: that the plan was cut short, for then it did run, or no judge asked."""
    measured = any(skill.live for skill in report.skills if item.skill in {None, skill.change.path})
    cut = item.tier is Tier.LIVE and item.code in CUT_SHORT
    return measured and (cut or (item.tier is Tier.JUDGE and item.code == GATE_FAILED))


def _because(items: list[Skipped], names: Mapping[str, str]) -> str:
    """One reason for one skill, or the first skills of those that share it."""
    shown = [code(names.get(item.skill or "", item.skill or ""), 64) for item in items[:4]]
    more = f" and {len(items) - 4} more" if len(items) > 4 else ""
    if items[0].code == "no_evals" and len(items) > 1:
        return f"{', '.join(shown)}{more} have no {code('evals/')}"
    if items[0].code == GATE_FAILED:
        owners = "" if len(items) == len(names) else f" for {', '.join(shown)}{more}"
        return f"{prose(items[0].because, 200)}{owners}"
    also = f" (also {', '.join(shown[1:])}{more})" if len(items) > 1 else ""
    return f"{prose(items[0].because, 200)}{also}"


def _cost(report: Report) -> str:
    cost = report.cost
    unpaid = not cost.tokens and cost.usd_micros == 0
    if unpaid and not any(skill.judgements or skill.live for skill in report.skills):
        # Elsewhere than at a terminal the forge was asked, whatever the tiers did.
        calm = "no network" if report.event.kind is EventKind.LOCAL else "no model was called"
        asked = any(item.code in _REFUSED for item in report.skipped)
        return f"**Cost** · {usd(0)}, {duration(cost.seconds)}{'' if asked else f', {calm}'}"
    if cost.judgements and cost.usd_micros == cost.judge_usd_micros:
        # Nothing else was paid for, so the judge is named as what the money went to.
        return f"**Cost** · judge {usd(cost.judge_usd_micros)}, {tokens(cost.tokens)} tokens{_reused(cost)}"
    cap = f" (cap {usd(cost.cap_usd_micros)})" if cost.cap_usd_micros is not None else ""
    reused = ""
    if cost.reused_trials:
        reused = f" · {cost.reused_trials} of {plural(max(cost.trials, cost.reused_trials), 'run')} reused"
        reused += f", saved {usd(cost.saved_usd_micros)}" if cost.saved_usd_micros is not None else ""
    elif cost.trials:
        reused = " · nothing to reuse yet"
    spent = f"{usd(cost.usd_micros)}, {tokens(cost.tokens)} tokens{cap}{reused}{_reused(cost)}"
    return f"**Cost** · {spent} · {duration(cost.seconds)}"


def _reused(cost: Cost) -> str:
    """How many readings of a skill by the judge came from earlier runs."""
    if not cost.reused_judgements:
        return ""
    saved = f", saved {usd(cost.judge_saved_usd_micros)}" if cost.judge_saved_usd_micros else ""
    return f" · {cost.reused_judgements} of {plural(cost.judgements, 'judgement')} reused{saved}"


def commands(report: Report) -> list[str]:
    """How to see the same at a terminal; blank line at the end."""
    paths = [skill.change.path for skill in report.skills if skill.change.how is not How.DELETED]
    if not paths:
        return []
    named = " ".join(shlex.quote(path) for path in paths) if len(paths) <= 3 else ""
    line = visible(f"{uvx()} check {named}".rstrip(), 400)
    if "`" in line or "<U+" in line or line.endswith("…"):
        line = f"{uvx()} check"
    judged = any(skill.judgements for skill in report.skills)
    asked = [
        "# the same at your terminal, with your key",
        f"{uvx(JUDGE)} judge --base {_base(report)}",
    ]
    shown = body.commands(report) or (asked if judged else ["# the same at your terminal", line])
    shown = [*shown, *approve.commands(report, report.merge_base[:7])]
    return ["```sh", *shown, "```", ""]


def _base(report: Report) -> str:
    """The branch as a clone knows it, where its name needs no quotes."""
    name = report.event.base_ref or ""
    return f"origin/{name}" if _PLAIN.fullmatch(name) else report.merge_base[:7]


def first_time(report: Report) -> list[str]:
    """The fold that explains the columns, as long as no tier but the first has run."""
    if any(skill.live or skill.judgements for skill in report.skills):
        return []
    base = code(report.event.base_name, 64)
    return [
        "<details><summary>First time here? What the columns mean</summary>",
        "",
        "- **Specification**: what agentskills.io forbids. Blocks.",
        "- **Quality**: deterministic rules, 100 is best. Advice. Same text, same number; it does not measure whether "
        "an agent gets better.",
        f"- **Judge**: a model reads the skill. Needs a key, costs cents. [Turn on]({docs.page('judge')})",
        f"- **Live**: agents do real tasks without the skill, with the one on {base} and with yours. Needs a key and "
        f"`evals/`, costs dollars, capped. [Turn on]({docs.page('live')})",
        "</details>",
    ]


def footer(report: Report, place: Place) -> list[str]:
    """Version, commits, report, log."""
    event = report.event
    head = links.of_commit(place, event.head_repo or event.repo, event.head_sha)
    head = f"working tree on {head}" if event.worktree else head
    base = links.of_commit(place, event.repo, report.merge_base)
    against = f"{code(event.base_name, 64)} {base}" if event.base_ref else base
    parts = [f"aces-ci {__version__}", f"{head} against {against}"]
    measured = any(skill.live for skill in report.skills)
    page = "report with traces" if measured else "report"
    parts += [f"[{page}]({report.links.report})"] if report.links.report else []
    parts += [f"[{'job' if place.forge == 'gitlab' else 'log'}]({report.links.log})"] if report.links.log else []
    if report.unverified:
        parts += ["reported by the fork's own job, not verified"]
    parts += [f"[reading a verdict]({docs.page('verdicts')})" if measured else "one comment, edited on every push"]
    return ["", f"<sub>{' · '.join(parts)}</sub>"]
