"""A run that is killed at any moment goes on: nothing that was paid is lost, and nothing is paid twice."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from aces_ci import resuming
from aces_ci.core.evidence import Evidence, RunEnded
from aces_ci.core.score import Score
from aces_ci.core.spending import book
from aces_ci.core.spending.book import Book, Payment
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol, Reserved, from_event
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Ending, Trial
from aces_ci.core.wire import to_line
from aces_ci.shell.evidence_file import EvidenceFile
from aces_ci.shell.files import Folder
from aces_ci.tiers.schedule import Budget
from aces_ci.tiers.till import Till
from tests.fakes.sandbox import Loss, World
from tests.unit.test_live_tier import MemorySink, plan, run

COST = 100
"""Millionths of a dollar of one request of the fake provider, which sets three times as much aside."""
BILLS = "bills"
WRITES = 22
"""Of two trials with two requests each: payments, exchanges, files, lines of evidence."""


def folder_at(path: Path) -> Folder:
    return Folder.at(path / "out", cwd=path)


class Killer(EvidenceFile):
    """The real sink, in a process that dies at its n-th write: before it, in the middle of it, or after it."""

    def __init__(self, folder: Folder, at: int, when: str) -> None:
        super().__init__(folder)
        self.folder, self.left, self.when = folder, at, when

    def _strikes(self, name: str, data: bytes) -> bool:
        self.left -= 1
        if self.left == 0 and self.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.left == 0 and self.when == "torn":
            path = self.folder.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write(data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return self.left == 0

    def add(self, evidence: Evidence) -> None:
        last = self._strikes("evidence.jsonl", to_line(evidence).encode())
        super().add(evidence)
        self._die(last)

    def extend(self, name: str, line: str) -> None:
        last = self._strikes(name, line.encode())
        super().extend(name, line)
        self._die(last)

    def keep(self, files: Mapping[str, bytes]) -> None:
        for name, data in files.items():
            last = self._strikes(name, data)
            super().keep({name: data})
            self._die(last)

    def discard(self, name: str) -> None:
        last = self._strikes(f"{name}/half", b"")
        super().discard(name)
        self._die(last)

    def _die(self, last: bool) -> None:
        if last:
            os.kill(os.getpid(), signal.SIGKILL)


def agent_of(folder: Folder) -> object:
    """Two requests a trial; each is billed on disk at the moment when it goes out. Each start leaves another file."""

    def agent(world: World) -> int:
        def bill(trial: str, micros: int) -> None:
            with (folder.path.parent / BILLS).open("a") as file:
                file.write(f"{trial} {micros}\n")

        world.provider = bill
        world.ask(tokens=COST)
        world.ask("again", tokens=COST)
        world.workspace[f"answer-{os.getpid()}.txt"] = b"42"
        return 0

    return agent


def start(folder: Folder, at: int, when: str) -> None:
    """One start of the run, as `live` and `run` do it; dies where `at` says, 0 for never."""
    found = resuming.earlier(folder)
    chosen = plan(count=1, looks=(1,), workers=1)
    resuming.begin(folder, found, found.fitting(trial.digest for trial in chosen.trials))
    run(agent_of(folder), chosen, Killer(folder, at, when), done=found.trials, book=found.book)  # type: ignore[arg-type]


def starts(points: Mapping[Path, tuple[int, str]]) -> dict[Path, bool]:
    """Start a run in each of many folders at once; which of them died of it."""
    context = multiprocessing.get_context("fork")
    children = {path: context.Process(target=start, args=(folder_at(path), *at)) for path, at in points.items()}
    for child in children.values():
        child.start()
    for child in children.values():
        child.join(60)
        assert child.exitcode in (0, -signal.SIGKILL)
    return {path: child.exitcode != 0 for path, child in children.items()}


def bills(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in (path / BILLS).read_text().splitlines() if (path / BILLS).exists() else ():
        trial, micros = line.split()
        found[trial] = found.get(trial, 0) + int(micros)
    return found


def trials(path: Path) -> list[Trial]:
    return [row for row in EvidenceFile(folder_at(path)).read() if isinstance(row, Trial)]


def test_killed_at_every_single_write_it_loses_nothing_and_pays_nothing_twice(tmp_path: Path) -> None:
    """Every write of a run is a moment to die at, half way through it; the start that goes on dies before another."""
    whole = plan(count=1, looks=(1,), workers=1)
    places = {tmp_path / f"{at:02}": at for at in range(1, WRITES + 2)}
    for path in places:
        path.mkdir()
    died = starts({path: (at, "torn") for path, at in places.items()})
    assert [at for path, at in places.items() if not died[path]] == [WRITES + 1], "WRITES is the number of writes"
    before = {path: ({trial.digest for trial in trials(path)}, bills(path)) for path in places}
    starts({path: (1 + at % 4, "before") for path, at in places.items()})
    assert not any(starts(dict.fromkeys(places, (0, ""))).values())

    for path, (done, billed_before) in before.items():
        folder, written, billed = folder_at(path), trials(path), bills(path)
        assert [trial.digest for trial in written] == list(dict.fromkeys(trial.digest for trial in written))
        assert {trial.digest for trial in written} == {trial.digest for trial in whole.trials}
        assert {digest: billed[digest] for digest in done} == {digest: billed_before[digest] for digest in done}
        kept = book.read(folder.read(book.NAME, limit=1 << 20) or b"")
        assert all(micros <= kept.of(digest) for digest, micros in billed.items()), "all that was billed is in the book"
        for trial in written:
            assert trial.usage.usd_micros == 2 * COST
            assert trial.lost_micros == kept.of(trial.digest) - 2 * COST
            rows = (folder.read(f"trials/{trial.digest}/exchanges.jsonl", limit=1 << 20) or b"").decode().splitlines()
            numbers = [value.number for row in rows if isinstance(value := from_event(row), Exchange)]
            assert numbers == [1, 2], "exchanges of a try that was lost are not taken for the last one's"
            (left,) = (folder.path / f"trials/{trial.digest}/workspace").iterdir()
            assert left.read_bytes() == b"42", "nor what a start left that was killed while it wrote"


def test_between_forwarding_and_settling_the_reservation_counts(tmp_path: Path) -> None:
    """The provider may have billed a request whose answer nobody saw."""
    folder = folder_at(tmp_path)
    (tmp_path / "out").mkdir()
    found = Book()
    sink = EvidenceFile(folder)

    def agent(world: World) -> int:
        world.ask(tokens=COST)
        raise Loss("the machine went down")

    class Deaf(EvidenceFile):
        """Everything is lost after the reservation's line."""

        def extend(self, name: str, line: str) -> None:
            if '"settled": true' not in line and name == book.NAME:
                sink.extend(name, line)

    run(agent, plan(count=1, looks=(1,), workers=1), Deaf(folder), book=found)  # type: ignore[arg-type]
    read = book.read(folder.read(book.NAME, limit=1 << 20) or b"")
    assert read.total == 2 * 2 * 3 * COST, "two trials, tried twice, each with a reservation that nobody settled"
    ended, second, _ = run(agent, plan(count=1, looks=(1,)), book=read, budget=Budget(usd_micros=read.total))
    assert "is spent" in ended.stopped and second.trials == []


