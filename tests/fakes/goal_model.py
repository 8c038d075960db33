"""A model server that judges goals: Chat Completions, the same mind for RAGAS' two prompts and for our own questions.

`python -m tests.fakes.goal_model PORT` serves it; in a test, `GoalModel` on a thread.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

_TOTAL = re.compile(r"(?:[A-Z-]*(?:TOTAL|TALLY)|\[name\]) \d+")


def state_of(text: str) -> str:
    """What it says of a conversation, whoever renders it: the last total that stands in it."""
    return ([*_TOTAL.findall(text)] or ["nothing was found"])[-1]


def _ours(prompt: str) -> dict[str, Any]:
    from tests.metrics.judges import literal

    data = json.loads(prompt.split("===\n", 1)[1].rsplit("\n=== end", 1)[0])
    item = "end_state" if "Give user_goal" in prompt else "closed"
    return dict(literal(data, SimpleNamespace(item=item)))  # type: ignore[arg-type]


class GoalModel(ThreadingHTTPServer):
    """Counts requests; may be told to answer in another form after so many."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.good = sys.maxsize
        """Answers of RAGAS' form until it breaks."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator[GoalModel]:
        thread = threading.Thread(target=self.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, GoalModel)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server.requests.append(body)
        server.keys.append(self.headers.get("authorization", ""))
        prompt = body["messages"][-1]["content"]
        task = prompt.rsplit("Now perform the same", 1)[-1]
        reply: dict[str, Any]
        if "\n=== end" in prompt:
            reply = _ours(prompt)
        elif server.good <= 0:
            reply = {"nonsense": True}
        elif "desired_outcome" in task:
            given = json.loads(task[task.index("{") : task.rindex("}") + 1])
            same = given["desired_outcome"] in given["arrived_outcome"]
            reply = {"reason": "compared", "verdict": "1" if same else "0"}
        else:
            reply = {"user_goal": "the total", "end_state": state_of(task.replace("\\n", "\n"))}
        server.good -= "\n=== end" not in prompt
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


if __name__ == "__main__":
    GoalModel(int(sys.argv[1])).serve_forever()
