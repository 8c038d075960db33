"""The sticky comment of a change request: decision first, the rest in folds."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.headline import headline
from aces_ci.core.report import Report
from aces_ci.core.sticky import Marker
from aces_ci.core.verdict import State
from aces_ci.ports.renderer import Place
from aces_ci.renderers import _imported
from aces_ci.renderers._comment import advice, approve, foot, judge, table
from aces_ci.renderers._comment.lead import lead
from aces_ci.renderers._live import body
from aces_ci.renderers._live.folds import folds
from aces_ci.renderers._live.shown import lives


@dataclass(frozen=True, slots=True)
class Comment:
    """`comment.md`."""

    name: str = "markdown"
    filename: str = "comment.md"

    def render(self, report: Report, place: Place) -> str:
        """The whole comment. `place.smaller` leaves the folds out."""
        title = headline(report)
        lines = [
            Marker(key=place.key, head=report.event.head_sha).line,
            f"### {title.icon} {title.markdown}",
            "",
        ]
        if report.verdict.state is State.NOTHING:
            return "\n".join([*lines, *foot.footer(report, place)[1:]]) + "\n"
        lines += body.first(report) or lead(report, place)
        lines += body.body(report, place) or [*table.rows(report), *judge.below_table(report, place)]
        lines += approve.waiting(report, place)
        lines += advice.worth_fixing(report, place)
        lines += foot.status(report, place)
        lines += foot.commands(report)
        if not place.smaller:
            lines += folds(lives(report))
            lines += judge.fold(report)
            lines += advice.all_findings(report, place)
            lines += approve.why(report)
            lines += _imported.fold(report)
            lines += foot.first_time(report)
        lines += foot.footer(report, place)
        return "\n".join(lines) + "\n"


RENDERER = Comment()
