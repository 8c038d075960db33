"""`aces-ci post`: from a report that another job wrote to the one comment.

After a fork's job (`workflow_run`; GitLab: a job of the target project) the report is hostile until vetted,
and only a comment comes of it: no annotation, no output, no check, no exit code that a rule could read as a
verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from aces_ci import compose, publication
from aces_ci.compose import report_from_json as parse
from aces_ci.core.amount import in_micros, plural
from aces_ci.core.errors import DeliveryError, NotPermitted, UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.foreign import vet
from aces_ci.core.foreign_json import BYTES, nothing_to_post, plain_json
from aces_ci.core.inert import plain
from aces_ci.core.pages import Pages
from aces_ci.core.policy_file import POLICY_FILE
from aces_ci.core.report import Report
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.verdict import State
from aces_ci.ports.forge import Forge, ForgeOptions, Posted, Publication
from aces_ci.settings import source
from aces_ci.settings.inputs import inputs_of, secrets_of
from aces_ci.settings.load import load
from aces_ci.settings.model import Comment, Settings
from aces_ci.shell.files import read_bounded
from aces_ci.shell.log import Log, dialect_of
from aces_ci.shell.zygote import Zygote

REPORT = "report.json"
_NOWHERE = "read comment.md beside it; a job of GitHub Actions or GitLab CI posts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line said. `path` None: the report is fetched from the other job, and hostile."""

    path: Path | None
    repo: Path
    source: str
    artifact: str
    change: int | None


def post(options: Options, *, env: Mapping[str, str], stderr: TextIO) -> int:
    """0 when the comment stands, or may not be written.

    Raises:
        UsageError: the report is refused; nothing was posted.
        DeliveryError: the forge did not take it.
    """
    redactor = Redactor(secrets_of(env))
    log = Log(stderr, dialect_of(env), redactor.text)
    inputs = inputs_of(env)
    forge = compose.forge(
        env,
        log,
        ForgeOptions(token=inputs.get("github_token"), api_url=inputs.get("api_url"), redactor=redactor),
    )
    settings, known = _settings(forge, env, log)
    cap = in_micros(settings.budget.usd) if known else None
    with Zygote() as zygote:
        for report in _reports(forge, options, cap, log):
            pages = publication.rendered(report, settings.comment.key, zygote)
            posted = forge.publish(report.event, _publication(report, pages, settings.comment))
            for notice in posted.notices:
                log.line(f"notice: {notice}")
            log.line(_said(report.event, posted))
    return 0


def _reports(forge: Forge, options: Options, cap: int | None, log: Log) -> Iterator[Report]:
    """What there is to post. Of several, one that is refused says so and keeps none from the others."""
    if options.path is not None:
        yield _own(forge, options, options.path)
        return
    several = None if options.change is not None else forge.followed()
    if several is None or several == (None,):
        yield _foreign(forge, options, options.change, cap)
        return
    log.line(f"{plural(len(several), 'open change')} of forks")
    for change in several:
        try:
            report = _foreign(forge, options, change, cap)
        except UsageError as error:
            log.line(f"notice: nothing is posted for {change}: {error.why or error.message} ({error.code})")
        else:
            yield report


def _settings(forge: Forge, env: Mapping[str, str], log: Log) -> tuple[Settings, bool]:
    """Those of the default branch and of this workflow, as a run has them; and whether the former could be read.

    Raises:
        UsageError: the deciding file is broken.
    """
    known, data = True, None
    try:
        data = forge.policy()
    except (DeliveryError, NotPermitted) as error:
        known = False
        log.line(f"notice: {POLICY_FILE} of the default branch could not be read ({error.message})")
    document = None if data is None else source.read(data, POLICY_FILE)
    inputs = inputs_of(env, settings_only=True)
    settings = load(policy=document, policy_origin="(default branch)", env=env, inputs=inputs).settings
    return settings, known or "budget.usd" in inputs


def _foreign(forge: Forge, options: Options, change: int | None, cap: int | None) -> Report:
    origin, data = forge.foreign(options.source, options.artifact, change)
    return vet(parse(plain_json(data)), replace(origin, cap_usd_micros=cap))


def _own(forge: Forge, options: Options, path: Path) -> Report:
    """A report of an earlier step or job of this very run: believed, but only about this run's commit."""
    file = path / REPORT if path.is_dir() else path
    try:
        data = read_bounded(file, limit=BYTES)
    except FileNotFoundError:
        raise nothing_to_post(
            "report_missing", f"there is no file {file}", "name the report.json that `run` or `report` wrote before"
        ) from None
    report = _parsed(data, file)
    event = forge.event(options.repo)
    if event.kind is EventKind.LOCAL:
        raise nothing_to_post("no_forge", "this is no CI job, so there is nowhere to post", _NOWHERE)
    claimed = report.event
    if (claimed.head_sha, claimed.change_request, claimed.repo) != (event.head_sha, event.change_request, event.repo):
        raise UsageError(
            f"{file} is of another change than this job",
            code="commit",
            path=str(file),
            why=f"it speaks of {_named(claimed)}, and this job is about {_named(event)}",
            do="post it in the job that it was written in",
        )
    return report


def _parsed(data: bytes, file: Path) -> Report:
    try:
        return parse(plain_json(data))
    except UsageError as error:
        raise UsageError(
            f"{file} is no report that can be posted",
            code=error.code,
            path=str(file),
            why=error.why or error.message,
            do="let `run` or `report` of this version write it, and post it as it is",
        ) from None


def _named(event: Event) -> str:
    """A change in an error; a report's own words are the words of a file."""
    change = f" of change {event.change_request}" if event.change_request else ""
    return f"{plain(event.head_sha, 40)}{change} in {plain(event.repo, 100)}"


def _publication(report: Report, pages: Pages, wanted: Comment) -> Publication:
    comment = pages.texts["comment.md"]
    return Publication(
        comment=comment if wanted.enabled and report.verdict.state is not State.NOTHING else None,
        nothing_comment=comment,
        smaller_comment=pages.smaller,
        key=wanted.key,
        head_sha=report.event.head_sha,
        summary=pages.texts["summary.md"],
        annotations=(),
        outputs={},
        failed=False,
        title=pages.title,
    )


def _said(event: Event, posted: Posted) -> str:
    place = f" {posted.url}" if posted.url else ""
    return f"posted: {event.repo} {event.change_request} at {event.head_sha[:7]} · comment {posted.comment}{place}"
