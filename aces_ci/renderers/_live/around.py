"""What stood around the agents, and what a run of theirs took."""

from __future__ import annotations

from aces_ci.core.amount import plural
from aces_ci.core.grading.points import percent
from aces_ci.core.inert import code, prose
from aces_ci.core.live import LiveSummary
from aces_ci.renderers._live.shown import Live


def around(summary: LiveSummary) -> list[str]:
    """What stood around the agents in every arm; nothing where the evidence does not say."""
    parts: list[str] = []
    if summary.sandbox is not None:
        images = " and ".join(code(_short(digest), 40) for digest in summary.sandbox)
        parts.append(f"sandbox {images}" if images else "no sandbox: processes of the machine")
    if summary.network is not None:
        hosts = ", ".join(code(host, 80) for host in summary.network[:5])
        more = f" and {len(summary.network) - 5} more" if len(summary.network) > 5 else ""
        # Without a sandbox nothing keeps an agent from the network of the machine.
        open_to_all = summary.sandbox == ()
        parts.append(
            "network: not limited" if open_to_all else f"network: model{f', {hosts}{more}' if hosts else ' only'}"
        )
    if summary.mode:
        parts.append(f"mode: {prose(summary.mode, 20)}{_neighbours(summary)}")
    return parts


def _short(digest: str) -> str:
    """A digest by its first digits, as people compare them."""
    kind, mark, digits = digest.partition(":")
    return f"{kind}{mark}{digits[:12]}…" if mark and len(digits) > 12 else digest


def _neighbours(summary: LiveSummary) -> str:
    if not summary.neighbours:
        return ""
    names = ", ".join(code(name, 40) for name in summary.neighbours[:3])
    more = f" and {len(summary.neighbours) - 3} more" if len(summary.neighbours) > 3 else ""
    return f", {plural(len(summary.neighbours), 'neighbour')} ({names}{more})"


def amounts(live: Live) -> list[str]:
    """Tokens, money and time against the comparator: paired ratios, or why there is none."""
    names = {"tokens": "tokens", "usd": "USD", "seconds": "time"}
    rows = [row for row in live.summary.ratios if row.contrast is live.summary.basis]
    told = [f"{names.get(row.what, row.what)} {percent(row.estimate)}" for row in rows if row.estimate]
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.estimate is None:
            reasons.setdefault(row.because, []).append(names.get(row.what, row.what))
    told += [f"no ratio of {', '.join(what)} ({prose(because, 160)})" for because, what in reasons.items()]
    return [f"A run against {live.against}, paired: {', '.join(told)}."] if told else []
