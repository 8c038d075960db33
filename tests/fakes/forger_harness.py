"""The forger as a harness like any other: `command` of its contender names the forgery."""

from __future__ import annotations

from pathlib import Path

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.staging import StagedFile
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

SCRIPT = "forger.py"


class Forger:
    """Runs `tests/fakes/forger.py`; its log is read as Claude Code's."""

    name = "forger"
    version = "1"
    apis = (Protocol.MESSAGES,)
    recipe: str | None = "builtin"
    skills = ".claude/skills"
    keep_home = (".claude/projects/",)
    opening: Opening | None = None

    def launch(self, invocation: Invocation) -> Launch:
        """As the other harnesses: the task on standard input, the token in the environment."""
        mode = next(iter(invocation.command), "honest")
        script = Path(__file__).with_name(SCRIPT).read_bytes()
        return Launch(
            command=("python3", "-I", "-S", f"{invocation.home}/{SCRIPT}", mode, invocation.model),
            environment={"ANTHROPIC_BASE_URL": invocation.base_url, "ANTHROPIC_API_KEY": invocation.token},
            stdin=invocation.prompt.encode(),
            home=(StagedFile(path=SCRIPT, data=script),),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """By exit code alone."""
        if log.exit_code == 0:
            return None
        return Failure(kind=FailureKind.KILLED if log.killed else FailureKind.CRASHED, because="it failed")


FORGER = Forger()
