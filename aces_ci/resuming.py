"""What an earlier start of a run left in its output directory, and how the next start goes on from it.

The evidence of the earlier start is first put aside, whole, and only then begun anew with what still fits: a start
that is killed at any moment in between loses nothing either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Evidence, RunEnded
from aces_ci.core.plan import TrialPlan
from aces_ci.core.score import Score
from aces_ci.core.spending import book
from aces_ci.core.trial import Arm, Trial
from aces_ci.shell.evidence_file import LIMIT, rows_of, text_of
from aces_ci.shell.evidence_file import NAME as EVIDENCE
from aces_ci.shell.files import PRIVATE, Folder

ASIDE = "earlier.jsonl"
"""Trials and scores of earlier starts, whether or not they fit what runs now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """Trials that need no second run, their scores, and the book of what was paid."""

    trials: Mapping[str, Trial] = field(default_factory=dict)
    """By digest. Those that infrastructure lost are not among them: they are tried again."""
    scores: tuple[Score, ...] = ()
    """Of these trials alone."""
    book: book.Book = field(default_factory=book.Book)
    finished: bool = True
    """Whether the last start came to its end."""
    day: str = ""
    """ISO date on which the last start wrote; empty where there was none."""

    def fitting(self, digests: Iterable[str]) -> tuple[Evidence, ...]:
        """The trials of a plan that are there already, each before its scores."""
        wanted = set(digests)
        trials = [trial for digest, trial in self.trials.items() if digest in wanted]
        return (*trials, *(score for score in self.scores if score.trial in wanted))


def earlier(folder: Folder) -> Earlier:
    """Read what earlier starts left; what was put aside counts with the evidence.

    Raises:
        UsageError: a line that this version does not read.
    """
    aside, last = (tuple(rows_of(folder, name)) for name in (ASIDE, EVIDENCE))
    trials = {row.digest: row for row in (*aside, *last) if isinstance(row, Trial)}
    kept = {digest: trial for digest, trial in trials.items() if not trial.missing and _whole(folder, trial)}
    scores = {row.id: row for row in (*aside, *last) if isinstance(row, Score) and row.trial in kept}
    found = book.read(folder.read(book.NAME, limit=LIMIT) or b"")
    for trial in kept.values():
        if not found.knows(trial.digest):
            # Its book is gone; what the trial itself says is then the best word on it.
            micros = (trial.usage.usd_micros or 0) + trial.lost_micros
            found.add(book.Payment(trial=trial.digest, attempt="", number=0, micros=micros, settled=True))
    return Earlier(
        trials=kept,
        scores=tuple(scores.values()),
        book=found,
        finished=not last or any(isinstance(row, RunEnded) for row in last),
        day=_day(folder),
    )


def beside(left: Earlier, plan: TrialPlan) -> Earlier:
    """What may stand beside the runs of this start, where a skill was changed since the last one.

    The base version decides, so its runs of another day are not taken: they are made again, interleaved with this
    change's. The no-skill arm keeps its runs, marked as recorded: they inform and never gate.
    """
    planned = {row.digest for row in plan.trials}
    ours = [trial for trial in left.trials.values() if trial.arm is Arm.WITH_SKILL]
    same = {_of(trial) for trial in ours if trial.digest in planned}
    changed = {_of(trial) for trial in ours if trial.digest not in planned} - same
    kept = {
        digest: replace(trial, recorded=trial.recorded or left.day)
        if trial.arm is Arm.BASELINE and _of(trial) in changed
        else trial
        for digest, trial in left.trials.items()
        if trial.arm is not Arm.PREVIOUS or _of(trial) not in changed
    }
    return replace(left, trials=kept, scores=tuple(score for score in left.scores if score.trial in kept))


def begin(folder: Folder, found: Earlier, rows: Sequence[Evidence] = ()) -> None:
    """Put what was found aside and begin the evidence anew with `rows`. Raises DeliveryError."""
    put_aside(folder, found)
    folder.write(EVIDENCE, text_of(rows), mode=PRIVATE)


def anew(folder: Folder) -> bool:
    """Begin the evidence anew without asking what was there; whether runs were put aside that somebody paid for.

    Of a start that came to its end nothing is kept. Raises DeliveryError.
    """
    try:
        last = folder.read(EVIDENCE, limit=LIMIT) or b""
        aside = folder.read(ASIDE, limit=LIMIT) or b""
    except UsageError:
        last, aside = b"", b""
    left = b'{"kind": "trial"' in last and b'{"kind": "end"' not in last
    whole = last[: last.rfind(b"\n") + 1] if left else b""
    if left:
        folder.write(ASIDE, aside + whole, mode=PRIVATE)
    elif last or aside:
        for name in (ASIDE, book.NAME):
            folder.write(name, b"")
    folder.write(EVIDENCE, "")
    return left


def found(folder: Folder, brings: Callable[[Path], bool], resume: bool, say: Callable[[str], None]) -> Earlier:
    """What an earlier start of `run` left, where it is asked for; the evidence is begun anew either way.

    `brings`: whether the change itself holds files of a folder.

    Raises:
        UsageError: the change itself brings the files, or they cannot be read.
    """
    folder.claim()
    if not resume:
        if anew(folder):
            say(f"an earlier start left paid runs in {folder.path}: --resume goes on from them")
        return Earlier()
    if brings(folder.path):
        raise UsageError(
            f"the change itself holds files in {folder.path.name}/",
            code="resume_tracked",
            why="runs that a change brings along would be taken for runs that were made",
            do="take the folder out of the repository, or start without --resume",
        )
    left = earlier(folder)
    begin(folder, left)
    return left


def put_aside(folder: Folder, found: Earlier) -> None:
    """Keep these runs for the next start, and no others. Raises DeliveryError."""
    folder.write(ASIDE, text_of((*found.trials.values(), *found.scores)), mode=PRIVATE)


def _of(trial: Trial) -> tuple[str, str, str]:
    return trial.skill, trial.side, trial.mode


def _day(folder: Folder) -> str:
    """Of the newer of the two files, UTC."""
    files = [folder.path / name for name in (EVIDENCE, ASIDE)]
    times = [file.stat().st_mtime for file in files if file.is_file()]
    return datetime.fromtimestamp(max(times), UTC).date().isoformat() if times else ""


def _whole(folder: Folder, trial: Trial) -> bool:
    """Whether what its grade rests on is still there."""
    return trial.trajectory is None or (folder.path / trial.trajectory).is_file()
