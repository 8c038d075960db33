"""The page's live parts: forest plot, arms and cases. Numbers stand beside every mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aces_ci.core.amount import tokens, usd
from aces_ci.core.estimate import Estimate, Lift
from aces_ci.core.inert import plain
from aces_ci.core.report import Report, SkillReport
from aces_ci.core.trial import Arm
from aces_ci.renderers import _html_lift

NAMES = {Arm.BASELINE: "no skill", Arm.PREVIOUS: "skill on the base", Arm.WITH_SKILL: "this change"}
_LEFT, _RIGHT, _ROW = 230.0, 560.0, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One contrast of one skill, in points of 100."""

    skill: str
    contrast: str
    estimate: Estimate
    p: str
    rests_on: str
    """Cases and runs."""
    round_mark: bool

    @property
    def point(self) -> str:
        """Signed, with the minus of typography."""
        return _points(self.estimate.point)

    @property
    def interval(self) -> str:
        """`[−46, −16]`."""
        return f"[{_points(self.estimate.low)}, {_points(self.estimate.high)}]"

    @property
    def tone(self) -> str:
        """Coloured only where the interval leaves 0 out."""
        if self.estimate.high < 0:
            return "bad"
        return "good" if self.estimate.low > 0 else "unk"


def forest_rows(report: Report) -> list[ForestRow]:
    """Two rows a skill, where there is an interval."""
    rows = []
    for skill in report.skills:
        if skill.live is None:
            continue
        for lift, contrast, mark in (
            (skill.live.change, f"against {plain(report.event.base_name, 40)}", True),
            (skill.live.lift, "against no skill", False),
        ):
            if lift is not None and lift.estimate is not None:
                rows.append(
                    ForestRow(
                        skill=plain(skill.change.label, 40),
                        contrast=contrast,
                        estimate=lift.estimate,
                        p=_p(lift),
                        rests_on=_html_lift.size(skill.live),
                        round_mark=mark,
                    )
                )
    return rows


def plot(rows: list[ForestRow]) -> str:
    """The plot as SVG, or nothing. All text in it is ours or a number; names stand in the table below it."""
    if not rows:
        return ""
    reach = max(0.5, max(max(abs(row.estimate.low), abs(row.estimate.high)) for row in rows))
    height = _ROW * len(rows) + 34
    zero, low, high = (_x(value, reach) for value in (0.0, -0.1, 0.1))
    parts = [
        f'<svg viewBox="0 0 720 {height}" role="img" aria-label="Forest plot of {len(rows)} contrasts; the table below '
        'holds the numbers">',
        f'<rect class="band" x="{low:.0f}" y="4" width="{high - low:.0f}" height="{_ROW * len(rows)}"/>',
        f'<line class="axis" x1="{zero:.0f}" x2="{zero:.0f}" y1="4" y2="{_ROW * len(rows) + 4}"/>',
    ]
    for index, row in enumerate(rows):
        y = _ROW * index + 22
        left, right, mid = (_x(v, reach) for v in (row.estimate.low, row.estimate.high, row.estimate.point))
        css = f"mark-{row.tone}"
        parts.append(f'<text x="0" y="{y + 4}">{index + 1}. {"●" if row.round_mark else "■"}</text>')
        parts.append(f'<line class="{css}" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" stroke-width="3"/>')
        if row.round_mark:
            parts.append(f'<circle class="{css}" cx="{mid:.1f}" cy="{y}" r="6"/>')
        else:
            parts.append(f'<rect class="{css}" x="{mid - 6:.1f}" y="{y - 6}" width="12" height="12"/>')
        parts.append(f'<text x="580" y="{y + 4}">{row.point} {row.interval}</text>')
    for value in (-reach, -reach / 2, 0.0, reach / 2, reach):
        parts.append(f'<text x="{_x(value, reach) - 12:.0f}" y="{height - 6}">{_points(value)}</text>')
    return "".join([*parts, "</svg>"])


def summaries(report: Report) -> list[dict[str, Any]]:
    """Arms, cases, metrics, groups, passes, ratios and causes of every skill with live results."""
    base = plain(report.event.base_name, 40)
    return [_summary(skill, base) for skill in report.skills if skill.live is not None]


def models(report: Report) -> list[str]:
    """Nothing to say where no agent ran."""
    return ["agents ran"] if any(skill.live for skill in report.skills) else ["text only, agents were not tested"]


def _summary(skill: SkillReport, base: str) -> dict[str, Any]:
    live = skill.live
    assert live is not None
    arms = [level.arm for level in live.arms]
    return {
        "label": plain(skill.change.label, 64),
        "word": live.word.value.replace("_", " "),
        "because": plain(live.because),
        "arm_names": [NAMES[arm] for arm in arms],
        "arms": [
            {
                "name": NAMES[level.arm] + (f" (recorded {plain(level.recorded, 20)})" if level.recorded else ""),
                "outcome": "not scored" if level.outcome is None else _level(level.outcome),
                "trials": level.trials,
                "missing": level.missing,
                "tokens": "–" if level.tokens is None else tokens(level.tokens),
                "usd": usd(level.usd_micros),
            }
            for level in live.arms
        ],
        "cases": [
            {
                "name": plain(row.case, 80) + (" (skill must stay out)" if row.negative else ""),
                "levels": [_share(dict(row.levels).get(arm)) for arm in arms],
                "runs": row.runs,
            }
            for row in live.cases
        ],
        "grids": _html_lift.grids(live, NAMES, base),
        "said": _html_lift.sentences(live),
        "causes": _html_lift.causes(live, NAMES),
    }


def _x(value: float, reach: float) -> float:
    clamped = max(-reach, min(reach, value))
    return _LEFT + (clamped + reach) / (2 * reach) * (_RIGHT - _LEFT)


def _points(value: float) -> str:
    number = round(100 * value)
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "0"


def _level(estimate: Estimate) -> str:
    return f"{round(100 * estimate.point)} [{round(100 * estimate.low)}, {round(100 * estimate.high)}]"


def _share(value: float | None) -> str:
    return "–" if value is None else str(round(100 * value))


def _p(lift: Lift) -> str:
    if lift.p is None:
        return "–"
    return "< .001" if lift.p < 0.001 else f"{lift.p:.3f}".removeprefix("0")
