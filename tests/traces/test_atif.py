"""ATIF 1.0 to 1.8 in, 1.7 out; every fault told with its place."""

from __future__ import annotations

import json
from typing import Any

import atif
import pytest
from pydantic import ValidationError

from aces_ci.core.errors import UsageError
from aces_ci.core.trace.file import inspect, read, write


def document(**changes: Any) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "schema_version": "ATIF-v1.7",
        "session_id": "s",
        "agent": {"name": "a", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "user", "message": "hi"},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "tool_calls": [{"tool_call_id": "c", "function_name": "Bash", "arguments": {"command": "ls"}}],
                "observation": {"results": [{"source_call_id": "c", "content": "x"}]},
            },
        ],
    }
    whole.update(changes)
    return whole


def step(**changes: Any) -> dict[str, Any]:
    return {"step_id": 1, "source": "agent", "message": "m", **changes}


def faults(value: object) -> list[tuple[str, bool]]:
    return [(fault.pointer, fault.error) for fault in inspect(json.dumps(value).encode()).faults]


@pytest.mark.parametrize("minor", range(9))
def test_every_version_is_read(minor: int) -> None:
    reading = inspect(json.dumps(document(schema_version=f"ATIF-v1.{minor}")).encode())
    assert reading.valid and reading.faults == ()


@pytest.mark.parametrize("version", ["ATIF-v1.9", "ATIF-v2.0", "1.7"])
def test_an_unknown_version_is_refused(version: str) -> None:
    assert not inspect(json.dumps(document(schema_version=version)).encode()).valid


@pytest.mark.parametrize(
    ("steps", "pointer"),
    [
        ([step(step_id=2)], "/steps/0/step_id"),
        ([step(), step(step_id=3)], "/steps/1/step_id"),
        ([step(source="user", tool_calls=[])], "/steps/0/tool_calls"),
        ([step(source="user", metrics={})], "/steps/0/metrics"),
        ([step(source="system", reasoning_content="x")], "/steps/0/reasoning_content"),
        ([step(source="user", model_name="m")], "/steps/0/model_name"),
        ([step(llm_call_count=0, metrics={})], "/steps/0/metrics"),
        ([step(timestamp="yesterday")], "/steps/0/timestamp"),
        ([step(observation={"results": [{"source_call_id": "zz"}]})], "/steps/0/observation/results/0/source_call_id"),
        ([step(message=[{"type": "image", "text": "x"}])], "/steps/0/message/0"),
        ([step(message=[{"type": "text"}])], "/steps/0/message/0"),
        (
            [step(message=[{"type": "image", "source": {"media_type": "image/bmp", "path": "a"}}])],
            "/steps/0/message/0/source/media_type",
        ),
        (
            [step(observation={"results": [{"subagent_trajectory_ref": [{"session_id": "x"}]}]})],
            "/steps/0/observation/results/0/subagent_trajectory_ref/0",
        ),
    ],
)
def test_a_broken_rule_is_an_error_at_its_place(steps: list[Any], pointer: str) -> None:
    assert (pointer, True) in faults(document(steps=steps))


def test_all_faults_are_told_at_once() -> None:
    steps = [step(step_id=5, source="user", model_name="m"), step(step_id=9, timestamp="no")]
    assert len([found for found in faults(document(steps=steps)) if found[1]]) == 4


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"steps": []}, "/steps"),
        ({"agent": {"name": "a"}}, "/agent/version"),
        ({"steps": [{"step_id": 1, "source": "robot", "message": ""}]}, "/steps/0/source"),
    ],
)
def test_a_wrong_shape_is_told_with_its_pointer(change: dict[str, Any], pointer: str) -> None:
    assert any(found[0] == pointer for found in faults(document(**change)))


def test_fields_of_a_later_version_are_warnings() -> None:
    early = document(schema_version="ATIF-v1.4", trajectory_id="t")
    assert ("/trajectory_id", False) in faults(early)
    assert inspect(json.dumps(early).encode()).valid


CALL = {"tool_call_id": "c", "function_name": "f", "arguments": {}}


@pytest.mark.parametrize(
    ("pointer", "change"),
    [
        ("/odd", {"odd": 1}),
        ("/agent/odd", {"agent": {"name": "a", "version": "1", "odd": 1}}),
        ("/steps/0/odd", {"steps": [step(odd=1)]}),
        ("/steps/0/tool_calls/0/odd", {"steps": [step(tool_calls=[{**CALL, "odd": 1}])]}),
        ("/steps/0/observation/results/0/is_error", {"steps": [step(observation={"results": [{"is_error": True}]})]}),
        ("/steps/0/metrics/odd", {"steps": [step(metrics={"odd": 1})]}),
        ("/final_metrics/odd", {"final_metrics": {"odd": 1}}),
    ],
)
def test_a_key_that_the_public_validator_forbids_is_not_valid_and_is_read_all_the_same(
    pointer: str, change: dict[str, Any]
) -> None:
    data = json.dumps(document(**change)).encode()
    with pytest.raises(ValidationError):
        atif.Trajectory.model_validate_json(data)
    assert faults(document(**change)) == [(pointer, True)] and not inspect(data).valid
    assert inspect(write(read(data, source="t.json"))).faults == ()


def test_the_writer_leaves_out_what_the_public_validator_forbids() -> None:
    sound = {"type": "audio", "source": {"media_type": "audio/wav", "path": "a.wav"}}
    whole = document(schema_version="ATIF-v1.8", unheard_of=1, steps=[step(message=[sound])])
    found = inspect(json.dumps(whole).encode())
    assert found.trajectory is not None
    written = json.loads(write(found.trajectory))
    assert written["schema_version"] == "ATIF-v1.7"
    assert "unheard_of" not in written
    assert written["steps"][0]["message"] == [{"type": "text", "text": "[audio: a.wav]"}]


def test_a_reference_that_names_a_session_only_is_resolved_to_the_embedded_child() -> None:
    child = {**document(), "trajectory_id": "kid", "session_id": "child-session"}
    result = {"subagent_trajectory_ref": [{"session_id": "child-session"}, {"session_id": "gone"}]}
    whole = document(
        schema_version="ATIF-v1.6",
        steps=[step(observation={"results": [result]})],
        subagent_trajectories=[child],
    )
    found = read(json.dumps(whole).encode(), source="t.json")
    written = json.loads(write(found))
    kept = written["steps"][0]["observation"]["results"][0]
    assert [ref["trajectory_id"] for ref in kept["subagent_trajectory_ref"]] == ["kid"]
    assert kept["extra"] == {"subagent_sessions": ["gone"]}
    assert inspect(write(found)).valid


def test_reading_what_was_written_gives_the_same() -> None:
    found = read(json.dumps(document()).encode(), source="t.json")
    assert read(write(found), source="t.json") == found
    assert write(read(write(found), source="t.json")) == write(found)


def test_a_bad_document_is_one_clear_error() -> None:
    with pytest.raises(UsageError) as error:
        read(json.dumps(document(steps=[step(step_id=7)])).encode(), source="bad.json")
    assert error.value.path == "bad.json"
    assert error.value.at == "/steps/0/step_id"
    assert "trace validate" in (error.value.do or "")


def test_surrogates_and_depth_do_not_crash_the_reader() -> None:
    assert not inspect(b'{"steps": ' + b"[" * 100_000).valid
    assert not inspect(b"\xff\xfe").valid
    assert not inspect(b"null").valid
