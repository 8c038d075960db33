"""`aces-ci calibrate noise`: the noise floor of a design from recorded runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aces_ci.cli.options import format_option

if TYPE_CHECKING:
    from aces_ci.core.evidence import Evidence
    from aces_ci.tiers.noise_floor import SkillNoise


@click.command("noise")
@click.argument("evidence", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--attempts", type=click.IntRange(2, 50), default=8, show_default=True, help="Runs an arm and case.")
@format_option("text", "json")
def COMMAND(evidence: tuple[Path, ...], attempts: int, format_: str) -> None:
    """Say how large a lift two equal skills show by chance, from EVIDENCE of live runs.

    Each file (or folder that holds an evidence.jsonl) is one measurement; five days or more also give the noise
    between days. A/A runs (`aces-ci live SKILL --base HEAD`) are the best data, but every arm of every run counts.
    """
    from aces_ci.tiers.noise_floor import measure

    found = measure([_read(path) for path in evidence], attempts)
    if not found:
        from aces_ci.core.errors import UsageError

        raise UsageError(
            "there is no scored live run in this evidence",
            code="no_trials",
            why="the noise floor is the spread between attempts of one case in one arm",
            do="run the live tier first: aces-ci live SKILL --base HEAD",
        )
    click.echo(json.dumps(document(found)) if format_ == "json" else "\n".join(rows(found)))


def document(found: Sequence[SkillNoise]) -> dict[str, object]:
    """The JSON document of `calibrate noise --format json`; shares, not points."""
    return {
        "schema_version": 1,
        "skills": [
            {
                "skill": item.skill,
                "design": {"cases": item.cases, "attempts": item.attempts},
                "runs": item.runs,
                "spread": item.spread,
                "floor": item.floor,
                "days": item.day.days,
                "between_days": item.day.sigma,
                "because": item.day.because,
            }
            for item in found
        ],
    }


def rows(found: Sequence[SkillNoise]) -> list[str]:
    """The text: two lines a skill."""
    from aces_ci.shell.log import inert

    shown = []
    for item in found:
        shown.append(
            inert(
                f"{item.skill}: two equal skills at {item.cases} x {item.attempts} differ by less than "
                f"{100 * item.floor:.0f} points in 95 of 100 repetitions ({item.runs} scored runs)"
            )
        )
        if item.day.sigma is None:
            shown.append(f"  {item.day.because}")
        else:
            shown.append(f"  between {item.day.days} days the level moves by {100 * item.day.sigma:.0f} points (SD)")
    return shown


def _read(place: Path) -> list[Evidence]:
    from aces_ci.core.errors import UsageError
    from aces_ci.core.wire import read_lines

    path = place / "evidence.jsonl" if place.is_dir() else place
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot read {path}", code="no_evidence", path=str(path), why=str(error), do="give an evidence.jsonl"
        ) from None
    return list(read_lines(text.splitlines(keepends=True), source=str(path)))
