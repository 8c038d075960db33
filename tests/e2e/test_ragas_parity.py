"""The real RAGAS in its own environment, against a fake model server, beside our own two steps: same verdicts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from aces_ci import plugins
from aces_ci.core.asking.question import Question
from aces_ci.core.grading.judged import Settled, Word
from aces_ci.ports.goal_worker import Conversation
from aces_ci.tiers.goal import conversation, settle_all
from aces_ci.tiers.grade import grade, subject_of
from aces_ci.workers.ragas.client import PROGRAM, WORKER
from tests.fakes.goal_model import GoalModel, state_of
from tests.metrics.judges import Court, verdict
from tests.traces import snippets

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
METRICS = [each for each in plugins.load("metrics", "METRIC", "name") if each.name == "goal_accuracy"]  # type: ignore[attr-defined]
REFERENCE = "TOTAL 7"


@pytest.fixture(scope="module")
def python() -> Path:
    return WORKER.build(Path.home() / ".cache" / "aces-ci" / "ragas")


@pytest.fixture
def model() -> Iterator[GoalModel]:
    with GoalModel().running() as server:
        yield server


def judged(python: Path, model: GoalModel, told: Sequence[Conversation]) -> tuple[Settled, ...]:
    """The program as a sandbox runs it, but on this machine's network."""
    asked = WORKER.request(told, model="fake-5.4", base_url=model.url, token="gateway-token", seconds=60.0)
    done = subprocess.run(
        [str(python), "-I", str(PROGRAM)],
        input=asked, env={"PATH": "/usr/bin:/bin", "HOME": str(python.parent.parent), **WORKER.environment},
        capture_output=True, timeout=180, check=True,
    )  # fmt: skip
    return WORKER.verdicts(done.stdout, len(told), "fake-5.4")


def two_step(data: dict[str, Any], question: Question) -> dict[str, Any]:
    """Our judge with the same mind."""
    if "end_state" in question.item:
        return {"user_goal": "the total", "end_state": state_of(json.dumps(data["evidence"], indent=0))}
    same = data["expected_answer"] in data["statement"]
    answer = data["evidence"][-1]
    return verdict("yes" if same else "no", (answer["row"], str(answer.get("answer"))))


CONVERSATIONS: list[tuple[list[dict[str, Any]], Word]] = [
    ([{"skill": "pdf"}, {"sh": "python3 fill.py", "out": "TOTAL 7"}, {"say": "TOTAL 7"}], Word.YES),
    ([{"sh": "cat a.csv", "out": "3 4"}, {"say": "TOTAL 7"}], Word.YES),
    ([{"sh": "cat a.csv", "out": "3 4"}, {"say": "TOTAL 8"}], Word.NO),
    ([{"sh": "python3 fill.py", "code": 1, "out": "ValueError"}, {"say": "I could not do it."}], Word.NO),
]


def test_both_methods_say_the_same(python: Path, model: GoalModel) -> None:
    case = snippets.case(expected_skill="pdf", trigger=True, reference=REFERENCE)
    trajectories = [snippets.trajectory("claude-code", rows) for rows, _ in CONVERSATIONS]
    subjects = [subject_of(snippets.trial(), each, case, None, snippets.cast()) for each in trajectories]
    theirs = judged(python, model, [conversation(each) for each in subjects])
    assert [(each.error, each.word, each.way) for each in theirs] == [
        (None, want, "ragas-0.4.3") for _, want in CONVERSATIONS
    ]
    assert len(model.requests) == 2 * len(CONVERSATIONS)
    assert not any({"temperature", "top_p"} & set(request) for request in model.requests)
    assert set(model.keys) == {"Bearer gateway-token"}
    for trajectory, verdict_ in zip(trajectories, theirs, strict=True):
        ours = grade(snippets.trial(), trajectory, case, None, METRICS, Court(two_step), cast=snippets.cast())[0]  # type: ignore[arg-type]
        assert ours.value == float(verdict_.word is Word.YES)
        known = {"goal/reached": verdict_}
        used = grade(
            snippets.trial(), trajectory, case, None, METRICS, Court(two_step), cast=snippets.cast(), known=known  # type: ignore[arg-type]
        )[0]  # fmt: skip
        assert (used.value, used.method) == (ours.value, "fake-5.4/p2/ragas-0.4.3")


def test_a_model_that_answers_in_another_form_makes_every_arm_fall_back(python: Path, model: GoalModel) -> None:
    model.good = 2
    case = snippets.case(expected_skill="pdf", trigger=True, reference=REFERENCE)
    trajectory = snippets.trajectory("codex", [{"say": "x"}])
    trials = [snippets.trial(arm, digest=arm[0] * 64) for arm in ("with_skill", "previous", "baseline")]
    subjects = [subject_of(trial, trajectory, case, None, snippets.cast()) for trial in trials]
    found = settle_all(subjects, lambda told: judged(python, model, told))
    assert found.known == {} and "RAGAS" in found.fallback
