"""A report becomes texts: pure, and called where nothing but text can come of it."""

from __future__ import annotations

from aces_ci import compose
from aces_ci.core.headline import headline
from aces_ci.core.pages import Pages
from aces_ci.core.report import Report
from aces_ci.ports.renderer import Place


def pages(report: Report, key: str) -> Pages:
    """Every format there is, and what is posted beside the comment."""
    place, less = place_of(report, key=key), place_of(report, key=key, smaller=True)
    return Pages(
        texts={found.filename: found.render(report, place) for found in compose.renderers()},
        smaller=compose.renderer("markdown").render(report, less),
        brief=compose.renderer("text").render(report, less),
        annotations=compose.annotations_of(report),
        outputs=compose.outputs(report),
        title=headline(report).plain,
    )


def place_of(report: Report, *, key: str, smaller: bool = False) -> Place:
    """Where the texts of this report will be read."""
    forge = report.event.forge
    return Place(
        links=compose.links(forge, report.event.server_url),
        forge=forge,
        key=key,
        smaller=smaller,
        rules=compose.rules(),
        # GitLab shows the Code Quality report of the same job beside the note.
        quality_report=forge == "gitlab",
    )
