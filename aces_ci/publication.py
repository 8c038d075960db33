"""A report as texts: every file, what is posted, what a log and a terminal say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from aces_ci import __version__, compose
from aces_ci.core.amount import duration, plural, usd
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.errors import DeliveryError
from aces_ci.core.event import Event
from aces_ci.core.evidence import ChangedSkill, Evidence, PolicySource, Skipped, Structure, Tier
from aces_ci.core.finding import Finding, Severity
from aces_ci.core.inert import plain, visible
from aces_ci.core.live_text import result_line
from aces_ci.core.pages import Pages
from aces_ci.core.report import Report
from aces_ci.core.request import PagesOf
from aces_ci.core.verdict import State
from aces_ci.ports.forge import Forge, Publication
from aces_ci.settings.load import Loaded
from aces_ci.settings.model import Settings
from aces_ci.shell.log import Dialect, Log, inert
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote


def rendered(report: Report, key: str, zygote: Zygote) -> Pages:
    """A report as texts, made in a process of its own that has no key, no token and no socket.

    Raises:
        DeliveryError: it stopped; the evidence is on disk, and `aces-ci report` makes the texts again.
    """
    with Reader(zygote) as reader:
        return reader.pages(PagesOf(report=compose.report_to_json(report), key=key))


def post(report: Report, pages: Pages, forge: object, loaded: Loaded, log: Log) -> tuple[str, DeliveryError | None]:
    """Post what the forge can take: the clause of the log line that says what came of it, and why it failed."""
    try:
        return _posted(report, pages, forge, loaded, log), None
    except DeliveryError as error:
        return "not posted", error


def exit_code(report: Report, undelivered: DeliveryError | None, log: Log) -> int:
    """That the change is blocked outranks that nobody could be told of it.

    Raises:
        DeliveryError: nothing blocks, so what went wrong is all there is to say.
    """
    if undelivered is None:
        return report.verdict.exit_code
    if report.verdict.state is not State.BLOCKED:
        raise undelivered
    for row in undelivered.text().split("\n"):
        log.line(row)
    return report.verdict.exit_code


def _posted(report: Report, pages: Pages, forge: object, loaded: Loaded, log: Log) -> str:
    settings = loaded.settings.comment
    nothing = report.verdict.state is State.NOTHING
    comment = pages.texts["comment.md"]
    posted = cast("Forge", forge).publish(
        report.event,
        Publication(
            comment=comment if settings.enabled and not nothing else None,
            nothing_comment=comment,
            smaller_comment=pages.smaller,
            key=settings.key,
            head_sha=report.event.head_sha,
            summary=pages.texts["summary.md"],
            annotations=pages.annotations,
            outputs=pages.outputs,
            failed=report.verdict.exit_code != 0,
            check_run=settings.check_run,
            title=pages.title,
        ),
    )
    for notice in posted.notices:
        log.line(f"notice: {notice}")
    return f"comment {posted.comment}" + (f" {posted.url}" if posted.url else "")


def opening(event: Event, changes: ChangeSet, policy: PolicySource) -> Iterator[str]:
    """The first lines of a CI log."""
    number = f" #{event.change_request}" if event.change_request else ""
    what = event.title or event.kind.value
    source = event.forge if what == event.forge else f"{event.forge} {what}"
    yield f"aces-ci {__version__} · {source}{number} · {event.repo}"
    read = policy.ref if policy.sha is None else f"{policy.ref} {policy.sha[:7]} (default branch tip)"
    base = f"base {changes.merge_base[:7]} (merge base with {event.base_name})"
    yield f"{base} · head {changes.head[:7]} · policy read from {read}"
    named = ", ".join(f"{visible(skill.label, 64)} ({_parts(skill)})" for skill in changes.skills[:20])
    count = len(changes.unowned)
    rest = f"{plural(count, 'file')} {'belongs' if count == 1 else 'belong'} to no skill" if count else ""
    more = f", {len(changes.skills) - 20} more" if len(changes.skills) > 20 else ""
    yield "changed: " + " · ".join(part for part in (f"{named}{more}" or "no skill", rest) if part)


def _parts(skill: SkillChange) -> str:
    return "removed" if skill.how is How.DELETED else ", ".join(part.value for part in skill.parts)


def plan_line(changes: ChangeSet, settings: Settings) -> str:
    """What each tier may look at; the live tier says its runs and their price itself, once it knows them."""
    count = sum(skill.how is not How.DELETED for skill in changes.skills)
    off = {"judge": settings.judge.provider == "off", "live": settings.live.when == "off"}
    later = [f"{tier} {'off' if off[tier] else f'up to {count}'}" for tier in ("judge", "live")]
    return " · ".join((f"plan: structure {count}", *later))


def structure_group(rows: Sequence[Evidence], seconds: float, log: Log) -> None:
    """What the text is worth, one line a skill, folded where the runner folds."""
    skills = [row for row in rows if isinstance(row, ChangedSkill)]
    numbers = {row.skill: row.score for row in rows if isinstance(row, Structure)}
    findings = [row for row in rows if isinstance(row, Finding)]
    read = sum(skill.how is not How.DELETED for skill in skills)
    took = duration(seconds).replace("\u00a0", " ")
    with log.group(f"structure: {plural(read, 'skill')}, {_counted(findings)} ({took})"):
        if skills:
            log.untrusted("\n".join(_structure_line(skill, numbers.get(skill.path), findings) for skill in skills))


def _structure_line(skill: ChangedSkill, score: int | None, findings: Sequence[Finding]) -> str:
    name = visible(skill.label, 64)
    if skill.how is How.DELETED:
        return f"{name}: removed"
    quality = "cannot be read" if score is None else f"quality {score} of 100"
    return f"{name}: {_counted([f for f in findings if f.skill == skill.path])}, {quality}"


def _counted(findings: Sequence[Finding]) -> str:
    """Errors, critical findings where there are any, advice."""
    count = {severity: sum(f.severity is severity for f in findings) for severity in Severity}
    critical = f"{count[Severity.CRITICAL]} critical, " if count[Severity.CRITICAL] else ""
    return f"{plural(count[Severity.ERROR], 'error')}, {critical}{count[Severity.WARNING]} advice"


def closing(report: Report) -> Iterator[str]:
    """One line a measured skill, then one a reason for what did not run."""
    measured = [(skill.change.label, skill.live) for skill in report.skills if skill.live is not None]
    width = max((len(plain(label, 40)) for label, _ in measured), default=0)
    for label, summary in measured:
        yield f"result: {result_line(summary, label, report.event.base_name, width)}"
    names = {skill.change.path: skill.change.label for skill in report.skills}
    reasons: dict[tuple[Tier, str], list[Skipped]] = {}
    for item in report.skipped:
        because = "no evals/" if item.code == "no_evals" else visible(item.because, 160)
        reasons.setdefault((item.tier, because), []).append(item)
    for (tier, because), items in reasons.items():
        owners = [visible(names.get(item.skill, item.skill), 64) for item in items if item.skill is not None]
        more = f" and {len(owners) - 4} more" if len(owners) > 4 else ""
        yield f"skipped: {tier.value} ({because})" + (f": {', '.join(owners[:4])}{more}" if owners else "")


def verdict_line(report: Report) -> str:
    """The last line of a CI log."""
    verdict = report.verdict
    source = report.policy.ref if report.policy.sha is None else f"{report.policy.ref} {report.policy.sha[:7]}"
    gates = ", ".join(dict.fromkeys(f"{gate.gate.value} ({gate.mode.value}, from {source})" for gate in verdict.by))
    by = f" by gate {gates}" if verdict.exit_code and gates else ""
    word = verdict.state.value.replace("_", " ")
    money = usd(report.cost.usd_micros).replace("\u00a0", " ")
    return f"verdict: {word}{by} · {money} · {duration(report.cost.seconds)}".replace("\u00a0", " ")


def to_stdout(pages: Pages, wanted: str, dialect: Dialect, *, notes: bool) -> str:
    """What `--format` asks for. A runner reads commands out of this stream too, and a path may be one."""
    if wanted == "json":
        return pages.texts["report.json"]
    text = pages.texts["comment.md"] if wanted == "markdown" else pages.texts["report.txt"] if notes else pages.brief
    return text if dialect is Dialect.PLAIN else "".join(f"{inert(row)}\n" for row in text.splitlines())
