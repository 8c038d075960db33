"""What an agent's first request takes: the least that a budget must let out before a trial can tell anything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The smallest first request that was measured of an agent program, in tokens as they are set aside.

    A gateway counts a byte of the prompt as a token and the allowed answer whole, so both are bounds of what is
    reserved, many times what is then paid.
    """

    prompt: int
    """Bytes of instructions and tools, without task and skill: rounded down."""
    answer: int
    """Output tokens that it allows the model."""
