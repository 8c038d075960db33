"""The RAGAS worker as the rest sees it: its environment, what it is asked, how its one reply is read."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aces_ci.core.errors import UsageError
from aces_ci.core.grading.judged import Settled, Word
from aces_ci.core.grading.judged_items import REACHED
from aces_ci.core.staging import StagedFile
from aces_ci.ports.goal_worker import Conversation
from aces_ci.shell import process

CONSTRAINTS = Path(__file__).with_name("constraints.txt")
PROGRAM = Path(__file__).with_name("program.py")
BUILD_SECONDS = 900.0
_MARK = "constraints.txt"


@dataclass(slots=True)
class RagasWorker:
    """RAGAS' AgentGoalAccuracyWithReference. It gets the gateway's token, never a provider's key."""

    name: str = "ragas"
    recipe: str = "ragas"
    interpreter: str = "/opt/ragas/bin/python"
    environment: Mapping[str, str] = field(
        # Any other value, `1` among them, leaves its telemetry on.
        default_factory=lambda: {"RAGAS_DO_NOT_TRACK": "true", "LC_ALL": "C.UTF-8"}
    )

    def program(self) -> StagedFile:
        """The one file that names ragas."""
        return StagedFile(path="aces/goal.py", data=PROGRAM.read_bytes())

    def context(self) -> tuple[StagedFile, ...]:
        """The shipped constraints file."""
        return (StagedFile(path=CONSTRAINTS.name, data=CONSTRAINTS.read_bytes()),)

    def installed(self, folder: Path) -> Path | None:
        """The interpreter; None where it is missing or was built from other constraints."""
        python, mark = folder / "bin" / "python", folder / _MARK
        fresh = python.exists() and mark.exists() and mark.read_bytes() == CONSTRAINTS.read_bytes()
        return python if fresh else None

    def build(self, folder: Path) -> Path:
        """The environment's interpreter, built where it is not installed.

        Raises:
            UsageError: it cannot be built; RAGAS is optional, `two_step` needs none of it.
        """
        found = self.installed(folder)
        if found is not None:
            return found
        python = folder / "bin" / "python"
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
                    do="set live.goal_accuracy to two_step, or give the job access to a package index",
                )
        (folder / _MARK).write_bytes(CONSTRAINTS.read_bytes())
        return python

    def request(
        self, conversations: Sequence[Conversation], *, model: str, base_url: str, token: str, seconds: float
    ) -> bytes:
        """One JSON object; `seconds` bounds each call of the model."""
        told = [{"messages": list(each.messages), "reference": each.reference} for each in conversations]
        asked = {"conversations": told, "model": model, "base_url": base_url, "token": token, "timeout": seconds}
        return json.dumps(asked).encode()

    def verdicts(self, reply: bytes, count: int, judge: str) -> tuple[Settled, ...]:
        """Yes or no for each conversation; everything else is an error, never a no."""
        try:
            document = json.loads(reply)
        except (ValueError, RecursionError):
            return (_failed("its reply is not JSON", judge),) * count
        rows = document.get("verdicts") if isinstance(document, dict) else None
        if not isinstance(rows, list) or len(rows) != count:
            error = document.get("error") if isinstance(document, dict) else None
            return (_failed(str(error or f"its reply has not {count} verdicts"), judge),) * count
        way = f"ragas-{document.get('version', 'unknown')}"
        return tuple(_verdict(row, judge, way) for row in rows)


def _verdict(row: Any, judge: str, way: str) -> Settled:
    value = row.get("value") if isinstance(row, dict) else None
    if value not in {0, 1} or isinstance(value, bool):
        error = row.get("error") if isinstance(row, dict) else None
        return _failed(str(error or "its reply has no value of 0 or 1"), judge)
    word = Word.YES if value == 1 else Word.NO
    return Settled(item=REACHED, word=word, judge=judge, way=way, reason="RAGAS gives no reason")


def _failed(why: str, judge: str) -> Settled:
    return Settled(item=REACHED, error=f"the RAGAS worker: {' '.join(why.split())[:300]}", judge=judge, way="ragas")


WORKER = RagasWorker()
