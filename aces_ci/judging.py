"""Tier 2 as the main job and a terminal run it: who judges, what is shown, where answers are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from aces_ci.changes.load import snapshot_at
from aces_ci.changes.owner import manifest_among
from aces_ci.core.amount import in_micros
from aces_ci.core.asking.answer_cache import AnswerCache
from aces_ci.core.asking.exhibit import Exhibit, exhibit
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.recording import NOT_RECORDED
from aces_ci.core.asking.rubric import Rubric
from aces_ci.core.change import ChangeSet, How, SkillChange
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import GATE_FAILED, Judgement, Skipped, Tier
from aces_ci.core.finding import Finding
from aces_ci.core.request import Request
from aces_ci.core.skill import Snapshot
from aces_ci.pipeline import Job, Sink
from aces_ci.ports.provider import NO_SDK, Provider, ProviderFactory, ProviderOptions
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.shell.machine_secret import machine_secret
from aces_ci.shell.reader import Reader
from aces_ci.tiers.ask import OVER_BUDGET, Asker
from aces_ci.tiers.choose_judge import Chosen, NoJudge, choose
from aces_ci.tiers.judged import judge
from aces_ci.tiers.live_trigger import not_approved
from aces_ci.tiers.purse import Purse

CACHE = "judge-cache.jsonl"
"""Below the output directory; CI may restore it before a run and save it after one."""
CACHE_LIMIT = 200_000_000
RECORDINGS_LIMIT = 200_000_000
SILENCE = 0.4
"""Part of a question's time that a server may say nothing for: what is lost then leaves room for another try."""
SLACK = 1.1
"""A question that another one waits for is given up, and its money settled, a moment after its time."""
Open = Callable[[Settings, Trust], "Asker | NoJudge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What is needed to have a judge."""

    factories: Sequence[ProviderFactory]
    rubrics: Sequence[Rubric]
    env: Mapping[str, str]
    folder: Folder
    """Where the cache lies."""
    record: Callable[[Question, Answer], None] | None = None
    """Sees every fresh answer."""

    def asker(
        self, settings: Settings, trust: Trust, purse: Purse | None = None, *, believed: bool = True
    ) -> Asker | NoJudge:
        """The one that asks, for rubrics and for traces; or why there is none. Without a purse it has the whole budget.

        What lies in the folder is read only where it is `believed`.

        Raises:
            UsageError: as `choose`, or the SDK is not installed, or the recordings cannot be read.
        """
        chosen = choose(settings, self.env, self.factories)
        if isinstance(chosen, NoJudge):
            return chosen
        options = _options(chosen, settings)
        provider = chosen.factory.open(options)
        self.folder.claim()
        kept = (self.folder.read(CACHE, limit=CACHE_LIMIT) if believed else None) or b""
        # Whoever can read this file knows an empty key, so a server that wants none gives no MAC to believe.
        secret = chosen.key or machine_secret(self.env, Path.cwd())
        return Asker(
            provider=_Recording(provider, self.record) if self.record else provider,
            purse=purse or Purse(in_micros(settings.budget.usd)),
            price=chosen.price,
            # A replay is free and must fail on a miss, so nothing stands in front of it.
            cache=None
            if chosen.factory.name == "recorded"
            else AnswerCache(kept.decode("utf-8", "replace"), secret, trust=trust.value),
            keep=self._keep if trust is not Trust.FORK else _drop,
            tries=options.tries,
            patience=options.limit * SLACK,
            concurrency=settings.judge.concurrency,
        )

    def _keep(self, line: str) -> None:
        # Readable, because the step that saves it for the next run is another user than the action's container.
        self.folder.append(CACHE, line + "\n")


def tier(bench: Bench) -> Callable[[Job, ChangeSet, Sink], None]:
    """What the main job calls."""

    def run(job: Job, changes: ChangeSet, sink: Sink) -> None:
        here = [change for change in changes.skills if change.how is not How.DELETED]
        told = not_approved(job.event, job.consent)
        if told is not None:
            sink(Skipped(tier=Tier.JUDGE, skill=None, code="fork", because=told))
            return
        settings = job.loaded.settings
        believed = not job.brings(bench.folder.path / CACHE)
        try:
            asker = bench.asker(settings, job.event.trust, job.purse, believed=believed)
        except UsageError as error:
            if error.code != NO_SDK or settings.judge.provider != "auto":
                raise
            # A key that lies about for another program is no order to judge.
            sink(Skipped(tier=Tier.JUDGE, skill=None, code=error.code, because=f"{error.message}: {error.do}"))
            return
        if isinstance(asker, NoJudge):
            sink(Skipped(tier=Tier.JUDGE, skill=None, code=asker.code, because=asker.because))
            return
        with closing(asker):
            for change in here:
                if change.path in job.blocked:
                    sink(Skipped(tier=Tier.JUDGE, skill=change.path, code=GATE_FAILED, because="gate already failed"))
                    continue
                exhibits = list(_sides(job, changes, change))
                try:
                    for row in judged(exhibits, bench.rubrics, asker, settings.judge.votes):
                        sink(row)
                except UsageError as error:
                    if error.code == NOT_RECORDED:
                        # A replay promises the same again; what it cannot keep must not look like a calm run.
                        raise
                    # The text was checked; a key that is refused must not cost the author that.
                    sink(Skipped(tier=Tier.JUDGE, skill=None, code=error.code, because=error.message))
                    return

    return run


def judged(
    exhibits: Sequence[Exhibit], rubrics: Sequence[Rubric], asker: Asker, votes: int
) -> Iterator[Judgement | Skipped]:
    """Judgements of one skill on its sides; a word where the budget ended them."""
    over = False
    for each in exhibits:
        for row in judge(each, rubrics, asker, votes=votes):
            over = over or OVER_BUDGET in row.because
            yield row
    if over:
        yield Skipped(tier=Tier.JUDGE, skill=exhibits[0].skill, code="budget", because=OVER_BUDGET)


def shown(snapshot: Snapshot, skill: str, side: str, reader: Reader, settings: Settings) -> Exhibit | None:
    """What a judge sees of a skill: its text, and what the rules say about it, read without rights."""
    manifest = manifest_among(path for path in snapshot.files if "/" not in path)
    if manifest is None:
        return None
    asked = Request(
        after=snapshot,
        added=True,
        profile=settings.structural.profile.value,
        disabled=settings.structural.ignore,
    )
    rows = reader.ask(asked)
    found = [f"{row.code}: {row.title}" for row in rows if isinstance(row, Finding)]
    return exhibit(skill=skill, side=side, manifest=manifest, files=snapshot.files, findings=found)


def _sides(job: Job, changes: ChangeSet, change: SkillChange) -> Iterator[Exhibit]:
    """The skill at the head, then at the merge base, where it is there."""
    places = [("head", changes.head, change.path)]
    if change.how is not How.ADDED:
        places.append(("base", changes.merge_base, change.previous_path or change.path))
    for side, commit, path in places:
        snapshot = snapshot_at(job.repository, commit, path)
        found = snapshot and shown(snapshot, change.path, side, job.reader, job.loaded.settings)
        if found:
            yield found


class _Recording:
    """A provider whose every answer is seen by somebody."""

    def __init__(self, inner: Provider, see: Callable[[Question, Answer], None]) -> None:
        self.name, self.model = inner.name, inner.model
        self._inner, self._see = inner, see

    def ask(self, question: Question) -> Answer:
        answer = self._inner.ask(question)
        self._see(question, answer)
        return answer

    def close(self) -> None:
        self._inner.close()


def _options(chosen: Chosen, settings: Settings) -> ProviderOptions:
    return ProviderOptions(
        model=chosen.model,
        key=chosen.key,
        base_url=chosen.base_url,
        price=chosen.price,
        timeout=settings.judge.seconds * SILENCE,
        limit=settings.judge.seconds,
        recordings=lambda: _recordings(settings.judge.recordings),
    )


def _recordings(path: str | None) -> list[str]:
    if path is None:
        raise UsageError(
            "provider `recorded` needs a file of recorded answers", code="no_recordings", do="set judge.recordings"
        )
    try:
        return read_bounded(Path(path), limit=RECORDINGS_LIMIT).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        raise UsageError(
            f"there is no file {path}", code="no_recordings", path=path, do="correct judge.recordings"
        ) from None


def _drop(line: str) -> None:
    """A job that touched a fork's content restores only (docs/trust.md rule 11)."""
