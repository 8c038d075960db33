"""Whether the model really saw what its arm promises, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aces_ci.core.spending.control import Expectation
from aces_ci.core.spending.exchange import ArmCheck, Protocol

LONG = 200
"""Characters; shorter texts are cheaper to look at again than to remember."""
_MODEL_ITEMS = frozenset({"function_call", "custom_tool_call", "reasoning"})


class ArmWatch:
    """Looks at every forwarded request of one trial."""

    def __init__(self, expectation: Expectation) -> None:
        self._absent = tuple(map(_flat, expectation.absent))
        self._unlisted = tuple(map(_flat, expectation.unlisted))
        self._listed = tuple(map(_flat, expectation.listed))
        self._clean: dict[bool, set[int]] = {True: set(), False: set()}
        """Hashes of long texts that held nothing; a conversation repeats its past in every request."""
        self._requests = 0
        self._listing_seen = False
        self._because = ""

    def look(self, protocol: Protocol, body: Mapping[str, Any], number: int) -> None:
        """Take one request into account. The model's own turns are not searched: it may guess a name."""
        self._requests += 1
        if not (self._absent or self._unlisted or self._listed):
            return
        turns = body.get("input" if protocol is Protocol.RESPONSES else "messages")
        listed = turns if isinstance(turns, list) else [turns]
        spoken = [turn for turn in listed if _of_model(turn)]
        shown = [turn for turn in listed if not _of_model(turn)]
        rest = [value for name, value in body.items() if name not in ("input", "messages")]
        forbidden = self._absent if spoken else (*self._absent, *self._unlisted)
        wanted = () if spoken else self._listed
        for text in self._fresh(_strings([*rest, *shown]), spoken=bool(spoken)):
            flat = _flat(text)
            self._listing_seen = self._listing_seen or any(item in flat for item in wanted)
            if not self._because and any(item in flat for item in forbidden):
                self._because = f"request {number} shows the target skill to the model"

    def _fresh(self, texts: Iterator[str], *, spoken: bool) -> Iterator[str]:
        """Texts not looked at before; short ones together, because a listing may be many small parts."""
        clean = self._clean[spoken]
        short = []
        for text in texts:
            if len(text) < LONG:
                short.append(text)
            elif (key := hash(text)) not in clean:
                clean.add(key)
                yield text
        yield "\n".join(short)

    def verdict(self) -> ArmCheck:
        """After the last request."""
        because = self._because
        promised = self._absent or self._unlisted or self._listed
        if not because and self._listed and self._requests and not self._listing_seen:
            because = "no request listed the target skill to the model"
        return ArmCheck(
            fair=not because if self._requests and promised else None,
            because=because,
            target_seen=bool(self._because) or self._listing_seen,
            listing_seen=self._listing_seen,
        )


def _of_model(turn: object) -> bool:
    if not isinstance(turn, dict):
        return False
    return turn.get("role") == "assistant" or turn.get("type") in _MODEL_ITEMS


def _strings(root: object) -> Iterator[str]:
    """Every text below `root`, keys left out, in order; a loop, because this runs over whole conversations."""
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack.extend(reversed(value.values()))
        elif isinstance(value, list):
            stack.extend(reversed(value))


def _flat(text: str) -> str:
    return " ".join(text.split())
