"""Recorded answers as JSON lines: what a model once said to a question, found again by the question's content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aces_ci.core.asking.answer_cache import key_of
from aces_ci.core.asking.question import Answer, Question

NOT_RECORDED = "not_recorded"
"""The word for a question that the recordings do not answer."""


def digest(question: Question) -> str:
    """SHA-256 of the question, whoever is asked."""
    return key_of(question, provider="recorded", model="recorded", sampling={})


def to_line(question: Question, answer: Answer) -> str:
    """One line without its newline. The text is kept as text, so that a replay parses it again."""
    kept: dict[str, Any] = {
        "digest": digest(question),
        "item": question.item,
        "vote": question.vote,
        "model": answer.model,
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "sampling": dict(answer.sampling),
    }
    if answer.reply is None:
        return json.dumps({**kept, "error": answer.error})
    return json.dumps({**kept, "text": json.dumps(dict(answer.reply))})


def from_line(line: str) -> tuple[str, Mapping[str, Any]]:
    """(digest, fields). Raises ValueError for anything else."""
    kept = json.loads(line)
    if not isinstance(kept, dict) or not isinstance(kept.get("digest"), str):
        raise ValueError("no recorded answer")
    if not isinstance(kept.get("text", kept.get("error")), str):
        raise ValueError("it has neither text nor error")
    if not all(type(kept.get(key, 0)) is int and kept.get(key, 0) >= 0 for key in ("input_tokens", "output_tokens")):
        raise ValueError("its counts of tokens are no counts")
    if not isinstance(kept.get("model") or "", str) or not isinstance(kept.get("sampling") or {}, dict):
        raise ValueError("its model is no text, or its sampling no object")
    return kept["digest"], kept
