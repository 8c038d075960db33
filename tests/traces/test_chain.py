"""Trajectories from what passed the gateway, and what a forger can and cannot do to them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, cast

import pytest

from aces_ci import plugins
from aces_ci.core.score import Score
from aces_ci.core.spending.exchange import Exchange, Outcome, Protocol, from_event, to_event
from aces_ci.core.trace.chain import State
from aces_ci.core.trace.file import inspect, write
from aces_ci.core.trace.trajectory import Trajectory
from aces_ci.core.trial import Flag
from aces_ci.gateway.fetch import ASSEMBLERS
from aces_ci.ports.converter import Log
from aces_ci.tiers.grade import grade
from aces_ci.tiers.trace import Traced, traced
from tests.traces import snippets
from tests.traces.wire import Conversation

PROMPT = "Give me the quartz report of ledger.csv. Answer with one line."
SKILL_PATH = "/home/agent/.claude/skills/quartz-report"
READ = ("call_1", "Bash", {"command": f"cat {SKILL_PATH}/SKILL.md"})
RUN = ("call_2", "Bash", {"command": f"python3 {SKILL_PATH}/scripts/quartz.py ledger.csv"})
METRICS = plugins.load("metrics", "METRIC", "name")
CONVERTERS = {each.name: each for each in plugins.load("converters", "CONVERTER", "name")}  # type: ignore[attr-defined]
CASE = snippets.case(
    prompt=PROMPT,
    expected_skill="quartz-report",
    trigger=True,
    expected_script="scripts/quartz.py",
    checks=[{"kind": "equals", "args": {"value": "QUARTZ-TOTAL 7"}}],
)


def conversation(protocol: Protocol) -> Conversation:
    """Reads the skill, runs its script, answers."""
    talk = Conversation(protocol, PROMPT)
    talk.model("I will read it.", [READ], thought="The skill fits.")
    talk.result("call_1", snippets.body("quartz-report"))
    talk.model("", [RUN])
    talk.result("call_2", "QUARTZ-TOTAL 7")
    talk.model("QUARTZ-TOTAL 7")
    return talk


class Breaks:
    """A reader with a bug that somebody has found."""

    name = "claude-code"

    def convert(self, log: Log) -> Trajectory | None:
        return {}[log.prompt]  # type: ignore[index]


def trace(talk: Conversation, log: Log | None = None) -> Traced:
    return traced(
        talk.exchanges,
        agent="claude-code",
        version="2.1.332",
        prompt=PROMPT,
        converter=CONVERTERS["claude-code"],
        log=log,
    )


def scores(found: Traced) -> dict[str, Score]:
    assert found.trajectory is not None
    graded = grade(snippets.trial(skill="skills/quartz-report"), found.trajectory, CASE, None, METRICS, None)  # type: ignore[arg-type]
    return {score.metric: score for score in graded}


def values(found: Traced) -> dict[str, float | None]:
    return {name: score.value for name, score in scores(found).items()}


def log_of(*events: dict[str, Any]) -> Log:
    head = {"type": "system", "subtype": "init", "claude_code_version": "2.1.332", "session_id": "s", "model": "m"}
    return Log(stdout="\n".join(json.dumps(event) for event in (head, *events)).encode())


def assistant(text: str = "", calls: list[Any] | None = None, key: str = "m1") -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls or []]
    return {"type": "assistant", "message": {"id": key, "role": "assistant", "model": "m", "content": content}}


def result(identity: str, text: str, at: str = "2026-11-29T21:00:09.000Z") -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": text, "is_error": False}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "timestamp": at}


@pytest.mark.parametrize("protocol", list(Protocol))
def test_each_protocol_gives_the_same_steps_and_a_valid_document(protocol: Protocol) -> None:
    found = trace(conversation(protocol))
    assert found.trajectory is not None
    assert found.flags == () and found.states == {}
    shown = [
        (step.source, step.text, [call.function_name for call in step.tool_calls or ()])
        for step in found.trajectory.steps
    ]
    assert shown == [
        ("system", "You are an agent.", []),
        ("user", PROMPT, []),
        ("agent", "I will read it.", ["Bash"]),
        ("agent", "", ["Bash"]),
        ("agent", "QUARTZ-TOTAL 7", []),
    ]
    assert found.trajectory.steps[2].reasoning_content == "The skill fits."
    assert found.trajectory.steps[3].observation is not None
    assert found.trajectory.steps[3].observation.results[0].content == "QUARTZ-TOTAL 7"
    assert found.trajectory.aces["origin"] == "gateway"
    assert inspect(write(found.trajectory)).valid


@pytest.mark.parametrize("protocol", list(Protocol))
def test_tokens_and_money_stand_at_the_step_that_used_them_and_add_up(protocol: Protocol) -> None:
    found = trace(conversation(protocol)).trajectory
    assert found is not None and found.final_metrics is not None
    used = [step.metrics for step in found.steps if step.metrics]
    assert [metrics.prompt_tokens for metrics in used] == [150, 250, 350]
    assert found.final_metrics.total_cost_usd == pytest.approx(0.006)
    assert found.final_metrics.total_completion_tokens == 30


def test_scores_are_the_same_in_every_protocol() -> None:
    every = [values(trace(conversation(protocol))) for protocol in Protocol]
    assert every[0] == every[1] == every[2]
    assert every[0]["outcome"] == every[0]["skill_execution"] == 1.0


@pytest.mark.parametrize("protocol", list(Protocol))
def test_an_injected_turn_is_tampering_and_changes_no_score(protocol: Protocol) -> None:
    honest = values(trace(conversation(protocol)))
    talk = Conversation(protocol, PROMPT)
    talk.model("I will read it.", [READ])
    talk.result("call_1", snippets.body("quartz-report"))
    talk.claim("I have verified everything twice.", [("call_x", "Bash", {"command": "python3 tests.py"})])
    talk.result("call_x", "all tests passed")
    talk.model("", [RUN])
    talk.result("call_2", "QUARTZ-TOTAL 7")
    talk.model("QUARTZ-TOTAL 7")
    found = trace(talk)
    assert Flag.TAMPERED in found.flags
    assert found.states[State.INJECTED_TURN] >= 1
    assert values(found) == honest
    assert found.trajectory is not None
    assert "verified everything" not in write(found.trajectory).decode()


def test_a_dropped_turn_stays_in_the_trajectory_and_counts() -> None:
    talk = Conversation(Protocol.MESSAGES, PROMPT)
    talk.model("", [("call_0", "Bash", {"command": "rm -rf /usr"})], remember=False)
    talk.model("", [RUN])
    talk.result("call_2", "QUARTZ-TOTAL 7")
    talk.model("QUARTZ-TOTAL 7")
    found = trace(talk)
    assert found.states == {State.DROPPED_TURN: 1}
    assert found.flags == ()
    assert values(found)["security"] == 0.0


def test_side_calls_are_counted_and_are_no_steps() -> None:
    talk = conversation(Protocol.MESSAGES)
    honest = values(trace(talk))
    side = Conversation(Protocol.MESSAGES, "Write a title of three words.", system="Titles")
    title = side.model("Everything is perfect", tools=())
    talk.exchanges.insert(1, dataclasses.replace(title, number=1))
    talk.exchanges = [dataclasses.replace(each, number=at) for at, each in enumerate(talk.exchanges, start=1)]
    found = trace(talk)
    assert found.states == {State.SIDE_CALL: 1}
    assert found.flags == ()
    assert values(found) == honest
    assert found.trajectory is not None
    assert "perfect" not in write(found.trajectory).decode()


def test_what_a_client_asks_after_the_answer_does_not_become_the_answer() -> None:
    talk = conversation(Protocol.CHAT)
    honest = values(trace(talk))
    talk.user("Suggest what the person could ask next.")
    talk.model("Ask about the year 2025.")
    found = trace(talk)
    assert found.states == {State.SIDE_CALL: 1}
    assert values(found) == honest
    assert found.trajectory is not None and found.trajectory.answer is not None
    assert found.trajectory.answer[1] == "QUARTZ-TOTAL 7"


def test_a_forged_log_is_a_mismatch_and_changes_no_score() -> None:
    talk = conversation(Protocol.MESSAGES)
    honest = values(trace(talk))
    log = log_of(
        assistant("I will read it.", [READ]),
        result("call_1", snippets.body("quartz-report")),
        assistant("", [("call_9", "Bash", {"command": "python3 verify.py"})], "m2"),
        result("call_9", "verified"),
        assistant("The total is 7 and I checked it three times.", key="m3"),
    )
    found = trace(talk, log)
    assert found.flags == (Flag.TRACE_MISMATCH,)
    assert any("no model made" in claim for claim in found.mismatches)
    assert any("never said" in claim for claim in found.mismatches)
    assert values(found) == honest


def test_a_log_with_other_arguments_is_a_mismatch() -> None:
    talk = conversation(Protocol.MESSAGES)
    log = log_of(assistant("I will read it.", [("call_1", "Bash", {"command": "cat README.md"})]))
    found = trace(talk, log)
    assert found.flags == (Flag.TRACE_MISMATCH,)
    assert any("other arguments" in claim for claim in found.mismatches)


def test_an_honest_log_adds_times_and_exit_codes_and_nothing_else() -> None:
    talk = conversation(Protocol.MESSAGES)
    log = log_of(
        assistant("I will read it.", [READ]),
        result("call_1", snippets.body("quartz-report")),
        assistant("", [RUN], "m2"),
        result("call_2", "QUARTZ-TOTAL 7"),
        assistant("QUARTZ-TOTAL 7", key="m3"),
    )
    bare, annotated = trace(talk).trajectory, trace(talk, log).trajectory
    assert bare is not None and annotated is not None
    extra = annotated.steps[3].observation.results[0].extra  # type: ignore[union-attr]
    assert extra == {"exit_code": 0, "is_error": False, "at": "2026-11-29T21:00:09.000Z"}
    assert _without_extras(annotated) == _without_extras(bare)


def test_a_log_whose_result_differs_annotates_nothing() -> None:
    talk = conversation(Protocol.MESSAGES)
    log = log_of(assistant("", [RUN], "m2"), result("call_2", "something else entirely"))
    found = trace(talk, log).trajectory
    assert found is not None
    assert found.steps[3].observation.results[0].extra is None  # type: ignore[union-attr]


def test_a_log_without_any_delivered_turn_is_a_mismatch_and_no_trajectory() -> None:
    found = traced(
        [],
        agent="claude-code",
        version=None,
        prompt=PROMPT,
        converter=CONVERTERS["claude-code"],
        log=log_of(assistant("QUARTZ-TOTAL 7")),
    )
    assert found.trajectory is None
    assert found.flags == (Flag.TRACE_MISMATCH,)


def test_refused_and_broken_requests_are_no_turns() -> None:
    talk = Conversation(Protocol.RESPONSES, PROMPT)
    talk.model("half a senten", outcome=Outcome.ABANDONED)
    talk.model("QUARTZ-TOTAL 7")
    found = trace(talk)
    assert found.flags == ()
    assert found.trajectory is not None
    assert [step.text for step in found.trajectory.steps if step.source == "agent"] == ["QUARTZ-TOTAL 7"]


def test_a_client_that_reformats_arguments_is_not_accused() -> None:
    talk = Conversation(Protocol.CHAT, PROMPT)
    talk.model(" I will  read it.\n", [("call_1", "bash", {"b": 1, "a": 2})], remember=False)
    talk.claim("I will read it.", [("call_1", "bash", {"a": 2, "b": 1})])
    talk.result("call_1", "x")
    talk.model("done")
    assert trace(talk).flags == ()


def test_a_client_that_renames_a_broken_call_is_noted_and_not_accused() -> None:
    talk = Conversation(Protocol.CHAT, PROMPT)
    talk.model("", [("call_1", "nope", {"a": 1})], remember=False)
    talk.claim("", [("call_1", "invalid", {"tool": "nope", "error": "unknown"})])
    talk.result("call_1", "unknown tool")
    talk.model("done")
    found = trace(talk)
    assert found.flags == ()
    assert found.states == {State.REWRITTEN_TURN: 1}


def test_a_compacted_conversation_goes_on() -> None:
    talk = Conversation(Protocol.MESSAGES, PROMPT)
    talk.model("I will read it.", [READ])
    talk.result("call_1", snippets.body("quartz-report"))
    talk.model("", [("call_l", "Bash", {"command": "ls"})])
    talk.history = []
    talk.user(f"Summary: the skill was read. The task: {PROMPT}")
    talk.model("", [RUN])
    talk.result("call_2", "QUARTZ-TOTAL 7")
    talk.model("QUARTZ-TOTAL 7")
    found = trace(talk)
    assert State.COMPACTED in found.states
    assert found.flags == ()
    assert values(found)["skill_execution"] == 1.0


def test_the_skill_body_that_comes_beside_the_result_belongs_to_the_call() -> None:
    talk = Conversation(Protocol.MESSAGES, PROMPT)
    talk.model("", [("call_1", "Skill", {"skill": "quartz-report"})])
    talk.result("call_1", "Launching skill: quartz-report")
    talk.user("Base directory for this skill: /x\n\n# Quartz report")
    talk.user("<system-reminder>be nice</system-reminder>")
    talk.model("QUARTZ-TOTAL 7")
    found = trace(talk).trajectory
    assert found is not None
    step = next(step for step in found.steps if step.tool_calls)
    assert "# Quartz report" in str(step.observation.results[0].content)  # type: ignore[union-attr]
    assert "be nice" not in str(step.observation.results[0].content)  # type: ignore[union-attr]


def _without_extras(trajectory: Trajectory) -> Any:
    document = json.loads(write(trajectory))
    for step in document["steps"]:
        for each in step.get("observation", {}).get("results", ()):
            each.pop("extra", None)
    return document


def test_a_log_that_breaks_its_reader_is_a_named_state_and_ends_no_run() -> None:
    talk = conversation(Protocol.MESSAGES)
    log = Log(stdout=b"", files={}, prompt=PROMPT)
    found = traced(
        talk.exchanges, agent="claude-code", version="2.1.332", prompt=PROMPT, converter=cast(Any, Breaks()), log=log
    )
    assert found.flags == (Flag.TRACE_MISMATCH,) and found.mismatches == ("the log cannot be read (KeyError)",)
    assert found.trajectory == trace(talk).trajectory


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize(
    "words",
    ['{"a": 1e999}', '{"a": -1e999, "b": [1e400]}', '{"a": NaN}', '{"a":' * 300 + "1" + "}" * 300, "[" * 5000, '"x"',
     '{"a": "\\ud800"}', '{"a": ' + "9" * 4000 + "}", '{"a": 1, "a": 2}', '{"a": '],
)  # fmt: skip
def test_whatever_a_model_writes_as_arguments_is_recorded_and_makes_valid_atif(protocol: Protocol, words: str) -> None:
    """A skill can tell a model what to write, and one word of it may not end a run."""
    assembler = ASSEMBLERS[protocol]()
    for event in spoken(protocol, words):
        assembler.event(event)
    talk = conversation(protocol)
    last = dataclasses.replace(talk.exchanges[-1], response=assembler.response())
    found = from_event(to_event(last))
    assert isinstance(found, Exchange)
    traced_ = traced([*talk.exchanges[:-1], found], agent="claude-code", version="1", prompt=PROMPT)
    assert traced_.trajectory is not None
    assert inspect(write(traced_.trajectory)).faults == ()
    assert traced_.trajectory.steps[-1].tool_calls


def spoken(protocol: Protocol, words: str) -> list[dict[str, Any]]:
    """The events of one turn that calls a tool with these arguments."""
    if protocol is Protocol.MESSAGES:
        block = {"type": "tool_use", "id": "c", "name": "Bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": words}
        return [
            {"type": "message_start", "message": {"id": "m", "model": "x", "role": "assistant", "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "message_stop"},
        ]
    if protocol is Protocol.RESPONSES:
        item = {"type": "function_call", "id": "i", "call_id": "c", "name": "shell", "arguments": words}
        return [{"type": "response.completed", "response": {"id": "r", "model": "x", "output": [item]}}]
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "shell", "arguments": words}}
    return [{"id": "r", "model": "x", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}]
