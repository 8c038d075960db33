"""What earlier measured pushes of a change request left between runs, believed by a MAC (docs/trust.md rule 11).

Two things need it: the comment says what this push changed against the last one, and a comparison that is run again
starts from the alpha that was spent on it where the trials of the first run are gone.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from aces_ci.core.asking.answer_cache import derive

VERSION = 1
NAME = "pushes.jsonl"
"""In the output directory, beside the judge's answers; CI may save and restore it."""
LIMIT = 50_000_000
"""Bytes of the file that are read; a push of ten skills is about 20 kB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """One skill as one push of a change request measured it."""

    repo: str
    change: int
    skill: str
    head: str
    comparison: str
    """Digest over the planned trials of both arms that decide: the same question, whatever commit asks it."""
    spent: tuple[float, float]
    """Alpha that is gone on (regressed, improved) of that comparison."""
    outcomes: Mapping[str, tuple[float, ...]]
    """Outcomes of this change's runs by stratum; the key covers all that makes two pushes comparable."""
    findings: tuple[str, ...]
    """Fingerprints of the findings of the text."""


class PushMemory:
    """Lines of earlier runs, read once; and the line for a new one. Holds no file: its owner reads and appends."""

    def __init__(self, text: str, secret: str, *, trust: str) -> None:
        self._key, self._trust = derive(secret), trust
        self._pushes: list[Push] = []
        self.refused = 0
        """Lines that are torn, changed, of another key, trust class or version: each is a miss."""
        for line in text.splitlines():
            if line.strip():
                self._take(line)

    def last(self, repo: str, change: int | None, skill: str, *, head: str) -> Push | None:
        """The last push of that change request that measured the skill at another commit than `head`."""
        for push in reversed(self._pushes):
            if (push.repo, push.change, push.skill) == (repo, change, skill) and push.head != head:
                return push
        return None

    def spent(self, comparison: str) -> tuple[float, float]:
        """Alpha that earlier runs of the very same comparison used up; (0, 0) where there was none."""
        found = [push.spent for push in self._pushes if push.comparison == comparison]
        return (max(low for low, _ in found), max(high for _, high in found)) if found else (0.0, 0.0)

    def line(self, push: Push) -> str:
        """The line to keep, without a newline."""
        kept = {"kind": "push", "v": VERSION, "trust": self._trust, **asdict(push)}
        return json.dumps({**kept, "mac": self._mac(kept)}, sort_keys=True)

    def _take(self, line: str) -> None:
        try:
            kept = json.loads(line)
            good = hmac.compare_digest(kept.pop("mac"), self._mac(kept))
            good = good and (kept.pop("kind"), kept.pop("v"), kept.pop("trust")) == ("push", VERSION, self._trust)
            push = Push(**kept) if good else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            push = None
        if push is None:
            self.refused += 1
            return
        self._pushes.append(push)

    def _mac(self, kept: Mapping[str, object]) -> str:
        text = json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hmac.digest(self._key, text.encode(), "sha256").hex()