def test_a_lost_try_is_money_of_the_run_and_not_of_the_arm() -> None:
    tries: list[str] = []

    def agent(world: World) -> int:
        tries.append(world.token)
        world.ask(tokens=COST)
        if len(tries) == 1:
            raise Loss("a hiccup")
        return 0

    ended, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1))
    # Which one ends first is the line's business: a try that was lost queues up again.
    assert sorted((trial.usage.usd_micros, trial.lost_micros) for trial in sink.trials) == [(COST, 0), (COST, COST)]
    assert ended.paid_micros == 3 * COST


def test_a_request_that_was_given_up_before_it_went_out_costs_nothing() -> None:
    kept = Book()
    till = Till(MemorySink(), kept)
    till.begin("t")
    till.reserve(Reserved(slot="s0", trial="t", number=1, micros=300))
    assert till.paid_micros == 300
    given_up = Exchange(
        slot="s0",
        trial="t",
        number=1,
        protocol=Protocol.MESSAGES,
        outcome=Outcome.ABANDONED,
        status=499,
        at="2026-11-30T10:00:00.000+00:00",
        seconds=0.1,
        reserved_micros=300,
    )
    till.take(given_up)
    assert till.paid_micros == till.paid_for("t") == kept.total == 0


def payment(**changes: object) -> Payment:
    fields: dict[str, object] = {"trial": "t", "attempt": "a", "number": 1, "micros": 300, "settled": False}
    return Payment(**{**fields, **changes})  # type: ignore[arg-type]


