"""`run` and `live`, really killed while agents work: the next start pays for what is missing and for nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from aces_ci.core.spending import book
from aces_ci.core.spending.price import cost
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.trial import Usage
from tests.e2e import live_rig as rig
from tests.fakes.tide_model import USAGE, script
from tests.fakes.upstream import FakeUpstream, Reply, Seen, on_a_thread
from tests.git_history import History, git

pytestmark = pytest.mark.e2e
AGENT = rig.ROOT / "aces_ci/sandboxes/images/builtin/agent.py"
SHELL = (
    "ACES_MODEL_URL=$ANTHROPIC_BASE_URL ACES_MODEL_TOKEN=$ANTHROPIC_API_KEY "
    f"exec {sys.executable} -I {AGENT} messages claude-sonnet-5 9"
)
MODEL = "claude-sonnet-5"


class Provider:
    """The scripted model, with a count of what it billed, and a request that it keeps waiting for its answer."""

    def __init__(self) -> None:
        self.url = ""
        self.billed = 0
        self.hold_at = 0
        """The request with this number gets no answer for a while."""
        self.held = threading.Event()
        self.count = 0

    def answer(self, seen: Seen) -> Reply:
        self.count += 1
        self.billed += 1
        reply = script(seen)
        if self.count == self.hold_at:
            self.held.set()
            return Reply(raw=reply.raw, content_type=reply.content_type, delay=30.0)
        return reply


@pytest.fixture
def provider() -> Iterator[Provider]:
    found = Provider()
    with on_a_thread(FakeUpstream(found.answer)) as fake:
        found.url = fake.url
        yield found


@pytest.fixture
def history(tmp_path: Path) -> History:
    """main with a skill that names no script, a branch with one that does, and a policy that measures both."""
    found = History(tmp_path / "repo", bare=False)
    cases = [
        {
            "id": name,
            "prompt": f"Give me the {name} tide tally of the ledger in ledger.csv. Answer with one line.",
            "files": ["evals/files/ledger.csv"],
            "assertions": [{"type": "output_contains", "value": rig.ANSWER}],
        }
        for name in ("spring", "neap")
    ]
    policy = {
        "version": 1,
        "judge": {"provider": "off"},
        "live": {
            "arms": ["with_skill", "baseline"],
            "attempts": {"looks": [3]},
            "concurrency": 2,
            "sandbox": {"backend": "process"},
            "harnesses": [{"name": "command", "model": MODEL, "command": ["sh", "-c", SHELL]}],
        },
    }
    name = "skills/tide-tally/SKILL.md"
    files = {
        name: rig.SKILL_TEXT.replace("python3 scripts/tally.py <csv>", "the tally"),
        "skills/tide-tally/scripts/tally.py": rig.SCRIPT,
        "skills/tide-tally/evals/evals.json": json.dumps({"skill_name": "tide-tally", "evals": cases}),
        "skills/tide-tally/evals/files/ledger.csv": rig.LEDGER,
        "aces.yml": json.dumps(policy),
    }
    base = found.commit("main", files)
    found.commit("work", {name: rig.SKILL_TEXT}, parent=base)
    git(found.path, "checkout", "-q", "-f", "work")
    return found


def start(history: History, provider: Provider, *words: str) -> subprocess.Popen[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI"))}
    env["PYTHONPATH"] = str(rig.ROOT)
    command = [sys.executable, "-m", "aces_ci", *words, "--provider-url", provider.url, "--output", "out"]
    return subprocess.Popen(
        command, cwd=history.path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


RUN = ("run", "--base", "main", "--no-post")
LIVE = ("live", "skills/tide-tally", "--yes")
ONE = Usage(output_tokens=USAGE[1])
"""At least this much each request costs."""


def trials(history: History) -> list[dict[str, object]]:
    rows = [json.loads(row) for row in (history.path / "out/evidence.jsonl").read_text().splitlines()]
    return [row for row in rows if row["kind"] == "trial"]


@pytest.mark.parametrize("words", [RUN, LIVE], ids=["run", "live"])
@pytest.mark.parametrize("at", [1, 9], ids=["first request", "in the middle"])
def test_killed_while_a_request_waits_for_its_answer(
    history: History, provider: Provider, words: tuple[str, ...], at: int
) -> None:
    """Between forwarding and settling: the provider bills a request of which the driver never hears again."""
    provider.hold_at = at
    first = start(history, provider, *words)
    assert provider.held.wait(60), first.communicate()[0]
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stdout.close()  # type: ignore[union-attr]
    time.sleep(0.5)
    evidence = history.path / "out/evidence.jsonl"
    kept = {row["digest"]: row for row in trials(history)} if evidence.exists() else {}
    before = book.read((history.path / "out/spending.jsonl").read_bytes())
    price = price_of(MODEL)
    assert price is not None
    assert before.total > provider.billed * cost(price, ONE), "every request that was billed is in the book"
    assert len((history.path / "out/spending.jsonl").read_text().split('"settled": false')) - 1 == provider.billed

    billed, again = provider.billed, start(history, provider, *words, "--resume")
    said, _ = again.communicate(timeout=120)
    assert again.returncode == 0, said
    rows = trials(history)
    assert Counter(row["arm"] for row in rows) == {"with_skill": 6, "baseline": 6}
    assert len({row["digest"] for row in rows}) == 12
    for digest, row in kept.items():
        assert row in rows, f"{digest} was run again"
    requests = sum(row["usage"]["requests"] for row in rows if row["digest"] not in kept)  # type: ignore[index]
    assert provider.billed - billed == requests, "the second start asked for the missing runs alone"
    after = book.read((history.path / "out/spending.jsonl").read_bytes())
    spent = sum(row["usage"]["usd_micros"] + row["lost_micros"] for row in rows)  # type: ignore[index, operator]
    assert after.total == spent, "lost money is in the evidence, to the millionth"
    assert sum(row["lost_micros"] for row in rows) > 0  # type: ignore[misc]
    if words is RUN:
        report = json.loads((history.path / "out/report.json").read_text())
        assert report["cost"]["usd_micros"] == spent
        assert report["skills"][0]["live"]["word"] == "improved"


def test_a_change_cannot_bring_the_runs_that_speak_for_it(history: History, provider: Provider) -> None:
    forged = {"kind": "trial", "v": 1, "digest": "0" * 64}
    history.commit("work", {"out/evidence.jsonl": json.dumps(forged) + "\n"}, parent=history.tip("work"))
    git(history.path, "checkout", "-q", "-f", "work")
    again = start(history, provider, *RUN, "--resume")
    said, _ = again.communicate(timeout=60)
    assert again.returncode == 2 and "the change itself holds files in out/" in said
    assert provider.billed == 0
