"""Replays recorded answers, without key and without network; a question that is not recorded is an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.recording import NOT_RECORDED, digest, from_line
from aces_ci.core.asking.reply import BadReply, parse
from aces_ci.core.errors import UsageError
from aces_ci.ports.provider import Provider, ProviderOptions


class Recorded:
    """All answers of one file."""

    name = "recorded"

    def __init__(self, lines: Iterable[str], model: str) -> None:
        self.model = model
        self._answers: dict[str, Mapping[str, Any]] = {}
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                key, kept = from_line(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(
                    f"line {number} of the recordings is no recorded answer",
                    code="recordings",
                    line=number,
                    why=str(error)[:200],
                    do="record them again: aces-ci judge --record FILE",
                ) from None
            self._answers[key] = kept

    def ask(self, question: Question) -> Answer:
        """See `Provider`. Costs nothing."""
        kept = self._answers.get(digest(question))
        if kept is None:
            raise UsageError(
                f"the recordings hold no answer to {question.item}, vote {question.vote}",
                code=NOT_RECORDED,
                why="the skill, the criterion or the prompt has changed since they were recorded",
                do="record again with a key: aces-ci judge --record FILE",
            )
        fields: dict[str, Any] = {
            "item": question.item,
            "vote": question.vote,
            "model": kept.get("model") or self.model,
            "input_tokens": kept.get("input_tokens", 0),
            "output_tokens": kept.get("output_tokens", 0),
            "usd_micros": 0,
            "sampling": dict(kept.get("sampling") or {}),
        }
        if "text" not in kept:
            return Answer(error=kept["error"], **fields)
        try:
            return Answer(reply=parse(kept["text"], question.schema), **fields)
        except BadReply as error:
            return Answer(error=str(error), **fields)

    def close(self) -> None:
        """See `Provider`."""


@dataclass(frozen=True, slots=True)
class Factory:
    """`judge.provider: recorded`."""

    name: str = "recorded"
    key_variable: str | None = None
    default_model: str | None = "recorded"
    packages: tuple[str, ...] = ()

    def open(self, options: ProviderOptions) -> Provider:
        """See `ProviderFactory`."""
        return Recorded(options.recordings(), options.model)


PROVIDER = Factory()
