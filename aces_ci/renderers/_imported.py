"""Results of other tools as every report shows them: labelled, beside the verdict, never a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.evidence import Imported
from aces_ci.core.inert import cell, visible
from aces_ci.core.report import Report

LABEL = "imported, unverified"
SAID = "Figures that other tools wrote. They decide nothing: no gate and no verdict reads them."
MOST = 30
"""Rows of the comment's fold; the page and report.json have more."""
_ARMS: Mapping[str, str] = {
    "with_skill": "with",
    "baseline": "without",
    "previous": "before",
    "lift": "lift",
    "unknown": "arm unknown",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of one file, all arms beside each other."""

    metric: str
    source: str
    figures: str
    note: str


def rows(report: Report) -> list[Row]:
    """Overall figures before those of single cases, each in the order of its file."""
    groups: dict[tuple[str, str, str], list[Imported]] = {}
    for figure in sorted(report.imported, key=lambda figure: "/" in figure.metric):
        groups.setdefault((figure.source, figure.skill, figure.metric), []).append(figure)
    return [_row(*key, figures) for key, figures in groups.items()]


def fold(report: Report) -> list[str]:
    """The fold of the comment; nothing without imported figures."""
    found = rows(report)
    if not found:
        return []
    lines = [
        f"<details><summary>Results of other tools: {LABEL}</summary>",
        "",
        SAID,
        "",
        "| Figure | Value | From | Note |",
        "|:--|:--|:--|:--|",
        *(
            f"| {cell(row.metric, 80)} | {cell(row.figures, 120)} | {cell(row.source, 100)} | "
            f"{cell(row.note, 120) if row.note else ''} |"
            for row in found[:MOST]
        ),
    ]
    if len(found) > MOST:
        lines.append(f"| {len(found) - MOST} more in the report | | | |")
    return [*lines, "", "</details>"]


def lines(report: Report, most: int = 100) -> list[str]:
    """One line a figure, for a terminal or a log."""
    found = rows(report)
    said = [
        f"{LABEL}: {visible(row.source, 100)}: {visible(row.metric, 80)}: {row.figures}"
        + (f" ({visible(row.note, 120)})" if row.note else "")
        for row in found[:most]
    ]
    return [*said, *([f"{LABEL}: {len(found) - most} more in report.json"] if len(found) > most else [])]


def _row(source: str, skill: str, metric: str, figures: Sequence[Imported]) -> Row:
    notes = (figure.because.removesuffix(LABEL).rstrip("; ") for figure in figures)
    told = ", ".join(_said(figure) for figure in figures)
    named = f"{metric} of {skill}" if skill else metric
    note = "; ".join(dict.fromkeys(note for note in notes if note))
    return Row(metric=visible(named), source=visible(source), figures=told, note=visible(note, 300))


def _said(figure: Imported) -> str:
    value = "unknown" if figure.value is None else f"{figure.value:.3g}"
    return f"{_ARMS.get(figure.arm, visible(figure.arm, 40))} {value}" + (f" (n {figure.n})" if figure.n else "")
