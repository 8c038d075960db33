"""A report as texts: every file, what is posted, what a log and a terminal say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from aces_ci import __version__, compose
from aces_ci.core.amount import duration, plural, usd
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.event import Event
from aces_ci.core.evidence import PolicySource
from aces_ci.core.headline import headline
from aces_ci.core.inert import plain
from aces_ci.core.report import Report
from aces_ci.core.verdict import State
from aces_ci.ports.forge import Forge, Publication
from aces_ci.ports.renderer import Place
from aces_ci.settings.load import Loaded
from aces_ci.shell.log import Log


def render_all(report: Report, *, key: str) -> dict[str, str]:
    """File name to text, for every format there is."""
    place = place_of(report, key=key)
    return {found.filename: found.render(report, place) for found in compose.renderers()}


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


def post(report: Report, texts: Mapping[str, str], forge: object, loaded: Loaded, log: Log) -> str:
    """Post what the forge can take; returns the clause of the log line that says what came of it."""
    settings = loaded.settings.comment
    nothing = report.verdict.state is State.NOTHING
    comment = texts["comment.md"]
    smaller = compose.renderer("markdown").render(report, place_of(report, key=settings.key, smaller=True))
    title = headline(report).plain
    posted = cast("Forge", forge).publish(
        report.event,
        Publication(
            comment=comment if settings.enabled and not nothing else None,
            nothing_comment=comment,
            smaller_comment=smaller,
            key=settings.key,
            head_sha=report.event.head_sha,
            summary=texts["summary.md"],
            annotations=compose.annotations_of(report),
            outputs=compose.outputs(report),
            failed=report.verdict.exit_code != 0,
            title=title,
        ),
    )
    for notice in posted.notices:
        log.line(f"notice: {notice}")
    return f"comment {posted.comment}" + (f" {posted.url}" if posted.url else "")


def opening(event: Event, changes: ChangeSet, policy: PolicySource) -> Iterator[str]:
    """The first lines of a CI log (design/ux.md section 3)."""
    number = f" #{event.change_request}" if event.change_request else ""
    yield f"aces-ci {__version__} · {event.forge} {event.title or event.kind.value}{number} · {event.repo}"
    read = policy.ref if policy.sha is None else f"{policy.ref} {policy.sha[:7]} (default branch tip)"
    base = f"base {changes.merge_base[:7]} (merge base with {event.base_name})"
    yield f"{base} · head {changes.head[:7]} · policy read from {read}"
    named = ", ".join(f"{plain(skill.label, 64)} ({_parts(skill)})" for skill in changes.skills[:20])
    count = len(changes.unowned)
    rest = f"{plural(count, 'file')} {'belongs' if count == 1 else 'belong'} to no skill" if count else ""
    more = f", {len(changes.skills) - 20} more" if len(changes.skills) > 20 else ""
    yield "changed: " + " · ".join(part for part in (f"{named}{more}" or "no skill", rest) if part)


def _parts(skill: SkillChange) -> str:
    return "removed" if skill.how is How.DELETED else ", ".join(part.value for part in skill.parts)


def verdict_line(report: Report) -> str:
    """The last line of a CI log."""
    verdict = report.verdict
    source = report.policy.ref if report.policy.sha is None else f"{report.policy.ref} {report.policy.sha[:7]}"
    gates = ", ".join(dict.fromkeys(f"{gate.gate.value} ({gate.mode.value}, from {source})" for gate in verdict.by))
    by = f" by gate {gates}" if verdict.exit_code and gates else ""
    word = verdict.state.value.replace("_", " ")
    money = usd(report.cost.usd_micros).replace("\u00a0", " ")
    return f"verdict: {word}{by} · {money} · {duration(report.cost.seconds)}".replace("\u00a0", " ")


def to_stdout(report: Report, texts: Mapping[str, str], wanted: str) -> str:
    """What `--format` asks for."""
    if wanted == "json":
        return texts["report.json"]
    return texts["comment.md"] if wanted == "markdown" else texts["report.txt"]
