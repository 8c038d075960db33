"""One suite for every harness: what a launch promises, and how recorded logs are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.exchange import Protocol
from aces_ci.plugins import load
from aces_ci.ports.harness import FailureKind, Harness, HarnessLog, Invocation, Launch
from tests.fakes.forger_harness import FORGER

HARNESSES = cast("tuple[Harness, ...]", load("harnesses", "HARNESS", "name"))
RUNNABLE = (*(item for item in HARNESSES if item.recipe is not None), FORGER)
"""Also the one of the tests, which lies."""
TOKEN = "aces-0123456789abcdef"
PROMPT = 'Say "hi" -- and\nthen stop; --tools Bash'


def launch(harness: Harness, **changes: object) -> Launch:
    fields: dict[str, object] = {
        "prompt": PROMPT,
        "model": "some-model",
        "base_url": "http://127.0.0.1:8000",
        "api": (*harness.apis, Protocol.CHAT)[0],
        "token": TOKEN,
        "command": ("my-agent", "--flag"),
        **changes,
    }
    return harness.launch(Invocation(**fields))  # type: ignore[arg-type]


def everything(value: Launch) -> str:
    files = {file.path: file.data.decode() for file in value.home}
    return json.dumps([value.command, dict(value.environment), files])


@pytest.fixture(params=RUNNABLE, ids=lambda item: item.name)
def harness(request: pytest.FixtureRequest) -> Harness:
    return cast("Harness", request.param)


def test_all_seven_are_there() -> None:
    names = ["builtin", "claude-code", "codex", "command", "cursor", "gemini-cli", "opencode"]
    assert [item.name for item in HARNESSES] == names


def test_the_prompt_goes_by_standard_input_byte_for_byte(harness: Harness) -> None:
    value = launch(harness)
    assert value.stdin == PROMPT.encode()
    assert PROMPT not in everything(value)


def test_the_token_is_in_no_argument_and_no_file(harness: Harness) -> None:
    value = launch(harness)
    assert not any(TOKEN in word for word in value.command)
    assert not any(TOKEN.encode() in file.data for file in value.home)
    assert TOKEN in value.environment.values()


def test_model_and_address_reach_the_program(harness: Harness) -> None:
    value = everything(launch(harness))
    assert "some-model" in value and "http://127.0.0.1:8000" in value


def test_a_launch_is_the_same_every_time(harness: Harness) -> None:
    assert launch(harness) == launch(harness)


@pytest.mark.parametrize("api", list(Protocol))
def test_only_protocols_that_it_speaks_are_asked_of_it(harness: Harness, api: Protocol) -> None:
    if api in harness.apis:
        assert launch(harness, api=api).command


def test_paths_lie_below_home(harness: Harness) -> None:
    paths = [harness.skills, *harness.keep_home, *(file.path for file in launch(harness).home)]
    assert all(not path.startswith(("/", "~")) and ".." not in path.split("/") for path in paths)
    assert not any(harness.skills.startswith(kept) for kept in harness.keep_home), "skills are not part of the log"


OFF = {
    "claude-code": ("disableBundledSkills", "cc-plugin-plugin-authoring@builtin", "DISABLE_TELEMETRY", "WebSearch"),
    "codex": ('web_search = \\"disabled\\"', "[skills.bundled]\\nenabled = false", "[analytics]\\nenabled = false"),
    "opencode": ("customize-opencode", "OPENCODE_DISABLE_AUTOUPDATE", '\\"share\\": \\"disabled\\"', "webfetch"),
}


@pytest.mark.parametrize("name", OFF)
def test_bundled_skills_telemetry_and_hosted_tools_are_off(name: str) -> None:
    value = everything(launch(next(item for item in RUNNABLE if item.name == name)))
    assert [switch for switch in OFF[name] if switch not in value] == []


def test_no_switch_takes_the_skill_tool_away() -> None:
    """It would make the baseline unfair, or hide the target."""
    value = "".join(everything(launch(item)) for item in RUNNABLE)
    assert "--disable-slash-commands" not in value and '\\"skill\\": \\"deny\\"' not in value


@pytest.mark.parametrize("name", ["gemini-cli", "cursor"])
def test_what_is_only_read_says_so_when_it_is_to_be_run(name: str) -> None:
    harness = next(item for item in HARNESSES if item.name == name)
    with pytest.raises(UsageError, match="cannot be run"):
        launch(harness, api=Protocol.CHAT)


def test_a_command_without_a_program_is_refused() -> None:
    with pytest.raises(UsageError, match="has no command"):
        launch(next(item for item in RUNNABLE if item.name == "command"), command=())


EXPECTED = {
    "a-with-skill": None,
    "b-baseline": None,
    "c-tool-failure": None,
    "g-stdin-prompt": None,
    "d-api-401": FailureKind.AUTHENTICATION,
    "d-api-429": FailureKind.RATE_LIMIT,
    "d-api-500": FailureKind.PROVIDER_ERROR,
    "d-api-400": FailureKind.PROVIDER_ERROR,
    "d-api-500-midrun": FailureKind.PROVIDER_ERROR,
    "f-max-turns": FailureKind.MAX_TURNS,
    "e-timeout-sigterm": FailureKind.KILLED,
}
ODD = {
    # Silent retries: it never says what failed, it is killed.
    ("opencode", "d-api-500"): FailureKind.KILLED,
    ("gemini-cli", "d-api-500"): FailureKind.KILLED,
    ("gemini-cli", "d-api-429"): FailureKind.KILLED,
}


@pytest.mark.parametrize("case", EXPECTED)
@pytest.mark.parametrize("name", ["claude-code", "codex", "opencode", "gemini-cli"])
def test_recorded_endings_are_recognised(shared: Path, name: str, case: str) -> None:
    folder = shared / "transcripts" / name / case
    if not folder.is_dir():
        assert (name, case) not in ODD, "not recorded for this harness"
        return
    harness = next(item for item in HARNESSES if item.name == name)
    log = HarnessLog(
        exit_code=json.loads((folder / "exit.json").read_text())["rc"],
        stdout=(folder / "stdout.jsonl").read_bytes(),
        stderr=(folder / "stderr.txt").read_bytes(),
    )
    failure = harness.failure(log)
    assert (failure.kind if failure else None) is ODD.get((name, case), EXPECTED[case])
    assert failure is None or (failure.because and "scripted" not in failure.because)


@pytest.mark.parametrize("item", HARNESSES, ids=lambda item: item.name)
def test_a_log_that_breaks_off_is_no_success(shared: Path, item: Harness) -> None:
    if item.name == "command":
        return
    folder = shared / "transcripts" / item.name / "e-truncated-derived"
    data = (folder / "stdout.jsonl").read_bytes() if folder.is_dir() else b'{"type": "start"}\n{"type": "tu'
    found = item.failure(HarnessLog(exit_code=0, stdout=data))
    assert found is not None and found.kind in (FailureKind.TRUNCATED, FailureKind.KILLED)


@pytest.mark.parametrize("item", HARNESSES, ids=lambda item: item.name)
@given(data=st.binary(max_size=300), code=st.sampled_from([None, 0, 1, 137, -9]))
def test_no_log_can_make_it_raise(item: Harness, data: bytes, code: int | None) -> None:
    found = item.failure(HarnessLog(exit_code=code, stdout=b'{"type": "result", ' + data))
    assert found is None or found.because


RECORDED = ("claude-code", "codex", "opencode")


@pytest.mark.parametrize("name", RECORDED)
def test_an_opening_is_no_more_than_the_smallest_request_on_record(shared: Path, name: str) -> None:
    """Else a budget that is enough would be refused."""
    opening = next(item for item in HARNESSES if item.name == name).opening
    rows = [
        json.loads(line)
        for file in (shared / "transcripts" / name).glob("*/requests.trimmed.jsonl")
        for line in file.read_text("utf-8").splitlines()
    ]
    sizes = [row["body_len"] for row in rows if row.get("body_len") and row.get("method") == "POST"]
    assert opening is not None and sizes and 0 < opening.prompt <= min(sizes)


def test_what_the_builtin_agent_allows_the_model_is_what_its_opening_says() -> None:
    builtin = next(item for item in HARNESSES if item.name == "builtin")
    script = (Path(__file__).parents[2] / "aces_ci/sandboxes/images/builtin/agent.py").read_text("utf-8")
    assert builtin.opening is not None and f"ANSWER_TOKENS = {builtin.opening.answer:_}\n" in script
