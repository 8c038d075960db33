"""One `run` from the environment to the exit code: builds the job, writes the reports, posts them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TextIO

from aces_ci import compose, importing, pipeline, publication, resuming
from aces_ci.changes.git import Repository
from aces_ci.changes.weigh import weigh
from aces_ci.consent import HANDED_ON, consent, hand_on, still_given
from aces_ci.core.amount import in_micros
from aces_ci.core.change import ChangeSet, How
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import PAID, Evidence
from aces_ci.core.report import Report
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.shards import matrix, shard_of
from aces_ci.core.wire import to_line
from aces_ci.jobs import plan as planning
from aces_ci.pipeline import Job
from aces_ci.policy import blamed, find_policy, from_evidence
from aces_ci.ports.forge import Forge, ForgeOptions
from aces_ci.resuming import Earlier
from aces_ci.set_aside import baseline, spelled_out
from aces_ci.settings.inputs import inputs_of, secrets_of
from aces_ci.settings.load import Loaded, load, with_server
from aces_ci.shell.evidence_file import NAME as EVIDENCE
from aces_ci.shell.evidence_file import rows_in, text_of
from aces_ci.shell.files import Folder
from aces_ci.shell.log import Dialect, Log, dialect_of
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.purse import Purse


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line said."""

    repo: Path
    base: str | None = None
    head: str | None = None
    shard: str | None = None
    output: Path = Path("aces-results")
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    provider_url: str | None = None
    post: bool = True
    format: str = "text"
    quiet: int = 0
    notes: bool = False
    """Whether the text on stdout holds findings of severity info; the files always do."""
    resume: bool = False


