"""A model on loopback that judges by a script, over all three protocols; and how it misbehaves when told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.fakes.upstream import FakeUpstream, Reply, Seen, on_a_thread

Judge = Callable[[str, int, str], dict[str, Any] | str]
"""(criterion, vote, first quotable line of the manifest) to the reply's object, or to its text."""
MODEL = "judge-1-2026-11-01"


def asked(seen: Seen) -> tuple[str, int, str]:
    """Criterion, vote and a line worth quoting of one request."""
    prompt = prompt_of(seen.body)
    criterion = re.findall(r"^Criterion `(\w+)`", prompt, re.M)[-1]
    vote = int(re.findall(r"^Independent reading (\d)", prompt, re.M)[-1])
    data = json.loads(prompt.split("===\n", 1)[1].split("\n=== end", 1)[0])
    lines = [line.split("| ", 1)[-1] for line in data["files"][0]["text"].split("\n")]
    quotable = next((line for line in lines if len(line) > 20 and not line.startswith(("name:", "---"))), "")
    return criterion, vote, quotable


def prompt_of(body: dict[str, Any]) -> str:
    """The user's text in any of the protocols."""
    if "input" in body:
        return str(body["input"])
    content = body["messages"][-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def opinion(criterion: str, quote: str, score: int, **changes: Any) -> dict[str, Any]:
    """A well-formed reply."""
    return {
        "criterion": criterion,
        "path": "SKILL.md",
        "line": 1,
        "quote": quote,
        "searched": "",
        "reason": f"it is a {score}",
        "fix": "Say it once.",
        "score": score,
        "pass": score >= 7,
        "injection_suspected": False,
        **changes,
    }


def steady(score: int = 8) -> Judge:
    """Always the same score."""
    return lambda criterion, vote, quote: opinion(criterion, quote[:60], score)


class JudgeModel:
    """The server in a thread. `script` outranks `judge` where it returns a reply."""

    def __init__(self, judge: Judge | None = None) -> None:
        self.judge = judge or steady()
        self.script: Callable[[Seen], Reply | None] = lambda seen: None
        self.upstream = FakeUpstream(self._reply)

    @property
    def url(self) -> str:
        """Address without a path."""
        return self.upstream.url

    @property
    def seen(self) -> list[Seen]:
        """Every request so far."""
        return self.upstream.seen

    def _reply(self, seen: Seen) -> Reply:
        forced = self.script(seen)
        if forced is not None:
            return forced
        said = self.judge(*asked(seen))
        text = said if isinstance(said, str) else json.dumps(said)
        return Reply(text=text, usage=(1_000, 100, 0, 0), model=MODEL)

    @contextmanager
    def running(self) -> Iterator[JudgeModel]:
        """Serve until the block ends."""
        with on_a_thread(self.upstream):
            yield self
