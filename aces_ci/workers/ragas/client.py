"""Asks the RAGAS worker: builds its environment once, runs its program, reads its one reply."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aces_ci.core.errors import UsageError
from aces_ci.core.grading.judged import Settled, Word
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.shell import process

CONSTRAINTS = Path(__file__).with_name("constraints.txt")
PROGRAM = Path(__file__).with_name("program.py")
BUILD_SECONDS = 900.0
ASK_SECONDS = 180.0
"""Of one verdict: two calls, retries, and six seconds until RAGAS is imported."""


def build(folder: Path) -> Path:
    """The environment's interpreter, built where it is missing or was built from other constraints.

    Raises:
        UsageError: it cannot be built; RAGAS is optional, `two_step` needs none of it.
    """
    python = folder / "bin" / "python"
    mark = folder / "constraints.txt"
    wanted = CONSTRAINTS.read_bytes()
    if python.exists() and mark.exists() and mark.read_bytes() == wanted:
        return python
    # Through the user's own package index settings: the whole environment, unlike every other child of ours.
    for argv in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(CONSTRAINTS)],
    ):
        done = process.run(argv, timeout=BUILD_SECONDS, env=dict(os.environ))
        if done.exit_code != 0:
            tail = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise UsageError(
                "the RAGAS environment cannot be built",
                code="ragas",
                why=tail[0] if tail else "the package installer did not finish",
                do="set judge.goal to two_step, or give the job access to a package index",
            )
    mark.write_bytes(wanted)
    return python


@dataclass(frozen=True, slots=True, kw_only=True)
class RagasWorker:
    """One model behind one OpenAI-compatible URL. `token` is the gateway's, never a provider's key."""

    python: Path
    model: str
    base_url: str
    token: str
    program: Path = PROGRAM
    seconds: float = ASK_SECONDS

    def judge(self, messages: Sequence[Mapping[str, Any]], reference: str) -> Settled:
        """Whether the conversation ended in the reference's goal. Every failure is an error in the result."""
        request = {
            "messages": list(messages),
            "reference": reference,
            "model": self.model,
            "base_url": self.base_url,
            "token": self.token,
            "timeout": self.seconds / 3,
        }
        home = str(self.python.parent.parent)
        done = process.run(
            [str(self.python), "-I", str(self.program)],
            stdin=json.dumps(request).encode(),
            timeout=self.seconds,
            env={"HOME": home, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "RAGAS_DO_NOT_TRACK": "true"},
        )
        if done.exit_code != 0:
            why = "it did not answer in time" if done.timed_out else f"it ended with {done.exit_code}"
            return self._failed(why)
        try:
            reply = json.loads(done.stdout)
        except ValueError:
            return self._failed("its reply is not JSON")
        value = reply.get("value") if isinstance(reply, dict) else None
        if value not in {0, 1} or isinstance(value, bool):
            error = reply.get("error") if isinstance(reply, dict) else None
            return self._failed(str(error or "its reply has no value of 0 or 1")[:300])
        return Settled(
            item=REACHED,
            word=Word.YES if value == 1 else Word.NO,
            judge=self.model,
            way=f"ragas-{reply.get('version', 'unknown')}",
            reason="RAGAS gives no reason",
        )

    def _failed(self, why: str) -> Settled:
        return Settled(item=REACHED, error=f"the RAGAS worker: {why}", judge=self.model, way="ragas")
