"""Where the verdict is decided: gate results to one state and one exit code.

A gate that blocks outranks all else; then the first state that applies is told (`_state`). Of the exit codes 70, 2, 1,
4, 3, 0 each outranks those behind it; 70, 2 and 4 are exceptions and never reach here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.gate import GateName, GateResult, Mode, Outcome


class State(StrEnum):
    """The first that applies is the headline."""

    BLOCKED = "blocked"
    ACCEPTED = "accepted"
    WAITS = "waits"
    REGRESSED = "regressed"
    INVALID = "invalid"
    INCOMPLETE = "incomplete"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARED = "not_compared"
    """A changed skill does no harm against none, and the policy compares no base version with it."""
    IMPROVED = "improved"
    NO_DIFFERENCE = "no_difference"
    ADVICE = "advice"
    CLEAN = "clean"
    NOTHING = "nothing"


EXIT_PASS = 0
EXIT_BLOCKED = 1
EXIT_UNDECIDED = 3
_UNDECIDED_GATES = frozenset({GateName.INCOMPLETE, GateName.INCONCLUSIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the headline looks at beside the gates."""

    skills: int
    findings_to_fix: int
    """Findings that do not block and are worth a line."""
    waits: bool = False
    """A fork's live run waits for approval."""
    words: frozenset[str] = frozenset()
    """Result words of the live tier over all skills (core.live.Word values); `incomplete` for what was planned and
    never came, which is no pass whatever the policy makes of the gate; `not_compared` for a changed skill that was held
    against no skill alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The one decision. `by` are the gates that made it, empty where none did."""

    state: State
    exit_code: int
    by: tuple[GateResult, ...]


def decide(gates: Sequence[GateResult], facts: Facts) -> Verdict:
    """One verdict from all gate results and the facts of the run.

    A gate `inconclusive` or `incomplete` that blocks exits 3; every other blocking gate exits 1.
    """
    blocking = tuple(gate for gate in gates if gate.blocks)
    hard = tuple(gate for gate in blocking if gate.gate not in _UNDECIDED_GATES)
    if hard:
        return Verdict(state=State.BLOCKED, exit_code=EXIT_BLOCKED, by=hard)
    exit_code = EXIT_UNDECIDED if blocking else EXIT_PASS
    state, by = _state(gates, facts)
    return Verdict(state=state, exit_code=exit_code, by=blocking or by)


def _state(gates: Sequence[GateResult], facts: Facts) -> tuple[State, tuple[GateResult, ...]]:
    def broken(name: GateName) -> tuple[GateResult, ...]:
        return tuple(
            gate for gate in gates if gate.gate is name and gate.outcome is Outcome.BROKEN and gate.mode is not Mode.OFF
        )

    accepted = tuple(gate for gate in gates if gate.outcome is Outcome.ACCEPTED)
    for state, by, applies in (
        (State.NOTHING, (), facts.skills == 0),
        (State.ACCEPTED, accepted, bool(accepted)),
        (State.WAITS, (), facts.waits),
        (State.REGRESSED, broken(GateName.REGRESSION), "regressed" in facts.words),
        (State.INVALID, broken(GateName.INVALID), "no_verdict" in facts.words),
        (State.INCOMPLETE, broken(GateName.INCOMPLETE), "incomplete" in facts.words),
        (State.INCONCLUSIVE, broken(GateName.INCONCLUSIVE), "cannot_tell" in facts.words),
        (State.NOT_COMPARED, (), "not_compared" in facts.words),
        (State.IMPROVED, (), "improved" in facts.words),
        (State.NO_DIFFERENCE, (), "no_difference" in facts.words),
        (State.ADVICE, (), facts.findings_to_fix > 0),
    ):
        if applies:
            return state, by
    return State.CLEAN, ()
