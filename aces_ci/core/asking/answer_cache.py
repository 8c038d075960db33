"""Answers that are kept between runs: found by content, believed by a MAC (docs/trust.md rule 11)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.reply import BadReply, checked, paired

VERSION = 1
_LABEL = b"aces-cache-v1"


def derive(secret: str) -> bytes:
    """The MAC key: HKDF-SHA256 (RFC 5869) of the provider key with an empty salt, so that whoever can ask may believe.

    A server without a key gives none: its owner derives from a secret of the machine instead, never from "".
    """
    extracted = hmac.digest(b"\0" * 32, secret.encode(), "sha256")
    return hmac.digest(extracted, _LABEL + b"\x01", "sha256")


def key_of(question: Question, *, provider: str, model: str, sampling: Mapping[str, object]) -> str:
    """SHA-256 over everything that an answer depends on; `item` carries the prompt's version."""
    parts = {
        "item": question.item,
        "system": question.system,
        "user": question.user,
        "schema": question.schema,
        "vote": question.vote,
        "max_tokens": question.max_tokens,
        "provider": provider,
        "model": model,
        "sampling": dict(sampling),
    }
    return hashlib.sha256(_canonical(parts)).hexdigest()


class AnswerCache:
    """Lines of earlier runs, read once; and the line for a new answer. Holds no file: its owner reads and appends."""

    def __init__(self, text: str, secret: str, *, trust: str) -> None:
        self._key = derive(secret)
        self._trust = trust
        self._answers: dict[str, dict[str, Any]] = {}
        self._samplings: dict[tuple[str, str], list[Mapping[str, object]]] = {}
        self.refused = 0
        """Lines that are torn, of another key, trust class or version, or changed: each is a miss."""
        for line in text.splitlines():
            if line.strip():
                self._take(line)

    def find(self, question: Question, *, provider: str, model: str) -> Answer | None:
        """The answer to an equal question of that model, under whatever sampling it once accepted."""
        for sampling in self._samplings.get((provider, model), ()):
            kept = self._answers.get(key_of(question, provider=provider, model=model, sampling=sampling))
            if kept is not None and (answer := _usable(question, kept["answer"])) is not None:
                return answer
        return None

    def line(self, question: Question, answer: Answer, *, provider: str, model: str) -> str | None:
        """The line to keep, without a newline; None for an error, which is asked again next time."""
        if answer.reply is None:
            return None
        kept = {
            "v": VERSION,
            "key": key_of(question, provider=provider, model=model, sampling=answer.sampling),
            "trust": self._trust,
            "provider": provider,
            "model": model,
            "answer": {
                "reply": dict(answer.reply),
                "model": answer.model,
                "input_tokens": answer.input_tokens,
                "output_tokens": answer.output_tokens,
                "usd_micros": answer.usd_micros,
                "sampling": dict(answer.sampling),
            },
        }
        return json.dumps({**kept, "mac": self._mac(kept)}, sort_keys=True)

    def _take(self, line: str) -> None:
        try:
            kept = json.loads(line)
            mac = kept.pop("mac")
            good = hmac.compare_digest(mac, self._mac(kept)) and kept["v"] == VERSION and kept["trust"] == self._trust
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            good = False
        if not good:
            self.refused += 1
            return
        self._answers[kept["key"]] = kept
        known = self._samplings.setdefault((kept["provider"], kept["model"]), [])
        if kept["answer"]["sampling"] not in known:
            known.append(kept["answer"]["sampling"])

    def _mac(self, kept: Mapping[str, Any]) -> str:
        return hmac.digest(self._key, _canonical(kept), "sha256").hex()


def _usable(question: Question, kept: Mapping[str, Any]) -> Answer | None:
    """What a line says as an answer; None where it does not fit the question: an older version may have kept it."""
    try:
        reply, model = checked(kept["reply"], question.schema), paired(kept["model"])
        return Answer(item=question.item, vote=question.vote, cached=True, **{**kept, "reply": reply, "model": model})
    except (BadReply, KeyError, TypeError, AttributeError):
        return None


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()
