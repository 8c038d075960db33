"""Errors that a person can act on: what happened, where, why it matters, what to do.

The exit codes are a contract, told by `aces-ci --help`; each class owns exactly one.
"""

from __future__ import annotations


class AcesError(Exception):
    """An expected failure of aces-ci itself, never of a skill (that is a `Finding`).

    `code` is a stable machine word; `at`, `why` and `do` are one sentence each, or None.
    `path` and `line` (1-based) locate the cause in a file of the user.
    """

    exit_code = 4

    def __init__(
        self,
        message: str,
        *,
        code: str,
        at: str | None = None,
        why: str | None = None,
        do: str | None = None,
        path: str | None = None,
        line: int | None = None,
        excerpt: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.at = at
        self.why = why
        self.do = do
        self.path = path
        self.line = line
        self.excerpt = excerpt
        """Source lines shown under the message, already numbered and marked."""
        self.also: tuple[str, ...] = ()
        """What else is wrong in the same place, each with its own position: a person mends all in one go."""

    def text(self) -> str:
        """What a terminal shows, without colour: the error, where, what else, why, what to do."""
        rows = [f"error: {self.message}", *(f"  {row}" for row in self.excerpt)]
        for label, value in (
            ("at:", self.at),
            ("and:", "\n".join(self.also)),
            ("why:", self.why),
            ("do:", self.do),
        ):
            if value:
                first, *rest = value.split("\n")
                rows.append(f"  {label:<4} {first}")
                rows.extend(f"       {row}" for row in rest)
        return "\n".join(rows)

    def json(self) -> dict[str, object]:
        """The error document that `--format json` puts on stdout."""
        return {
            "schema_version": 1,
            "error": {
                "code": self.code,
                "message": self.message,
                "path": self.path,
                "line": self.line,
                "do": self.do,
            },
        }


class UsageError(AcesError):
    """The command, the configuration or the checkout is not usable; nothing was spent. Exit 2."""

    exit_code = 2


class DeliveryError(AcesError):
    """aces-ci could not do its own job midway: git, disk, or a report not written. Exit 4."""

    exit_code = 4


class NotPermitted(AcesError):
    """The forge refused for lack of rights. Who posts makes a notice of it and the verdict stays; where there is no
    verdict yet, nothing was looked at, and that is never green. Exit 4."""

    exit_code = 4
