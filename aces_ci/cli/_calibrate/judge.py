"""`aces-ci calibrate judge`: a judge against a labels file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aces_ci.cli.options import config_options, format_option, output_option

if TYPE_CHECKING:
    from aces_ci.tiers.judge_calibration import Calibration, Rate


UNDEFINED = "kappa is undefined, because people and judge say one and the same word of every label that was answered"


@click.command("judge")
@click.argument("labels", type=click.Path(path_type=Path))
@click.option("--no-perturb", is_flag=True, help="Leave out blank lines, order and padding: a quarter of the calls.")
@format_option("text", "json")
@output_option
@config_options
def COMMAND(
    labels: Path,
    no_perturb: bool,
    format_: str,
    output: Path,
    config: Path | None,
    overrides: tuple[str, ...],
) -> None:
    """Hold the judge against LABELS, a file with one JSON object a line.

    {"skill": "path/to/skill", "criterion": "example_quality", "pass": true}; paths are relative to the file. Fifty
    labels or more, about as many passes as failures. Below the bar the judge informs and never gates.
    """
    from aces_ci.jobs.judge import Wanted, calibrated

    wanted = Wanted(
        paths=(),
        output=output,
        config=config,
        overrides=overrides,
    )
    found = calibrated(labels, wanted, env=dict(os.environ), perturb=not no_perturb)
    click.echo(json.dumps(document(found)) if format_ == "json" else "\n".join(rows(found)))


def document(found: Calibration) -> dict[str, Any]:
    """The JSON document; rates carry their 95 % intervals."""
    from dataclasses import asdict

    return {"schema_version": 1, **asdict(found), "below_bar": _short(found), "settings": _settings(found)}


def rows(found: Calibration) -> list[str]:
    """The text, with what to paste into aces.yml."""
    kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
    lines = [
        f"judge: {', '.join(found.judge) or 'none answered'} · {found.answered} of {found.labels} labels answered",
        f"agreement  {_shown(found.agree)}   Cohen's kappa {kappa}",
        f"false pass {_shown(found.false_yes)}   (of what people fail)",
        f"false fail {_shown(found.false_no)}   (of what people pass)",
        *(f"moved by {name:<12}{_shown(rate)}" for name, rate in found.flips.items()),
        "A judge tends to favour text of its own model family: do not label with skills that this model wrote.",
    ]
    short = _short(found)
    if short:
        return [*lines, f"Below the bar, so it informs and never gates: {short}."]
    return [
        *lines,
        "Above the bar. To let it gate, in aces.yml:",
        f"judge: {json.dumps({'calibration': _settings(found)})}",
    ]


def _settings(found: Calibration) -> dict[str, object] | None:
    if len(found.judge) != 1 or len(found.sampling) != 1 or found.kappa is None:
        return None
    return {
        "judge": found.judge[0],
        "edition": found.edition,
        "sampling": found.sampling[0],
        "items": found.answered,
        "kappa": round(found.kappa, 3),
        "false_yes": round(found.false_yes.high, 3),
        "false_no": round(found.false_no.high, 3),
    }


def _short(found: Calibration) -> str | None:
    from aces_ci.core.asking.judge_score import Setup
    from aces_ci.core.gate_judge import below_bar

    if not found.judge:
        return "the judge answered no label"
    if len(found.judge) > 1:
        return f"several judges answered: {', '.join(found.judge)}"
    if len(found.sampling) > 1:
        return f"it was asked with different sampling: {'; '.join(each or 'its own' for each in found.sampling)}"
    if found.kappa is None:
        return UNDEFINED
    setup = Setup(judge=found.judge[0], edition=found.edition, sampling=found.sampling[0])
    return below_bar(_settings(found), [setup])


def _shown(rate: Rate) -> str:
    if not rate.count:
        return "no such item"
    return (
        f"{rate.hits} of {rate.count} ({rate.hits / rate.count:.0%}, 95 % interval {rate.low:.0%} to {rate.high:.0%})"
    )
