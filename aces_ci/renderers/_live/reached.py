"""The comment's line on hosts beside the model: which were allowed, what passed, what was refused."""

from __future__ import annotations

from aces_ci.core.amount import NBSP, plural
from aces_ci.core.inert import code, prose
from aces_ci.core.live import HostRow, LiveSummary

MOST_ALLOWED = 32
MOST_REFUSED = 5


def network_lines(summary: LiveSummary) -> list[str]:
    """One line on allowed hosts, one on refused ones; nothing where sandboxes could reach the model alone."""
    allowed = [row for row in summary.connections if row.allowed]
    others = [row for row in summary.connections if not row.allowed]
    lines = []
    if allowed:
        told = " · ".join(_allowed(row) for row in allowed[:MOST_ALLOWED])
        lines.append(f"Network beside the model, the same in every arm: {told}.")
    if others:
        left = len(others) - MOST_REFUSED
        told = ", ".join(f"{_name(row)} {_times(row.refused)}" for row in others[:MOST_REFUSED])
        lines.append(f"Refused by the gateway: {told}{f' and {left} more in the report' if left > 0 else ''}.")
    return lines


def _allowed(row: HostRow) -> str:
    count = row.reached + row.cut + row.failed + row.refused
    if not count:
        return f"{code(row.host, 80)} not used"
    text = f"{code(row.host, 80)} {plural(count, 'connection')} in {plural(row.trials, 'run')}"
    text += f", {_size(row.received)} received, {_size(row.sent)} sent"
    ends = ((row.cut, "cut"), (row.failed, "failed"), (row.refused, "refused"))
    bad = [f"{number} {word}" for number, word in ends if number]
    if bad:
        text += f" ({', '.join(bad)}: {prose(row.reasons[0], 80) if row.reasons else 'no reason was recorded'})"
    return text


def _name(row: HostRow) -> str:
    return code(row.host, 80) if row.host else "requests that name no host"


def _times(count: int) -> str:
    return f"{count}{NBSP}×"


def _size(count: int) -> str:
    """`0 bytes`, `3 kB`, `1.2 MB`."""
    if count < 1000:
        return f"{count}{NBSP}bytes"
    return f"{count / 1000:.0f}{NBSP}kB" if count < 1_000_000 else f"{count / 1_000_000:.1f}{NBSP}MB"