def run(options: Options, *, env: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> int:
    """The exit code. Order at the end: reports, post, exit code."""
    redactor = Redactor(secrets_of(env))
    log = Log(stderr, dialect=dialect_of(env), redact=redactor.text)
    forge = compose.forge(env, log, _forge_options(env, redactor))
    with Zygote() as zygote:
        zygote.warm_up()
        with prepared(options, forge, env, log, zygote) as job:
            folder = Folder.at(options.output, cwd=Path.cwd(), redact=redactor.redact)
            with folder.held():
                found = resuming.found(folder, job.brings, options.resume, log.line)
                job.purse.pay(found.book.total)
                evidence = _evaluate(job, folder, log, env, found, options.quiet)
        if job.shard is not None:
            log.line(f"written: {folder.path}/{EVIDENCE} (shard {options.shard}; `aces-ci report` merges and decides)")
            return 0
        report = assemble(evidence)
        return finish(report, folder, log, options, job.loaded, zygote, forge=forge, stdout=stdout)


@contextmanager
def prepared(
    options: Options, forge: Forge, env: Mapping[str, str], log: Log, zygote: Zygote, *, use: bool = True
) -> Iterator[Job]:
    """Event, policy and settings of a run, decided before anything of the head is read.

    Without `use` an approval is only looked at: nothing will be spent on it.
    """
    command = "run" if use else "plan"
    with Reader(zygote) as reader, Repository.open(options.repo, command, reader.linked) as repository:
        event = _resolved(forge.event(options.repo), repository, options)
        policy, document = find_policy(repository, event, options.config, lambda text: _warn(log, text))
        with blamed(policy):
            loaded = load(
                policy=document,
                policy_origin=f"({policy.ref} {policy.sha[:7]})" if policy.sha else f"({policy.ref})",
                env=env,
                inputs=inputs_of(env, settings_only=True),
                overrides=with_server(options.provider_url, options.overrides),
            )
            loaded = spelled_out(loaded, compose.rule_codes())
        recorded = baseline(repository, event, loaded.settings.structural.baseline_file)
        given = consent(forge, event, loaded.settings.comment.key, log, env.get(HANDED_ON, ""), use=use)
        shard = shard_of(options.shard)
        yield Job(
            event=event,
            repository=repository,
            reader=reader,
            loaded=loaded,
            policy=replace(policy, baseline_grows=recorded.added),
            known=recorded.known,
            purse=Purse.of_shard(in_micros(loaded.settings.budget.usd), shard[1] if shard else 1),
            shard=shard,
            consent=given,
            server=options.provider_url,
            recheck=partial(still_given, forge, event, given),
        )


def plan(options: Options, *, env: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> int:
    """`aces-ci plan`: what a run would do; nothing is spent and no agent starts."""
    redactor = Redactor(secrets_of(env))
    log = Log(stderr, dialect=dialect_of(env), redact=redactor.text)
    forge = compose.forge(env, log, _forge_options(env, redactor))
    with Zygote() as zygote, prepared(options, forge, env, log, zygote, use=False) as job:
        found = planning.document(job, pipeline.changed(job), env)
    said = json.dumps(found) if options.format == "json" else "\n".join(planning.text(found))
    stdout.write(redactor.text(said) + "\n")
    return 0


def plan_matrix(most: int, options: Options, *, env: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> int:
    """`aces-ci plan --matrix N`: the shards of a run as JSON, and as outputs `matrix` and `count` of the
    step."""
    log = Log(stderr, dialect=dialect_of(env))
    forge = compose.forge(env, log, _forge_options(env, Redactor(secrets_of(env))))
    with Zygote() as zygote, prepared(options, forge, env, log, zygote) as job:
        found = matrix(weigh(job.repository, pipeline.changed(job)), most)
        approval = hand_on(job.consent)
    text = json.dumps(found)
    stdout.write(text + "\n")
    if target := env.get("GITHUB_OUTPUT"):
        # A matrix may hold nothing beside its dimensions, so the count stands by itself.
        outputs = {"matrix": json.dumps({"include": found["include"]}), "count": str(found["count"])}
        compose.write_outputs(target, {**outputs, "approval": approval})
    return 0


def report(places: Sequence[Path], options: Options, *, env: Mapping[str, str], stdout: TextIO, stderr: TextIO) -> int:
    """`aces-ci report`: the end of a run from its evidence alone."""
    redactor = Redactor(secrets_of(env))
    log = Log(stderr, dialect=dialect_of(env), redact=redactor.text)
    ours, theirs = importing.split(places)
    rows = [row for place in ours for row in rows_in(place)]
    others = importing.imported(theirs)
    if others:
        log.line(f"imported {len(others)} figures of other tools: unverified, they decide nothing")
    rows += others
    folder = Folder.at(options.output, cwd=Path.cwd(), redact=redactor.redact)
    merged = assemble(rows)
    told = from_evidence(rows)
    loaded = load(policy=told, env=env, inputs=inputs_of(env, settings_only=True), overrides=options.overrides)
    folder.claim()
    folder.write(EVIDENCE, text_of(rows))
    forge = compose.forge(env, log, _forge_options(env, redactor)) if options.post else None
    with Zygote() as zygote:
        return finish(merged, folder, log, options, loaded, zygote, forge=forge, stdout=stdout)


def finish(
    report: Report,
    folder: Folder,
    log: Log,
    options: Options,
    loaded: Loaded,
    zygote: Zygote,
    *,
    forge: object,
    stdout: TextIO,
) -> int:
    """Write every report, then post, then say the verdict."""
    pages = publication.rendered(report, loaded.settings.comment.key, zygote)
    texts = pages.texts
    for name, text in texts.items():
        folder.write(name, text)
    posted, lost = "not posted (--no-post)", None
    if options.post:
        posted, lost = publication.post(report, pages, forge, loaded, log)
    # At a terminal the text on stdout says the same.
    if not options.quiet and (log.dialect is not Dialect.PLAIN or options.format != "text"):
        for line in publication.closing(report):
            log.line(line)
    log.line(
        f"written: {folder.path}/ ({len(texts) + 1 + (folder.path / planning.PLAN_FILE).exists()} files) · {posted}"
    )
    if options.quiet < 2:
        stdout.write(publication.to_stdout(pages, options.format, log.dialect, notes=options.notes))
    log.line(publication.verdict_line(report))
    return publication.exit_code(report, lost, log)


def _evaluate(job: Job, folder: Folder, log: Log, env: Mapping[str, str], found: Earlier, quiet: int) -> list[Evidence]:
    changes = pipeline.changed(job)
    if not quiet:
        for line in publication.opening(job.event, changes, job.policy):
            log.line(line)
        if any(skill.how is not How.DELETED for skill in changes.skills):
            log.line(publication.plan_line(changes, job.loaded.settings))
    rows: list[Evidence] = []
    if job.shard is None:
        folder.write(planning.PLAN_FILE, json.dumps(planning.document(job, changes, env), indent=1) + "\n")

    def sink(row: Evidence) -> None:
        folder.append(EVIDENCE, to_line(row) + "\n", durable=isinstance(row, PAID))
        rows.append(row)

    live = _live_tier(env, folder, log, found)
    begun, ask = time.monotonic(), compose.judge_tier(env, folder)

    def judge(job: Job, changes: ChangeSet, sink: pipeline.Sink) -> None:
        # The text is read when the judge is called, and not before.
        if not quiet:
            publication.structure_group(rows, time.monotonic() - begun, log)
        ask(job, changes, sink)

    pipeline.evaluate(job, changes, sink, judge=judge, live=live)
    return rows


def _live_tier(env: Mapping[str, str], folder: Folder, log: Log, found: Earlier) -> pipeline.Live:
    """Tier 3; without its packages, the word that says so."""
    try:
        from aces_ci import live_tier, proposing
    except ModuleNotFoundError as error:
        return pipeline.not_installed(error.name or "a package")
    return proposing.told_before(live_tier.tier(env, folder, log.line, found))


def _warn(log: Log, text: str) -> None:
    log.annotate("warning", text, title="settings")


def _resolved(event: Event, repository: Repository, options: Options) -> Event:
    """Names to SHAs; `--base` and `--head` outrank what the forge said."""
    head = repository.resolve(options.head or event.head_sha, None if options.head else event.head_fetch)
    base_ref = options.base or event.base_sha
    name = event.base_ref
    if base_ref is None and event.kind is EventKind.LOCAL:
        tip = repository.default_branch_tip(event.default_branch)
        if tip is None:
            raise UsageError(
                "cannot tell which branch this work will be merged into",
                code="no_base",
                why="`run` compares two commits, and there is no remote and no branch called main or master",
                do="name it: aces-ci run --base REF",
            )
        return replace(event, head_sha=head, base_sha=tip, base_ref=name)
    base = repository.resolve(base_ref) if base_ref and set(base_ref) != {"0"} else None
    if options.base and not name:
        name = options.base
    return replace(event, head_sha=head, base_sha=base, base_ref=name)


def _forge_options(env: Mapping[str, str], redactor: Redactor) -> ForgeOptions:
    given = inputs_of(env)
    return ForgeOptions(
        token=given.get("github_token"),
        api_url=given.get("api_url"),
        environment=given.get("environment"),
        redactor=redactor,
    )
