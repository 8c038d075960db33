"""The cause is read from traces at the end of a run, and kept as evidence that a report needs no trace for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aces_ci.changes.parse import parse_skill
from aces_ci.core.diagnosis import Cause, Diagnosed
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.plan import Subject
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.case import Behavior, Case
from aces_ci.core.trial import Arm
from aces_ci.core.wire import from_line, to_line
from aces_ci.diagnosing import diagnosed, text_of
from aces_ci.shell.files import Folder
from aces_ci.tiers.assemble import assemble
from tests.builders import SKILL, a_changed_skill, a_comparison, a_run, a_trace

CASES = ("vat", "split")


def a_skill(body: str) -> Skill:
    text = f"---\nname: log-triage\ndescription: Reads logs.\n---\n{body}\n".encode()
    return parse_skill(
        root=SKILL, files={"SKILL.md": SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(text), data=text)}
    )


def a_subject() -> Subject:
    cases = tuple(Case(id=name, prompt="p", behaviors=(Behavior(id="b1", text="Checks the totals"),)) for name in CASES)
    lineup = Lineup(target=(a_skill("Run `read.py --fast`."),), previous=(a_skill("Run `read.py`."),))
    return Subject(skill=SKILL, lineup=lineup, cases=cases)


def a_finished_run(tmp_path: Path, broken: bool = False) -> tuple[list[Diagnosed], list[object]]:
    folder = Folder.at(tmp_path / "out", cwd=tmp_path)
    rows = {arm: dict.fromkeys(CASES, [value] * 5) for arm, value in ((Arm.WITH_SKILL, 0.0), (Arm.PREVIOUS, 1.0))}
    trials, scores = a_comparison(rows, looks=(5,))
    kept = []
    for trial in trials:
        command = "python read.py --fast" if trial.arm is Arm.WITH_SKILL else "python read.py"
        path = f"trials/{trial.digest}/trajectory.json"
        text = "{" if broken else a_trace("cat SKILL.md", command).model_dump_json(exclude_none=True)
        folder.write(path, text)
        kept.append(replace(trial, trajectory=path))
    lines = list(diagnosed([a_subject()], kept, scores, LivePlan(looks=(5,)), folder))
    return lines, [a_run(settings={"live": {"attempts": {"looks": [5]}}}), a_changed_skill(), *kept, *scores]


def test_the_cause_is_written_as_evidence_and_stands_in_the_report_without_any_trace(tmp_path: Path) -> None:
    (row,), evidence = a_finished_run(tmp_path)
    assert row.causes[0].cause is Cause.MISUSED and row.causes[0].what in ("--fast", "read.py --fast")
    assert row.causes[0].place is not None and row.causes[0].place.path == f"{SKILL}/SKILL.md"
    again = from_line(to_line(row))
    report = assemble([*evidence, again])  # type: ignore[list-item]
    assert report.skills[0].live is not None and report.skills[0].live.diagnosis == row.causes


def test_a_trace_that_cannot_be_read_costs_the_cause_and_nothing_else(tmp_path: Path) -> None:
    lines, _ = a_finished_run(tmp_path, broken=True)
    assert lines == []


def test_the_heads_own_evals_are_diagnosed_only_where_there_are_no_others(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "out", cwd=tmp_path)
    head = replace(a_subject(), side="head")
    rows = {arm: dict.fromkeys(CASES, [value] * 5) for arm, value in ((Arm.WITH_SKILL, 0.0), (Arm.BASELINE, 1.0))}
    trials, scores = a_comparison(rows, looks=(5,), side="head")
    kept = []
    for trial in trials:
        path = f"trials/{trial.digest}/trajectory.json"
        command = "python read.py --fast" if trial.arm is Arm.WITH_SKILL else "head log"
        folder.write(path, a_trace(command).model_dump_json(exclude_none=True))
        kept.append(replace(trial, trajectory=path))
    found = [row.causes[0].cause for row in diagnosed([head], kept, scores, LivePlan(looks=(5,)), folder)]
    assert found == [Cause.MISUSED], "a new skill has no other evals"
    assert list(diagnosed([a_subject(), head], kept, scores, LivePlan(looks=(5,)), folder)) == []


def test_text_of_a_subject_has_both_sides_and_the_sentences_of_its_behaviours() -> None:
    text = text_of(a_subject())
    assert "--fast" in text.after and text.before is not None and "--fast" not in text.before
    assert text.behaviors == {"b1": "Checks the totals"}
