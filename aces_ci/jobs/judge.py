"""`aces-ci judge` from the command line to its document: which skills, which sides, what is printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aces_ci import compose
from aces_ci.changes.git import Repository
from aces_ci.changes.load import snapshot_at
from aces_ci.changes.worktree import Found, search
from aces_ci.core.amount import plural, usd
from aces_ci.core.asking.exhibit import Exhibit
from aces_ci.core.asking.judge_score import agreement, judges, moved, side_score, worst
from aces_ci.core.asking.judge_text import INJECTION, NOT_TESTED, advice, overall, suspected, who
from aces_ci.core.asking.label import read
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.recording import to_line
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import Judgement
from aces_ci.core.inert import plain
from aces_ci.core.scan.redact import Redactor
from aces_ci.core.skill import Snapshot
from aces_ci.judging import Bench, judged, shown
from aces_ci.policy import from_worktree
from aces_ci.set_aside import spelled_out
from aces_ci.settings.inputs import inputs_of, secrets_of
from aces_ci.settings.load import load
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.choose_judge import NoJudge
from aces_ci.tiers.judge_calibration import Calibration, calibrate

LABELS_LIMIT = 10_000_000
"""Bytes of a labels file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line said."""

    paths: tuple[Path, ...]
    base: str | None = None
    record: Path | None = None
    output: Path = Path("aces-results")
    repo: Path = Path()
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    as_json: bool = False
    quiet: int = 0


def judge(wanted: Wanted, *, env: Mapping[str, str], out: Callable[[str], None], err: Callable[[str], None]) -> int:
    """The exit code: 0, whatever the score: the gate is the main job's.

    Raises:
        UsageError: there is no judge, or it refused; nothing that was paid for is lost.
    """
    # A path that is not there is told first: no key would mend it.
    found = search(wanted.repo, wanted.paths).found
    if not found:
        raise UsageError("there is no skill to judge", code="no_skill", do="name a folder that holds SKILL.md")
    settings, bench, asker = _opened(wanted, env)
    rows: list[Judgement] = []
    with closing(asker), Zygote() as zygote, Reader(zygote) as reader:
        for exhibits in _skills(found, wanted, settings, reader):
            if not wanted.quiet:
                err(f"judging {plain(exhibits[0].skill, 200)} ({', '.join(each.side for each in exhibits)})")
            votes = judged(exhibits, bench.rubrics, asker, settings.judge.votes)
            rows += [row for row in votes if isinstance(row, Judgement)]
    if wanted.as_json:
        out(json.dumps(document(rows, asker)))
    elif wanted.quiet < 2:
        out("\n".join(text(rows, asker)))
    return 0


def calibrated(labels: Path, wanted: Wanted, *, env: Mapping[str, str], perturb: bool) -> Calibration:
    """A judge held against the labels of a file.

    Raises:
        UsageError: as `judge`; a line is no label; a labelled skill is not there, or is there under two names.
    """
    try:
        text = read_bounded(labels, limit=LABELS_LIMIT).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        raise UsageError(f"there is no file {labels}", code="no_labels", path=str(labels), do="give it") from None
    found = list(read(text.split("\n"), [rubric.name for rubric in compose.rubrics()], str(labels)))
    if not found:
        raise UsageError(f"{labels} holds no label", code="no_labels", path=str(labels), do="write one a line")
    skills = _labelled(labels.parent, tuple(dict.fromkeys(label.skill for label in found)))
    settings, bench, asker = _opened(wanted, env)
    with closing(asker), Zygote() as zygote, Reader(zygote) as reader:
        exhibits: dict[str, Exhibit] = {}
        for skill, here in skills.items():
            seen = shown(_snapshot(here), here.root, "head", reader, settings)
            assert seen is not None
            exhibits[skill] = seen
        return calibrate(found, exhibits, bench.rubrics, asker, votes=settings.judge.votes, perturb=perturb)


def _labelled(folder: Path, names: Sequence[str]) -> dict[str, Found]:
    """The skill of each name. One that is labelled twice, under two names or as a copy, would count twice."""
    found: dict[str, Found] = {}
    spelled: dict[object, str] = {}
    for name in names:
        place = (folder / name).resolve()
        here = [each for each in search(folder, [name]).found if Path(each.top, each.root).resolve() == place]
        if len(here) != 1:
            raise UsageError(f"{name} is not one skill", code="no_skill", do="name its folder in the labels")
        found[name] = here[0]
        content = frozenset((path, file.data) for path, file in here[0].files.items())
        for same in (place, content):
            if spelled.setdefault(same, name) != name:
                raise UsageError(
                    f"{spelled[same]} and {name} are one and the same skill",
                    code="label",
                    why="its labels would count twice",
                    do="label it under one name",
                )
    return found


def document(rows: Sequence[Judgement], asker: Asker) -> dict[str, Any]:
    """The document of `judge --format json`."""
    skills = []
    for path in dict.fromkeys(row.skill for row in rows):
        own = [row for row in rows if row.skill == path]
        head, base = side_score(own, "head"), side_score(own, "base")
        skills.append(
            {
                "path": path,
                "score": head and asdict(head),
                "base": base and asdict(base),
                "change": moved(own).value if any(row.side == "base" for row in own) else None,
                "injection_suspected": suspected(own),
                "criteria": [asdict(row) for row in own],
            }
        )
    agreed = agreement(rows)
    tally = asker.tally
    return {
        "schema_version": 1,
        "judge": list(judges(rows)),
        "skills": skills,
        "agreement": {"agreed": agreed.agreed, "criteria": agreed.criteria},
        "cost": {
            "usd_micros": asker.purse.spent if asker.price is not None else None,
            "calls": tally.calls,
            "reused": tally.reused,
            "errors": tally.errors,
        },
    }


def text(rows: Sequence[Judgement], asker: Asker) -> list[str]:
    """The same for a terminal."""
    lines: list[str] = []
    for path in dict.fromkeys(row.skill for row in rows):
        own = [row for row in rows if row.skill == path]
        lines += [f"{plain(path, 120)}  {overall(own)}"]
        for row in (row for row in own if row.side == "head"):
            score = f"{row.score:4.1f}" if row.score is not None else "   -"
            votes = " · ".join(f"{vote.score:g}" for vote in row.votes)
            lines.append(f"  {score}  {row.criterion.replace('_', ' '):<27}{votes or plain(row.because, 160)}")
        for row in worst(own):
            lines += advice(row)
        if suspected(own):
            lines.append(f"  ! {INJECTION}")
        lines.append("")
    return lines + _foot(rows, asker)


def _foot(rows: Sequence[Judgement], asker: Asker) -> list[str]:
    tally = asker.tally
    money = usd(asker.purse.spent) if asker.price is not None else "price unknown"
    return [
        f"judge: {who(rows)}",
        f"{plural(tally.calls, 'call')}, {plural(tally.reused, 'answer')} reused · {money}",
        NOT_TESTED,
    ]


def _opened(wanted: Wanted, env: Mapping[str, str]) -> tuple[Settings, Bench, Asker]:
    loaded = load(
        policy=from_worktree(wanted.repo, wanted.config),
        policy_origin="(working tree)",
        env=env,
        inputs=inputs_of(env, settings_only=True),
        overrides=wanted.overrides,
    )
    settings = spelled_out(loaded, compose.rule_codes()).settings
    redactor = Redactor(secrets_of(env))
    folder = Folder.at(wanted.output, cwd=Path.cwd(), redact=redactor.redact)
    bench = compose.bench(env, folder, _recorder(wanted.record, redactor))
    asker = bench.asker(settings, Trust.OWN)
    if isinstance(asker, NoJudge):
        raise UsageError(f"nobody can judge: {asker.because}", code=asker.code, do=asker.do)
    return settings, bench, asker


def _skills(found: Sequence[Found], wanted: Wanted, settings: Settings, reader: Reader) -> Iterator[list[Exhibit]]:
    """The sides of every chosen skill; with a base, only of those that differ from it."""
    if wanted.base is None:
        for each in found:
            yield list(_exhibits([("head", _snapshot(each))], each.root, reader, settings))
        return
    with Repository.open(wanted.repo) as repository:
        base = repository.merge_base(repository.resolve(wanted.base), repository.resolve("HEAD"))
        for each in found:
            before = snapshot_at(repository, base, each.root)
            if before is None or before.files != each.files:
                sides = [("head", _snapshot(each)), *([("base", before)] if before else [])]
                yield list(_exhibits(sides, each.root, reader, settings))


def _exhibits(
    sides: Sequence[tuple[str, Snapshot]], path: str, reader: Reader, settings: Settings
) -> Iterator[Exhibit]:
    for side, snapshot in sides:
        exhibit = shown(snapshot, path, side, reader, settings)
        if exhibit is not None:
            yield exhibit


def _snapshot(found: Found) -> Snapshot:
    return Snapshot(root=found.root, files=found.files, outside=found.outside)


def _recorder(path: Path | None, redactor: Redactor) -> Callable[[Question, Answer], None] | None:
    if path is None:
        return None
    folder = Folder.at(path.parent, cwd=Path.cwd(), redact=redactor.redact)

    def see(question: Question, answer: Answer) -> None:
        folder.append(path.name, to_line(question, answer) + "\n")

    return see
