"""A provider in this process, a skill to judge and an asker, for tests that need no wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aces_ci.core.asking.answer_cache import AnswerCache
from aces_ci.core.asking.exhibit import Exhibit, exhibit
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.spending.price import Price
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.purse import Purse

SECRET = "sk-canary-0123456789abcdef"
PRICE = Price(model="*", input=1_000, output=1_000, cache_read=100, cache_write=1_000)
TEXT = """---
name: log-triage
description: Finds the cause of an outage in logs. Use when a service is down.
---
# Log triage

1. List the files in `logs/` once.
2. Read the newest file first.
"""
QUOTE = "Read the newest file first."


def reply(question: Question, score: int = 8, **changes: Any) -> dict[str, Any]:
    """A well-formed opinion on whatever is asked."""
    return {
        "criterion": question.item.split("/")[1].split("@")[0],
        "path": "SKILL.md",
        "line": 8,
        "quote": QUOTE,
        "searched": "",
        "reason": "the steps are exact",
        "fix": "",
        "score": score,
        "pass": score >= 7,
        "injection_suspected": False,
        **changes,
    }


class Scripted:
    """Answers from a function; counts."""

    name = "scripted"
    model = "scripted-1"

    def __init__(
        self, say: Callable[[Question], Mapping[str, Any] | str] = reply, usd_micros: int | None = 100
    ) -> None:
        self.say, self.usd_micros = say, usd_micros
        self.asked: list[Question] = []
        self.closed = False

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        said = self.say(question)
        fields: dict[str, Any] = {
            "item": question.item,
            "vote": question.vote,
            "model": "scripted-1-0",
            "input_tokens": 90,
            "output_tokens": 10,
            "usd_micros": self.usd_micros,
            "sampling": {"temperature": 0},
        }
        return Answer(error=said, **fields) if isinstance(said, str) else Answer(reply=said, **fields)

    def close(self) -> None:
        self.closed = True


def an_asker(
    provider: Scripted,
    *,
    kept: list[str] | None = None,
    cap: int | None = None,
    secret: str = SECRET,
    trust: str = "own",
    price: Price | None = PRICE,
    concurrency: int = 1,
) -> Asker:
    """An asker whose cache lines go to `kept`, and come from it."""
    lines = [] if kept is None else kept
    return Asker(
        provider=provider,
        purse=Purse(cap),
        price=price,
        cache=AnswerCache("\n".join(lines), secret, trust=trust),
        keep=lines.append,
        concurrency=concurrency,
    )


def a_file(text: str) -> SkillFile:
    data = text.encode("utf-8", "surrogateescape")
    return SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)


def an_exhibit(text: str = TEXT, *, side: str = "head", findings: tuple[str, ...] = (), **files: str) -> Exhibit:
    """A skill with a manifest; `scripts__a_py="…"` is a file beside it."""
    named = {key.replace("__", "/").replace("_py", ".py").replace("_md", ".md"): value for key, value in files.items()}
    return exhibit(
        skill="skills/log-triage",
        side=side,
        manifest="SKILL.md",
        files={"SKILL.md": a_file(text), **{path: a_file(value) for path, value in named.items()}},
        findings=findings,
    )
