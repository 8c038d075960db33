"""The RAGAS worker's client, the fallback that treats both arms alike, and its rules for what is shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.grading.judged import Settled, Word
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.tiers.goal import messages, settle_all
from aces_ci.tiers.grade import subject_of
from aces_ci.workers.ragas.client import CONSTRAINTS, PROGRAM, RagasWorker
from tests.traces import snippets

ROWS: list[dict[str, Any]] = [
    {"say": "I use the pdf skill.", "skill": "pdf"},
    {"sh": "python3 fill.py", "out": "TOTAL 7"},
    {"say": "TOTAL 7"},
]


def worker(tmp_path: Path, body: str, seconds: float = 20.0) -> RagasWorker:
    program = tmp_path / "program.py"
    program.write_text(f"import json, os, sys, time\nrequest = json.load(sys.stdin)\n{body}", encoding="utf-8")
    return RagasWorker(
        python=Path(sys.executable), model="judge-1", base_url="http://127.0.0.1:1/v1", token="t",
        program=program, seconds=seconds,
    )  # fmt: skip


def subject(arm: str = "with_skill", digest: str = "a", reference: str | None = "TOTAL 7") -> Any:
    case = snippets.case(expected_skill="pdf", trigger=True, reference=reference)
    trial = snippets.trial(arm, digest=digest * 64)
    return subject_of(trial, snippets.trajectory("claude-code", ROWS), case, None, snippets.cast())


@pytest.mark.parametrize(("value", "word"), [(1, Word.YES), (0, Word.NO)])
def test_a_verdict_becomes_a_settled_item_that_names_its_way(tmp_path: Path, value: int, word: Word) -> None:
    found = worker(tmp_path, f"print(json.dumps({{'value': {value}, 'version': '0.4.3'}}))").judge([], "x")
    assert (found.item, found.word, found.way, found.judge) == (REACHED, word, "ragas-0.4.3", "judge-1")


@pytest.mark.parametrize(
    "body",
    [
        "print('not json')",
        "print(json.dumps({'error': 'ImportError: ragas'}))",
        "print(json.dumps({'value': 0.5}))",
        "print(json.dumps({'value': True}))",
        "print(json.dumps([1]))",
        "sys.exit(3)",
    ],
)
def test_every_failure_is_an_error_and_never_a_zero(tmp_path: Path, body: str) -> None:
    found = worker(tmp_path, body).judge([], "x")
    assert found.word is None and found.error and "RAGAS" in found.error


def test_a_worker_that_hangs_is_stopped(tmp_path: Path) -> None:
    found = worker(tmp_path, "time.sleep(60)", seconds=1.0).judge([], "x")
    assert "in time" in (found.error or "")


def test_the_worker_gets_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    body = "print(json.dumps({'error': ' '.join(sorted(os.environ)) + ' ' + ' '.join(os.environ.values())}))"
    error = worker(tmp_path, body).judge([], "x").error or ""
    assert "RAGAS_DO_NOT_TRACK" in error and "true" in error
    assert "OPENAI_API_KEY" not in error and "canary" not in error


def test_one_failure_and_no_arm_is_graded_by_the_worker() -> None:
    replies = iter([Settled(item=REACHED, word=Word.YES, way="ragas"), Settled(item=REACHED, error="it broke")])
    found = settle_all([subject(), subject("baseline", "b")], lambda told, reference: next(replies))
    assert found.known == {}
    assert "it broke" in (found.fallback or "") and "two_step" in (found.fallback or "")


def test_without_a_failure_every_trial_with_a_reference_is_settled() -> None:
    subjects = [subject(), subject("baseline", "b"), subject(digest="c", reference=None)]
    found = settle_all(subjects, lambda told, reference: Settled(item=REACHED, word=Word.YES, way="ragas"))
    assert set(found.known) == {"a" * 64, "b" * 64}
    assert found.fallback is None


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
