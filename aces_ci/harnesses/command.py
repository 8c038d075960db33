"""Any program: it gets the task on standard input and the gateway's address in the environment."""

from __future__ import annotations

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch


class Command:
    """`harnesses: [{name: command, command: [...], model: ...}]`. Exit 0 is finished, all else is a failure."""

    name = "command"
    version = "1"
    apis = (Protocol.MESSAGES, Protocol.RESPONSES, Protocol.CHAT)
    recipe: str | None = "builtin"
    skills = ".agents/skills"
    keep_home = (".aces-log/",)
    opening: Opening | None = None

    def launch(self, invocation: Invocation) -> Launch:
        """The variables that the usual SDKs read, and our own for the rest. Raises UsageError: no command."""
        if not invocation.command:
            raise UsageError(
                "the harness `command` has no command",
                code="harness_command",
                why="it runs the program that the policy names",
                do="add `command: [program, argument]` to it in aces.yml",
            )
        return Launch(
            command=invocation.command,
            environment={
                "ANTHROPIC_BASE_URL": invocation.base_url,
                "ANTHROPIC_API_KEY": invocation.token,
                "OPENAI_BASE_URL": f"{invocation.base_url}/v1",
                "OPENAI_API_KEY": invocation.token,
                "ACES_MODEL": invocation.model,
                "ACES_MODEL_API": invocation.api.value,
                "ACES_SKILLS": f"{invocation.home}/{self.skills}",
            },
            stdin=invocation.prompt.encode("utf-8"),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """By exit code alone: nothing is known of its output."""
        if log.exit_code == 0:
            return None
        if log.killed:
            return Failure(kind=FailureKind.KILLED, because="it was killed")
        return Failure(kind=FailureKind.CRASHED, because=f"it exited with {log.exit_code}")


HARNESS = Command()
