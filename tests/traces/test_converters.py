"""Every recorded run of five CLIs becomes a valid trajectory that is graded end to end, without a key."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import atif
import pytest

from aces_ci import compose, plugins
from aces_ci.core.trace.file import inspect, write
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.ports.converter import Converter, Log
from aces_ci.tiers.grade import grade
from tests.traces import snippets

SHARED = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
CONVERTERS: dict[str, Converter] = {
    each.name: each  # type: ignore[attr-defined,misc]
    for each in plugins.load("converters", "CONVERTER", "name")
}
METRICS = plugins.load("metrics", "METRIC", "name")
RUNS = sorted((folder.parent.name, folder.name) for folder in SHARED.glob("*/*") if (folder / "stdout.jsonl").is_file())
CASE = snippets.case(
    prompt="Give me the quartz report of ledger.csv. Answer with one line.",
    expected_skill="quartz-report",
    trigger=True,
    expected_script="scripts/quartz.py",
    checks=[{"kind": "equals", "args": {"value": "QUARTZ-TOTAL 7"}}],
)
SILENT = {
    ("opencode", "d-api-500"), ("opencode", "d-connection-refused"), ("gemini-cli", "d-no-key"),
    ("qwen-code", "d-no-key"),
}  # fmt: skip
"""Runs that ended before the CLI wrote anything by which it could be known."""


def log(harness: str, run: str, *, session: bool = True) -> Log:
    folder = SHARED / harness / run
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.glob("session/**/*"))
        if path.is_file() and session
    }
    return Log(stdout=(folder / "stdout.jsonl").read_bytes(), files=files, prompt=CASE.prompt)


def values(trajectory: Trajectory, arm: str = "with_skill") -> dict[str, float | None]:
    trial = snippets.trial(arm, skill="skills/quartz-report")
    return {each.metric: each.value for each in grade(trial, trajectory, CASE, None, METRICS, None)}  # type: ignore[arg-type]


def test_all_five_clis_are_there() -> None:
    assert {harness for harness, _ in RUNS} == {"claude-code", "codex", "gemini-cli", "opencode", "qwen-code"}
    assert len(RUNS) >= 60


def test_the_page_of_harnesses_names_every_log_that_is_read(root: Path) -> None:
    page = (root / "docs/harnesses.md").read_text(encoding="utf-8").replace("\n", " ")
    (sentence,) = re.findall(r"`aces-ci trace convert` reads the logs of ([^;]*);", page)
    assert sorted(re.findall(r"`([\w-]+)`", sentence)) == sorted(converter.name for converter in compose.converters())


@pytest.mark.parametrize(("harness", "run"), RUNS)
def test_a_recorded_run_is_converted_and_graded(harness: str, run: str) -> None:
    found = CONVERTERS[harness].convert(log(harness, run))
    assert found is not None, "the prompt alone makes a step"
    document = write(found)
    assert inspect(document).valid
    assert inspect(document).faults == ()
    assert found.aces["origin"] == "log"
    agent = [step for step in found.steps if step.source == "agent"]
    assert bool(agent) is (not run.startswith("d-") or "midrun" in run or (run == "d-no-key" and harness == "opencode"))
    graded = values(found, "baseline" if "baseline" in run else "with_skill")
    if run in {"a-with-skill", "c-tool-failure", "g-stdin-prompt", "docker-unix", "k-thinking-flag"}:
        assert graded["outcome"] == graded["skill_execution"] == graded["security"] == 1.0
        assert graded["skill_efficiency"] == 1.0
    elif run == "b-baseline":
        assert graded["outcome"] == 0.0
        assert graded["skill_execution"] == 0.0
        assert graded["skill_use_trigger"] is None


@pytest.mark.parametrize(("harness", "run"), [each for each in RUNS if each[1] == "a-with-skill"])
def test_output_alone_and_session_give_the_same_scores(harness: str, run: str) -> None:
    whole = CONVERTERS[harness].convert(log(harness, run))
    alone = CONVERTERS[harness].convert(log(harness, run, session=False))
    assert whole is not None and alone is not None
    assert values(whole) == values(alone)


@pytest.mark.parametrize(("harness", "run"), [each for each in RUNS if each[1] == "c-tool-failure"])
def test_a_failed_command_carries_its_exit_code_in_every_harness(harness: str, run: str) -> None:
    found = CONVERTERS[harness].convert(log(harness, run))
    assert found is not None
    codes = [
        (result.extra or {}).get("exit_code")
        for step in found.steps
        if step.observation
        for result in step.observation.results
    ]
    assert [code for code in codes if code is not None][-2:] == [2, 0]


@pytest.mark.parametrize(("harness", "run"), RUNS)
def test_a_log_is_claimed_by_its_own_converter_and_no_other(harness: str, run: str) -> None:
    claiming = [name for name, converter in CONVERTERS.items() if converter.claims(log(harness, run))]
    assert claiming == ([] if (harness, run) in SILENT else [harness])


@pytest.mark.parametrize("harness", sorted({harness for harness, _ in RUNS}))
def test_a_torn_log_never_crashes_and_says_what_was_lost(harness: str) -> None:
    whole = log(harness, "c-tool-failure", session=False).stdout
    lengths = [*range(0, len(whole), max(1, len(whole) // 40)), len(whole) - 3]
    for length in lengths:
        torn = whole[:length]
        found = CONVERTERS[harness].convert(Log(stdout=torn, prompt="x"))
        assert found is not None
        assert inspect(write(found)).valid
        last = torn.rsplit(b"\n", 1)[-1]
        if last.startswith(b"{") and not _whole(last):
            assert any("cut off" in sentence for sentence in found.aces["lost"])


DEEP = b'{"type": "assistant", "message": {"id": "m", "content": %s}}\n'


@pytest.mark.parametrize("harness", sorted(CONVERTERS))
@pytest.mark.parametrize(
    "damage",
    [
        b"\x00\xff\xfe not text",
        b"[1, 2, 3]\n",
        b'{"type": "assistant", "message": {"id": 7, "content": 9}}\n{"type": "tool_use"}\n{"type": "user"}\n',
        b'{"type": "response_item", "payload": {"type": "function_call", "arguments": "{", "name": null}}\n',
        b'{"type": "tool_use", "part": {"messageID": "m", "type": "tool", "state": 4, "callID": null}}\n',
        b'{"$set": {"messages": [1, null, {"id": "a", "type": "gemini", "toolCalls": [3]}]}, "projectHash": 1}\n',
        b'{"type": "assistant", "provenance": 1, "uuid": 2, "message": {"parts": [null, {"text": {"a": 1}}]}}\n',
        b'{"type": "tool_call", "call_id": [], "subtype": "started", "tool_call": []}\n',
        b'{"type": "result", "total_cost_usd": "NaN", "usage": NaN}\n',
        b'{"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "\\ud800"}]}}\n',
        b"{" * 100_000,
        DEEP % (b"[" * 900 + b"]" * 900),
        DEEP % (b'[{"type": "tool_use", "id": "c", "name": "n", "input": %s}]' % (b'{"a":' * 400 + b"1" + b"}" * 400)),
    ],
)
def test_damaged_logs_are_read_as_far_as_they_go(harness: str, damage: bytes) -> None:
    found = CONVERTERS[harness].convert(Log(stdout=damage, files={"x.jsonl": damage}, prompt="the task"))
    assert found is not None
    assert inspect(write(found)).valid


def test_an_api_error_is_no_answer_of_the_agent() -> None:
    assert len([run for _, run in RUNS if run.startswith("d-api-")]) > 3
    for harness, run in RUNS:
        if run in {"d-api-400", "d-api-500", "d-api-429", "d-api-401"}:
            found = CONVERTERS[harness].convert(log(harness, run))
            assert found is not None
            assert found.answer is None, (harness, run)


def test_claude_codes_output_tokens_come_from_the_session_because_the_stream_has_the_start_only() -> None:
    whole = CONVERTERS["claude-code"].convert(log("claude-code", "a-with-skill"))
    alone = CONVERTERS["claude-code"].convert(log("claude-code", "a-with-skill", session=False))
    assert whole is not None and alone is not None and whole.final_metrics and alone.final_metrics
    assert whole.final_metrics.total_completion_tokens == 126
    assert alone.final_metrics.total_completion_tokens is None


@pytest.mark.parametrize(
    ("kind", "code", "known"),
    [
        ("CommandExecution", 3, 3),
        ("CommandExecution", "3", None),
        ("CommandExecution", None, None),
        ("Reasoning", 3, None),
    ],
)
def test_codex_tells_an_exit_code_of_a_command_as_a_number_or_not_at_all(
    kind: str, code: object, known: int | None
) -> None:
    rows = [
        {"type": "session_meta", "payload": {"id": "s"}},
        {
            "type": "response_item",
            "payload": {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"},
        },
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": "done"}},
        {"type": "event_msg", "payload": {"item": {"type": kind, "id": "c", "exit_code": code}}},
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    found = CONVERTERS["codex"].convert(Log(stdout=b"", files={"session/sessions/rollout-x.jsonl": data}, prompt="x"))
    assert found is not None
    (result,) = [item for step in found.steps if step.observation for item in step.observation.results]
    assert (result.extra or {}).get("exit_code") == known
    assert known is not None or "exit_code" not in (result.extra or {})


CURSOR = [
    ({"success": {"stdout": "7", "exitCode": 0}}, "7", {"is_error": False, "exit_code": 0}),
    ({"success": {"stdout": "7", "stderr": "slow", "exitCode": 3}}, "7\nslow", {"is_error": True, "exit_code": 3}),
    ({"success": {"content": "# Quartz"}}, "# Quartz", {"is_error": False}),
    ({"failure": {"stderr": "no", "exitCode": 1}}, "no", {"is_error": True, "exit_code": 1}),
    ({"error": {"errorMessage": "no such file"}}, "no such file", {"is_error": True}),
    ({"rejected": {"message": "not allowed"}}, "not allowed", {"is_error": True}),
]


@pytest.mark.parametrize(("result", "shown", "extra"), CURSOR)
def test_cursors_documented_events_are_turns_calls_and_results(
    result: dict[str, Any], shown: str, extra: dict[str, Any]
) -> None:
    call = {"shellToolCall": {"args": {"command": "cat ledger.csv"}}}
    done = {"shellToolCall": {"args": {"command": "cat ledger.csv"}, "result": result}}
    rows = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "permissionMode": "default"},
        {"type": "user", "message": {"content": [{"type": "text", "text": "Total it."}]}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look."}]}, "timestamp_ms": 1e12},
        {"type": "tool_call", "subtype": "started", "call_id": "c", "tool_call": call},
        {"type": "tool_call", "subtype": "completed", "call_id": "c", "tool_call": done},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "7"}]}},
        {"type": "result", "is_error": True, "result": "cut"},
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    made = Log(stdout=data, files={}, prompt="Total it.")
    assert CONVERTERS["cursor"].claims(made)
    found = CONVERTERS["cursor"].convert(made)
    assert found is not None and inspect(write(found)).valid
    assert [(step.source, step.message) for step in found.steps] == [
        ("user", "Total it."), ("agent", "I look."), ("agent", "7"),
    ]  # fmt: skip
    (asked,) = found.steps[1].tool_calls or ()
    assert (asked.function_name, asked.arguments) == ("shellToolCall", {"command": "cat ledger.csv"})
    assert found.steps[1].timestamp == "2001-09-09T01:46:40.000Z"
    (told,) = [item for step in found.steps if step.observation for item in step.observation.results]
    assert (told.content, told.extra) == (shown, extra)
    assert found.aces["api_error"] == "cut"


def test_harbors_own_documents_are_read_and_graded_alike() -> None:
    graded = 0
    for path in sorted(SHARED.glob("*/*/harbor-*.trajectory.json")):
        reading = inspect(path.read_bytes())
        assert reading.valid, (path, reading.faults)
        assert reading.trajectory is not None
        assert inspect(write(reading.trajectory)).valid
        if path.parent.name not in {"c-tool-failure", "g-stdin-prompt"}:
            continue
        ours = CONVERTERS[path.parent.parent.name].convert(log(path.parent.parent.name, path.parent.name))
        assert ours is not None
        theirs = values(reading.trajectory)
        for metric in ("outcome", "security", "skill_execution", "skill_efficiency"):
            if path.parent.parent.name == "qwen-code" and metric == "skill_execution":
                continue  # Harbor's converter lost the failed command's output, and with it the failure
            assert theirs[metric] == values(ours)[metric], (path, metric)
        graded += 1
    assert graded >= 8


def _whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(("harness", "run"), RUNS)
def test_no_usage_that_another_reader_of_the_same_log_finds_is_lost(harness: str, run: str) -> None:
    found = CONVERTERS[harness].convert(log(harness, run))
    for path in (SHARED / harness / run).glob("harbor-*.trajectory.json"):
        theirs = json.loads(path.read_text()).get("final_metrics") or {}
        assert found is not None
        ours = found.final_metrics
        for name in ("total_prompt_tokens", "total_completion_tokens"):
            counted = (getattr(ours, name) if ours else None) or 0
            assert counted >= (theirs.get(name) or 0), name
            steps = sum(getattr(step.metrics, name.removeprefix("total_")) or 0 for step in found.steps if step.metrics)
            assert counted == steps, "totals are the sum of the steps"


@pytest.mark.parametrize(("harness", "run"), RUNS)
def test_what_we_write_is_valid_to_independent_models_of_the_format(harness: str, run: str) -> None:
    found = CONVERTERS[harness].convert(log(harness, run))
    assert found is not None
    atif.Trajectory.model_validate_json(write(found))


@pytest.mark.parametrize("harness", ["codex", "gemini-cli", "qwen-code"])
def test_a_call_that_a_kill_left_without_a_result_stays_and_is_told(harness: str) -> None:
    found = CONVERTERS[harness].convert(log(harness, "e-timeout-sigterm"))
    assert found is not None
    open_calls = [
        call.function_name
        for step in found.steps
        for call in step.tool_calls or ()
        if not step.observation or call.tool_call_id not in {each.source_call_id for each in step.observation.results}
    ]
    told = [sentence for sentence in found.aces.get("lost", ()) if sentence.startswith("the result of ")]
    assert len(open_calls) == len(told) == 1


WRONG: tuple[object, ...] = (
    None, True, 0, -1, 3.7, 10**40, "", "not a time", "2026-99-99T00:00:00Z", "\ud800", "x" * 300, '{"a": 1e999}', [],
    {}, [[]], [None], {"a": None}, {"type": 5}, {"type": []}, [{"type": {}}], {"text": ["a"]},
)  # fmt: skip
ENDLESS = "0.123456789e-7"
"""Stands for a number beyond all others, which JSON can spell and no program can hold."""


def spoil(data: bytes, dice: random.Random) -> bytes:
    """One value in a line or two is of another kind than the CLI ever wrote."""
    rows = data.split(b"\n")
    for number in dice.sample(range(len(rows)), min(len(rows), 2)):
        try:
            value = json.loads(rows[number])
        except ValueError:
            continue
        places = list(inside(value))
        for holder, key in dice.sample(places, min(len(places), 2)):
            holder[key] = dice.choice((*WRONG, float(ENDLESS)))
        rows[number] = json.dumps(value).replace(json.dumps(float(ENDLESS)), "1e999").encode()
    return b"\n".join(rows)


def inside(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield value, key
        yield from inside(item)


@pytest.mark.parametrize("harness", sorted({harness for harness, _ in RUNS}))
def test_no_value_in_a_log_breaks_its_reader_whatever_kind_it_is_of(harness: str) -> None:
    """The agent can write its log itself."""
    dice = random.Random(20261130)
    runs = [run for name, run in RUNS if name == harness]
    for _ in range(120):
        whole = log(harness, dice.choice(runs))
        files = {name: spoil(data, dice) for name, data in whole.files.items() if name.endswith((".jsonl", ".json"))}
        found = CONVERTERS[harness].convert(Log(stdout=spoil(whole.stdout, dice), files=files, prompt=CASE.prompt))
        if found is not None:
            assert inspect(write(found)).valid


BROKEN_ROWS = [
    ("codex", {"type": "event_msg", "payload": {"type": []}}),
    ("codex", {"type": "item.completed", "item": {"type": "command_execution", "id": "a", "status": {}}}),
    (
        "opencode",
        {"type": "tool_use", "part": {"messageID": "m", "type": "tool", "callID": "c", "state": {"status": []}}},
    ),
    ("cursor", {"type": [], "subtype": {}}),
]


@pytest.mark.parametrize(("harness", "row"), BROKEN_ROWS)
def test_a_kind_that_is_no_word_is_passed_over(harness: str, row: dict[str, Any]) -> None:
    data = json.dumps(row).encode() + b"\n"
    for files in ({}, {"session/rollout-x.jsonl": data, "session/sessions/rollout-x.jsonl": data}):
        CONVERTERS[harness].convert(Log(stdout=data, files=files, prompt=CASE.prompt))


def test_a_time_that_is_none_is_left_out_and_told() -> None:
    whole = log("claude-code", "a-with-skill")
    files = {name: re.sub(rb'"timestamp":"[^"]*"', b'"timestamp":"soon"', data) for name, data in whole.files.items()}
    stdout = re.sub(rb'"timestamp":"[^"]*"', b'"timestamp":"soon"', whole.stdout)
    found = CONVERTERS["claude-code"].convert(Log(stdout=stdout, files=files, prompt=CASE.prompt))
    assert found is not None and inspect(write(found)).valid
    assert not any(step.timestamp for step in found.steps)
    assert any(re.fullmatch(r"the time of \d+ of \d+ steps, which is none", row) for row in found.aces["lost"])


def test_prices_that_add_up_to_no_number_are_left_out_of_the_document() -> None:
    found = CONVERTERS["claude-code"].convert(log("claude-code", "a-with-skill"))
    assert found is not None and found.final_metrics is not None
    endless = found.final_metrics.model_copy(update={"total_cost_usd": float("inf")})
    changed = found.model_copy(update={"final_metrics": endless, "extra": {"cost": float("-inf")}})
    document = json.loads(write(changed), parse_constant=pytest.fail)
    assert "total_cost_usd" not in document["final_metrics"] and document["extra"] == {"cost": "-inf"}
