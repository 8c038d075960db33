"""The RAGAS worker's client, the fallback that treats both arms alike, and its rules for what is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.grading.judged import Settled, Word
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.ports.goal_worker import Conversation
from aces_ci.tiers.goal import messages, settle_all
from aces_ci.tiers.grade import subject_of
from aces_ci.workers.ragas.client import CONSTRAINTS, PROGRAM, WORKER
from tests.traces import snippets

ROWS: list[dict[str, Any]] = [
    {"say": "I use the pdf skill.", "skill": "pdf"},
    {"sh": "python3 fill.py", "out": "TOTAL 7"},
    {"say": "TOTAL 7"},
]


def subject(arm: str = "with_skill", digest: str = "a", reference: str | None = "TOTAL 7") -> Any:
    case = snippets.case(expected_skill="pdf", trigger=True, reference=reference)
    trial = snippets.trial(arm, digest=digest * 64)
    return subject_of(trial, snippets.trajectory("claude-code", ROWS), case, None, snippets.cast())


def settled(word: Word | None = Word.YES, error: str | None = None) -> Settled:
    return Settled(item=REACHED, word=word, error=error, way="ragas-0.4.3")


@pytest.mark.parametrize(("value", "word"), [(1, Word.YES), (0, Word.NO)])
def test_a_verdict_becomes_a_settled_item_that_names_its_way(value: int, word: Word) -> None:
    reply = json.dumps({"version": "0.4.3", "verdicts": [{"value": value}]}).encode()
    (found,) = WORKER.verdicts(reply, 1, "judge-1")
    assert (found.item, found.word, found.way, found.judge) == (REACHED, word, "ragas-0.4.3", "judge-1")


@pytest.mark.parametrize(
    "reply",
    [
        b"not json",
        b"[1]",
        b'{"error": "ImportError: ragas"}',
        b'{"version": "0.4.3", "verdicts": [{"value": 1}]}',
        b'{"version": "0.4.3", "verdicts": [{"value": 0.5}, {"value": true}]}',
        b'{"version": "0.4.3", "verdicts": [{"error": "x"}, 3]}',
    ],
)
def test_every_failure_is_an_error_of_each_and_never_a_zero(reply: bytes) -> None:
    found = WORKER.verdicts(reply, 2, "judge-1")
    assert len(found) == 2
    assert all(each.word is None and each.error and "RAGAS" in each.error for each in found)


def test_what_the_worker_is_asked_holds_the_gateways_token_and_its_address() -> None:
    told = Conversation(messages=({"role": "user", "text": "x"},), reference="7")
    asked = json.loads(WORKER.request([told], model="m", base_url="http://127.0.0.1:1/v1", token="t", seconds=9.0))
    assert (asked["model"], asked["base_url"], asked["token"]) == ("m", "http://127.0.0.1:1/v1", "t")
    assert asked["conversations"] == [{"messages": [{"role": "user", "text": "x"}], "reference": "7"}]
    assert WORKER.environment["RAGAS_DO_NOT_TRACK"] == "true"


def test_one_failure_and_no_arm_is_graded_by_the_worker() -> None:
    found = settle_all([subject(), subject("baseline", "b")], lambda told: [settled(), settled(None, "it broke")])
    assert found.known == {} and found.fallback == "it broke"


def test_a_worker_that_forgets_a_trial_has_failed() -> None:
    assert settle_all([subject(), subject("baseline", "b")], lambda told: [settled()]).fallback


def test_without_a_failure_every_trial_with_a_reference_is_settled() -> None:
    subjects = [subject(), subject("baseline", "b"), subject(digest="c", reference=None)]
    found = settle_all(subjects, lambda told: [settled() for _ in told])
    assert set(found.known) == {"a" * 64, "b" * 64}
    assert found.fallback == ""


def test_a_round_without_a_reference_asks_nobody() -> None:
    def never(told: Any) -> Any:
        raise AssertionError("nobody has to be asked")

    assert settle_all([subject(reference=None)], never).known == {}


def test_the_conversation_has_the_calls_and_neither_skill_nor_narration() -> None:
    told = messages(subject())
    assert [row["role"] for row in told] == ["user", "agent", "tool", "agent"]
    assert told[1]["calls"][0]["arguments"]["what"] == "python3 fill.py"
    assert "pdf skill" not in json.dumps(told) and "SKILL.md" not in json.dumps(told)


def test_the_constraints_pin_every_package_exactly_and_name_no_address() -> None:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line)
    assert pins["ragas"] == "0.4.3"
    assert pins["langchain-community"] == "0.4.1"
    assert pins["instructor"] == "1.17.0"
    assert pins["openai"] == "3.3.0"
    assert len(pins) > 60
    assert not any("/" in line or "@" in line for line in lines)


def test_the_program_is_the_only_file_that_names_the_package(root: Path) -> None:
    naming = [
        path.relative_to(root).as_posix()
        for path in (root / "aces_ci").rglob("*.py")
        if "import ragas" in path.read_text(encoding="utf-8") or "from ragas" in path.read_text(encoding="utf-8")
    ]
    assert naming == [PROGRAM.relative_to(root).as_posix()]