def test_the_book_replaces_a_reservation_by_its_price_and_keeps_the_price() -> None:
    found = Book([payment(), payment(micros=120, settled=True), payment(micros=300)])
    assert (found.total, found.of("t"), found.of("other")) == (120, 120, 0)
    assert Book([payment(), payment(attempt="b")]).total == 600, "another try is another payment"


def test_the_book_is_read_line_by_line_and_a_torn_end_is_left_out() -> None:
    line = book.to_line(payment())
    odd = [json.dumps({**json.loads(line), "micros": value}) for value in (-1, "3", None, True)]
    data = "\n".join([line, *odd, "[]", "{}", line[:20]]).encode()
    assert book.read(data).total == 300


def test_scores_of_a_trial_that_is_run_again_are_not_kept(tmp_path: Path) -> None:
    """A trial that infrastructure lost has scores without values; they must not stand for the next try."""
    folder = folder_at(tmp_path)
    sink = EvidenceFile(folder)
    _, memory, _ = run(lambda world: world.ask() or 0, plan(count=1, looks=(1,)))
    good, lost = memory.trials
    lost = dataclasses.replace(lost, ending=Ending.INFRA_FAILED)
    for trial in (good, lost):
        sink.add(dataclasses.replace(trial, trajectory=None))
        sink.add(Score(trial=trial.digest, metric="outcome", value=None, because="x"))
    found = resuming.earlier(folder)
    assert (set(found.trials), {score.trial for score in found.scores}) == ({good.digest}, {good.digest})
    assert not found.finished


def test_a_trial_whose_trajectory_is_gone_is_run_again(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    _, memory, _ = run(lambda world: world.ask() or 0, plan(count=1, looks=(1,)))
    one, other = memory.trials
    for trial in (one, other):
        kept = trace_file.read(memory.files[str(trial.trajectory)], source="it")
        assert trial.answer == kept.answer_digest is not None
    folder.write(str(other.trajectory), memory.files[str(other.trajectory)])
    for trial in (one, other):
        EvidenceFile(folder).add(trial)
    assert set(resuming.earlier(folder).trials) == {other.digest}


def test_what_does_not_fit_is_put_aside_and_comes_back_when_it_fits_again(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    _, memory, _ = run(lambda world: world.ask() or 0, plan(count=1, looks=(1,)))
    for trial in memory.trials:
        EvidenceFile(folder).add(dataclasses.replace(trial, trajectory=None))
    found = resuming.earlier(folder)
    resuming.begin(folder, found, found.fitting([memory.trials[0].digest]))
    assert [trial.digest for trial in trials(tmp_path)] == [memory.trials[0].digest]
    assert set(resuming.earlier(folder).trials) == {trial.digest for trial in memory.trials}
    sink = EvidenceFile(folder)
    assert resuming.anew(folder) and trials(tmp_path) == [], "what was paid is put aside, and nothing of it counts"
    assert set(resuming.earlier(folder).trials) == {trial.digest for trial in memory.trials}
    sink.add(RunEnded(shard=None, seconds=1.0))
    assert not resuming.anew(folder)
    assert resuming.earlier(folder).trials == {}, "of a start that came to its end nothing is kept"
