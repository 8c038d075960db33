"""The one file that gates and budgets are read from, and what may not stand in its place (docs/trust.md rule 2)."""

from __future__ import annotations

from aces_ci.core.errors import UsageError

POLICY_FILE = "aces.yml"
SIZE_LIMIT = 64 * 1024
"""Bytes of it."""


def no_policy_file(branch: str, *, regular: bool) -> UsageError:
    """The error of what stands at `branch` under that name and is no file to read, or is `regular` and too long."""
    return UsageError(
        f"{POLICY_FILE} of {branch} is {'too long' if regular else 'not a regular file'}",
        code="policy_kind",
        path=POLICY_FILE,
        why="gates and budgets are read from there, and nothing else may stand for them",
        do=f"commit a plain file of at most {SIZE_LIMIT // 1024} KB, or delete it to have the built-in defaults",
    )
