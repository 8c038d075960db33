"""Our trajectories before Harbor's own models, and our reader beside its validator: the same documents pass."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.trace.file import inspect, write
from tests.traces.test_atif import document, step
from tests.traces.test_chain import conversation, trace
from tests.traces.test_converters import CONVERTERS, RUNS, log

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".cache/harbor/bin/python"
VERSIONS = [f"ATIF-v1.{minor}" for minor in range(9)]
IMAGE = {"type": "image", "source": {"media_type": "image/png", "path": "https://example.com/a.png"}}
BROKEN: dict[str, dict[str, Any]] = {
    "a step out of order": document(steps=[step(step_id=2)]),
    "a gap between steps": document(steps=[step(), step(step_id=3)]),
    "a user who calls a tool": document(steps=[step(source="user", tool_calls=[])]),
    "a user with metrics": document(steps=[step(source="user", metrics={})]),
    "a system that reasons": document(steps=[step(source="system", reasoning_content="x")]),
    "a user with a model": document(steps=[step(source="user", model_name="m")]),
    "no time": document(steps=[step(timestamp="yesterday")]),
    "a result of no call": document(steps=[step(observation={"results": [{"source_call_id": "zz"}]})]),
    "an image without a source": document(steps=[step(message=[{"type": "image", "text": "x"}])]),
    "a text without a text": document(steps=[step(message=[{"type": "text"}])]),
    "no steps": document(steps=[]),
    "an agent without a version": document(agent={"name": "a"}),
    "another source": document(steps=[{"step_id": 1, "source": "robot", "message": ""}]),
    "a key of nobody's": document(odd=1),
    "another version": document(schema_version="ATIF-v1.9"),
}


@pytest.fixture(scope="module", autouse=True)
def harbor() -> None:
    if not PYTHON.exists():
        pytest.skip("Harbor's models need Python 3.12 or newer, and tools/setup-e2e found none")


def told(documents: Sequence[bytes]) -> list[list[str]]:
    """Harbor's errors of each document."""
    lines = b"".join(json.dumps(json.loads(item)).encode() + b"\n" for item in documents)
    script = Path(__file__).with_name("harbor_says.py")
    done = subprocess.run([PYTHON, "-I", script], input=lines, capture_output=True, check=True, timeout=120)
    return [json.loads(row) for row in done.stdout.splitlines()]


def faults(documents: dict[str, bytes]) -> dict[str, list[str]]:
    answers = told(list(documents.values()))
    assert len(answers) == len(documents)
    return {name: errors for name, errors in zip(documents, answers, strict=True) if errors}


def test_trajectories_from_the_gateway_are_harbors() -> None:
    found = {protocol.value: trace(conversation(protocol)).trajectory for protocol in Protocol}
    assert faults({name: write(item) for name, item in found.items() if item is not None}) == {}
    assert None not in found.values()


def test_every_recorded_run_becomes_a_trajectory_of_harbors() -> None:
    written = {}
    for harness, run in RUNS:
        found = CONVERTERS[harness].convert(log(harness, run)) if harness in CONVERTERS else None
        if found is not None:
            written[f"{harness}/{run}"] = write(found)
    assert len(written) > 50
    assert faults(written) == {}


def test_harbors_models_read_every_version_that_we_read() -> None:
    """What we read of any version and write as ours passes there as well."""
    given = {version: json.dumps(document(schema_version=version)).encode() for version in VERSIONS}
    assert faults(given) == {}
    again = {version: inspect(data).trajectory for version, data in given.items()}
    assert faults({version: write(item) for version, item in again.items() if item is not None}) == {}
    assert None not in again.values()


@pytest.mark.parametrize("name", BROKEN)
def test_what_harbor_refuses_we_refuse(name: str) -> None:
    data = json.dumps(BROKEN[name]).encode()
    assert told([data])[0], "Harbor accepts it: the example is not broken"
    assert not inspect(data).valid


def test_images_pass_both() -> None:
    data = json.dumps(document(schema_version="ATIF-v1.6", steps=[step(message=[IMAGE])])).encode()
    assert inspect(data).valid and told([data]) == [[]]
