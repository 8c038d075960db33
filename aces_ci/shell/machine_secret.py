"""A secret of this machine alone, for what has to be believed where there is no provider key to believe by."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

NAME = "cache-secret"
_LENGTH = 64


def machine_secret(env: Mapping[str, str], cwd: Path) -> str:
    """The same on every call on one machine; another on every call where no folder of the user's own can keep it.

    A folder below `cwd` is none: a change could bring the file along.
    """
    home = env.get("HOME")
    state = Path(env.get("XDG_STATE_HOME") or (Path(home) / ".local/state" if home else "."))
    fresh = secrets.token_hex(_LENGTH // 2)
    if not state.is_absolute() or state.resolve().is_relative_to(cwd.resolve()):
        return fresh
    file = state / "aces-ci" / NAME
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            kept = file.read_bytes().decode("ascii", "replace")
            return kept if len(kept) == _LENGTH else fresh
        with os.fdopen(handle, "w", encoding="ascii") as writer:
            writer.write(fresh)
    except OSError:
        return fresh
    return fresh
