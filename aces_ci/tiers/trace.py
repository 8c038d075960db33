"""The trajectory of one trial and whether it may be compared: exchanges first, the harness's log beside
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aces_ci.core.spending.exchange import Exchange
from aces_ci.core.trace.annotate import annotate
from aces_ci.core.trace.chain import State, chain
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Flag
from aces_ci.ports.converter import Converter, Log


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """What happened in a trial, as far as anybody can know it."""

    trajectory: Trajectory | None
    """None where no turn of a model was delivered."""
    flags: tuple[Flag, ...] = ()
    states: Mapping[State, int] = field(default_factory=dict)
    mismatches: tuple[str, ...] = ()
    """Claims of the log that are not true, in our words."""


def traced(
    exchanges: Sequence[Exchange],
    *,
    agent: str,
    version: str | None,
    prompt: str,
    model: str | None = None,
    converter: Converter | None = None,
    log: Log | None = None,
) -> Traced:
    """From the gateway's exchanges, annotated by the log. The log alone never makes a trajectory of a
    trial.
    """
    found = chain(exchanges, agent=agent, version=version, prompt=prompt, model=model)
    try:
        claimed = converter.convert(log) if converter is not None and log is not None else None
    except Exception as error:  # noqa: BLE001 - the agent wrote it: what breaks its reader must not end the whole run
        because = f"the log cannot be read ({type(error).__name__})"
        flags = (*found.flags, Flag.TRACE_MISMATCH)
        return Traced(trajectory=found.trajectory, flags=flags, states=found.states, mismatches=(because,))
    if found.trajectory is None:
        # Words of a model in the log, and no model that said them: somebody wrote the log by hand.
        forged = claimed is not None and any(step.source == "agent" for step in claimed.steps)
        return Traced(
            trajectory=None,
            flags=(*found.flags, *((Flag.TRACE_MISMATCH,) if forged else ())),
            mismatches=("the log claims turns of a model, and the gateway delivered none",) if forged else (),
        )
    if claimed is None:
        return Traced(trajectory=found.trajectory, flags=found.flags, states=found.states)
    annotated = annotate(found.trajectory, claimed)
    flags = (*found.flags, *((Flag.TRACE_MISMATCH,) if annotated.mismatches else ()))
    return Traced(trajectory=annotated.trajectory, flags=flags, states=found.states, mismatches=annotated.mismatches)


def imported(converter: Converter, log: Log) -> Traced:
    """From a log alone: an import. Always marked unverified."""
    trajectory = converter.convert(log)
    return Traced(trajectory=trajectory, flags=(Flag.UNVERIFIED,))
