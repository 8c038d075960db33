"""`calibrate noise`: a floor that the next identical pair respects."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from aces_ci.cli.calibrate import COMMAND
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Evidence
from aces_ci.core.trial import Arm
from aces_ci.core.wire import to_line
from aces_ci.tiers.noise_floor import measure
from tests.builders import a_comparison, a_run

CASES = ("a", "b", "c", "d")


def a_day(seed: int, day: int, level: float = 0.5, attempts: int = 8) -> list[Evidence]:
    """An A/A run: the same skill in two arms."""
    rng = Random(seed)

    def arm() -> dict[str, list[float | None]]:
        return {case: [float(rng.random() < level) for _ in range(attempts)] for case in CASES}

    trials, scores = a_comparison({Arm.WITH_SKILL: arm(), Arm.PREVIOUS: arm()})
    return [replace(a_run(), started=f"2026-11-{day:02}T08:00:00Z"), *trials, *scores]


def lift_of(lines: list[Evidence]) -> float:
    scores = {line.trial: line.value for line in lines if line.id.startswith("score:")}  # type: ignore[union-attr]
    arms: dict[Arm, list[float]] = {}
    for line in lines:
        if line.id.startswith("trial:"):
            arms.setdefault(line.arm, []).append(scores[line.digest])  # type: ignore[union-attr,arg-type]
    return sum(arms[Arm.WITH_SKILL]) / 32 - sum(arms[Arm.PREVIOUS]) / 32


def test_floor_of_one_day_is_respected_by_the_next_in_nineteen_of_twenty() -> None:
    over = 0
    for seed in range(150):
        (found,) = measure([a_day(seed, 1)], 8)
        over += abs(lift_of(a_day(seed + 10_000, 2))) > found.floor
    assert over / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
    assert found.floor == pytest.approx(0.245, abs=0.03)


def test_more_attempts_lower_the_floor_and_harder_noise_raises_it() -> None:
    (few,), (many,) = measure([a_day(1, 1)], 3), measure([a_day(1, 1)], 12)
    (calm,) = measure([a_day(1, 1, level=0.97)], 3)
    assert many.floor == pytest.approx(few.floor / 2) and calm.floor < few.floor


def test_between_day_noise_needs_five_days_and_then_finds_a_drifting_level() -> None:
    (few,) = measure([a_day(day, day) for day in range(1, 4)], 8)
    assert few.day.sigma is None and "3 of 5 days" in few.day.because
    levels = (0.2, 0.8, 0.3, 0.9, 0.5, 0.1)
    (drifting,) = measure([a_day(day, day, level) for day, level in enumerate(levels, 1)], 8)
    (steady,) = measure([a_day(day, day) for day in range(1, 7)], 8)
    assert drifting.day.sigma is not None and steady.day.sigma is not None
    assert drifting.day.sigma > 0.2 > 3 * steady.day.sigma


def test_command_reads_files_and_folders_and_says_what_it_rests_on(tmp_path: Path) -> None:
    lines = "".join(f"{to_line(line)}\n" for line in a_day(1, 1))
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "evidence.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "two.jsonl").write_text(lines, encoding="utf-8")
    run = CliRunner().invoke(COMMAND, ["noise", str(tmp_path / "one"), str(tmp_path / "two.jsonl"), "--format", "json"])
    assert run.exit_code == 0, run.output
    (skill,) = json.loads(run.output)["skills"]
    assert skill["runs"] == 128 and skill["between_days"] is None and 0.1 < skill["floor"] < 0.4
    text = CliRunner().invoke(COMMAND, ["noise", str(tmp_path / "one"), "--attempts", "3"])
    assert "two equal skills at 4 x 3 differ by less than" in text.output
    assert "1 of 5 days" in text.output


def test_evidence_without_trials_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text(f"{to_line(a_run())}\n", encoding="utf-8")
    run = CliRunner().invoke(COMMAND, ["noise", str(tmp_path / "e.jsonl")])
    assert isinstance(run.exception, UsageError) and "no scored live run" in str(run.exception)
    gone = CliRunner().invoke(COMMAND, ["noise", str(tmp_path / "gone.jsonl")])
    assert isinstance(gone.exception, UsageError)
