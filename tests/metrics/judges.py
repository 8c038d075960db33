"""Judges for tests: they read the question as a model would and answer from what stands in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aces_ci.core.asking.question import Answer, Question

Decide = Callable[[dict[str, Any], Question], Mapping[str, Any]]


def data_of(question: Question) -> dict[str, Any]:
    """The JSON between the two marked lines."""
    _, body, _ = question.user.split("===\n", 1)[0], question.user.split("===\n", 1)[1], None
    found = json.loads(body.rsplit("\n=== end", 1)[0])
    assert isinstance(found, dict)
    return found


class Court:
    """Asks `decide` each question; keeps what it was asked; may fail on some."""

    def __init__(self, decide: Decide, *, model: str = "judge-1", errors: Mapping[str, str] | None = None) -> None:
        self.decide = decide
        self.model = model
        self.errors = errors or {}
        self.asked: list[Question] = []

    def __call__(self, questions: Sequence[Question]) -> Mapping[tuple[str, int], Answer]:
        answers: dict[tuple[str, int], Answer] = {}
        for question in questions:
            self.asked.append(question)
            error = next((why for name, why in self.errors.items() if name in question.item), None)
            reply = None if error else self.decide(data_of(question), question)
            answers[question.item, question.vote] = Answer(
                item=question.item, vote=question.vote, reply=reply, error=error, model=self.model
            )
        return answers


def verdict(word: str, *quotes: tuple[int, str], reason: str = "because", injection: bool = False) -> dict[str, Any]:
    """A reply to a closed question."""
    evidence = [{"row": row, "quote": quote} for row, quote in quotes]
    return {"evidence": evidence, "reason": reason, "verdict": word, "injection_suspected": injection}


def literal(data: dict[str, Any], question: Question) -> Mapping[str, Any]:
    """Says yes where the expected answer stands in the answer or in a file, quoting it; sums up by the answer."""
    answer = next((row["answer"] for row in data["evidence"] if "answer" in row), None)
    if "end_state" in question.item:
        return {"user_goal": data["request"], "end_state": f"It ended with: {answer}"}
    expected = data.get("expected_answer")
    if expected is not None:
        for row in data["evidence"]:
            for key in ("answer", "content"):
                if expected in str(row.get(key, "")):
                    return verdict("yes", (row["row"], expected))
        return verdict("no", reason="the expected answer does not stand there")
    words = [word.strip(".,'`") for word in data["statement"].split() if len(word) > 5]
    for row in data["evidence"]:
        text = " ".join(str(value) for key, value in row.items() if key != "row")
        if words and any(word in text for word in words):
            return verdict("yes", (row["row"], next(word for word in words if word in text)))
    return verdict("no")
