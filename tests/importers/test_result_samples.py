"""Samples with the structure of other tools' own result files, each read by exactly one importer, figure by figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.importing import imported

Told = tuple[float | None, int]

EXPECTED: dict[str, dict[tuple[str, str], Told]] = {
    "waza": {
        ("score/high-water", "with_skill"): (0.8, 1),
        ("score/broken", "with_skill"): (None, 0),
        ("score/shanty", "with_skill"): (0.4, 1),
        ("score", "with_skill"): (0.6, 2),
        ("pass_rate", "with_skill"): (0.5, 2),
        # The timeout was graded on what was there; the limit above was not.
        ("score/high-water", "baseline"): (0.25, 2),
        ("score", "baseline"): (0.25, 1),
        ("pass_rate", "baseline"): (0.0, 2),
    },
    "claude-plugin-eval": {
        # 1.0 and the aborted 0; the session limit is missing.
        ("score/next-high-water", "with_skill"): (0.5, 2),
        ("score/next-high-water", "baseline"): (0.5, 1),
        ("score/passage-plan", "with_skill"): (0.5, 1),
        ("score", "with_skill"): (0.5, 2),
        ("score", "baseline"): (0.5, 1),
    },
    "skill-creator": {
        ("pass_rate", "with_skill"): (1.0, 1),
        ("pass_rate", "baseline"): (0.5, 1),
        ("time_seconds", "with_skill"): (40.5, 1),
        ("time_seconds", "baseline"): (61.0, 1),
        ("pass_rate", "unknown"): (0.5, 2),
    },
    "agentskills": {
        ("pass_rate", "with_skill"): (0.75, 0),
        ("pass_rate", "baseline"): (0.25, 0),
        ("time_seconds", "with_skill"): (44.0, 0),
        ("time_seconds", "baseline"): (30.0, 0),
        ("pass_rate", "unknown"): (1.0, 2),
    },
    "skillevaluator/result.json": {
        ("security", "with_skill"): (1.0, 6),
        ("security", "baseline"): (1.0, 5),
        ("goal_accuracy", "with_skill"): (0.8, 6),
        ("goal_accuracy", "baseline"): (0.5, 5),
        ("accuracy", "with_skill"): (0.9, 6),
        ("accuracy", "baseline"): (0.4, 5),
    },
    "skillevaluator/codex": {
        ("security", "with_skill"): (1.0, 0),
        ("security", "baseline"): (1.0, 0),
        ("security", "lift"): (0.0, 0),
        ("accuracy", "with_skill"): (0.9, 0),
        ("accuracy", "baseline"): (0.4, 0),
        ("accuracy", "lift"): (0.5, 0),
    },
    "harbor": {
        ("reward/next-high-water/next-high-water__Xk2", "with_skill"): (1.0, 1),
        ("unit/next-high-water/next-high-water__Xk2", "with_skill"): (0.5, 1),
        ("reward/next-high-water/next-high-water__Pq9", "baseline"): (None, 0),
    },
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_gives_these_figures_and_no_others(root: Path, name: str) -> None:
    figures = imported([root / "fixtures/results" / name])
    sound = [figure for figure in figures if "gemini-cli" not in figure.source]
    found = {(figure.metric, figure.arm): (figure.value, figure.n) for figure in sound}
    assert {key: (pytest.approx(value), count) for key, (value, count) in EXPECTED[name].items()} == found
    assert all("imported, unverified" in figure.because for figure in figures)


def test_figures_of_a_run_that_failed_are_missing_and_say_so(root: Path) -> None:
    figures = imported([root / "fixtures/results/skillevaluator/result.json"])
    (lost,) = [figure for figure in figures if "gemini-cli" in figure.source]
    assert lost.value is None
    assert lost.because.startswith("missing: its own run ended as failed")


def test_a_run_that_hit_a_limit_is_named_as_missing(root: Path) -> None:
    figures = imported([root / "fixtures/results/waza"])
    (row,) = [row for row in figures if (row.metric, row.arm) == ("score/high-water", "with_skill")]
    assert row.because.startswith("1 of 2 runs are missing")


def test_every_sample_file_is_claimed_by_one_importer(root: Path) -> None:
    for path in sorted((root / "fixtures/results").rglob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        assert len([importer for importer in compose.importers() if importer.claims(data)]) == 1, path


def test_every_importer_says_what_it_was_compared_with(root: Path) -> None:
    for importer in compose.importers():
        assert importer.checked, importer.name
