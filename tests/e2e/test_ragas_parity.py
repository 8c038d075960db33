"""The real RAGAS in its own environment, against a fake model server, beside our own two steps: same verdicts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aces_ci import plugins
from aces_ci.core.asking.question import Question
from aces_ci.core.grading.judged import Settled, Word
from aces_ci.tiers.goal import messages, settle_all
from aces_ci.tiers.grade import grade, subject_of
from aces_ci.workers.ragas.client import RagasWorker, build
from tests.metrics.judges import Court, verdict
from tests.traces import snippets

pytestmark = [pytest.mark.e2e, pytest.mark.enable_socket]
METRICS = [each for each in plugins.load("metrics", "METRIC", "name") if each.name == "goal_accuracy"]  # type: ignore[attr-defined]
REFERENCE = "TOTAL 7"


def state_of(text: str) -> str:
    """What the fake model says of a conversation, whoever renders it: the last total that stands in it."""
    totals = [line.split("TOTAL", 1)[1].split()[0].strip('"\\,.') for line in text.splitlines() if "TOTAL" in line]
    return f"TOTAL {totals[-1]}" if totals else "nothing was found"


class Model(ThreadingHTTPServer):
    """Chat completions: infers from the conversation, compares two outcomes; counts requests; may be broken."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.broken = False


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Model)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.requests.append(body)
        prompt = body["messages"][-1]["content"]
        task = prompt.rsplit("Now perform the same", 1)[-1]
        reply: dict[str, Any]
        if server.broken:
            reply = {"nonsense": True}
        elif "desired_outcome" in task:
            given = json.loads(task[task.index("{") : task.rindex("}") + 1])
            same = given["desired_outcome"] in given["arrived_outcome"]
            reply = {"reason": "compared", "verdict": "1" if same else "0"}
        else:
            reply = {"user_goal": "the total", "end_state": state_of(task.replace("\\n", "\n"))}
        message = {"role": "assistant", "content": json.dumps(reply)}
        document = {
            "id": "x", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(scope="module")
def python() -> Path:
    return build(Path.home() / ".cache" / "aces-ci" / "ragas")


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def worker(python: Path, model: Model) -> RagasWorker:
    url = f"http://127.0.0.1:{model.server_address[1]}/v1"
    return RagasWorker(python=python, model="fake-5.4", base_url=url, token="gateway-token")


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


@pytest.mark.parametrize(("rows", "want"), CONVERSATIONS)
def test_both_methods_say_the_same(python: Path, model: Model, rows: list[dict[str, Any]], want: Word) -> None:
    case = snippets.case(expected_skill="pdf", trigger=True, reference=REFERENCE)
    trajectory = snippets.trajectory("claude-code", rows)
    subject = subject_of(snippets.trial(), trajectory, case, None, snippets.cast())
    theirs = worker(python, model).judge(messages(subject), REFERENCE)
    assert theirs.error is None
    assert (theirs.word, theirs.way) == (want, "ragas-0.4.3")
    assert len(model.requests) == 2
    assert not any({"temperature", "top_p"} & set(request) for request in model.requests)
    ours = grade(snippets.trial(), trajectory, case, None, METRICS, Court(two_step), cast=snippets.cast())[0]  # type: ignore[arg-type]
    assert ours.value == float(theirs.word is Word.YES)
    known = {"goal/reached": theirs}
    used = grade(
        snippets.trial(), trajectory, case, None, METRICS, Court(two_step), cast=snippets.cast(), known=known  # type: ignore[arg-type]
    )[0]  # fmt: skip
    assert (used.value, used.method) == (ours.value, "fake-5.4/p1/ragas-0.4.3")


def test_a_model_that_answers_in_another_form_makes_both_arms_fall_back(python: Path, model: Model) -> None:
    model.broken = True
    case = snippets.case(expected_skill="pdf", trigger=True, reference=REFERENCE)
    trajectory = snippets.trajectory("codex", [{"say": "x"}])
    trials = [snippets.trial(arm, digest=arm[0] * 64) for arm in ("with_skill", "baseline")]
    subjects = [subject_of(trial, trajectory, case, None, snippets.cast()) for trial in trials]
    asked: list[Settled] = []

    def judge(told: Any, reference: str) -> Settled:
        asked.append(worker(python, model).judge(told, reference))
        return asked[-1]

    found = settle_all(subjects, judge)
    assert found.known == {} and "two_step" in (found.fallback or "")
    assert asked[0].word is None
