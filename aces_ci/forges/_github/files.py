"""The files by which a step speaks to its runner: outputs, and the job summary."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from aces_ci.core.errors import DeliveryError

SUMMARY_LIMIT = 1_000_000
"""Bytes; past 1 MiB the runner drops the whole summary and says so in red."""
_CUT = "\n\n…the rest is in the report.\n"


def write_outputs(path: str, outputs: Mapping[str, str]) -> None:
    """Append to GITHUB_OUTPUT. The delimiter is random: a value may hold a model's text, delimiter and all.

    Raises:
        DeliveryError: the file cannot be written.
    """
    rows = []
    for name, value in outputs.items():
        mark = f"aces_{secrets.token_hex(16)}"
        rows.append(f"{name}<<{mark}\n{value}\n{mark}\n")
    _append(path, "".join(rows), "outputs")


def write_summary(path: str, markdown: str) -> None:
    """Append to GITHUB_STEP_SUMMARY, cut at a line end below the runner's limit.

    Raises:
        DeliveryError: the file cannot be written.
    """
    data = markdown.encode()
    there = Path(path).stat().st_size if Path(path).exists() else 0
    room = SUMMARY_LIMIT - there
    if len(data) > room:
        kept = data[: max(0, room - len(_CUT.encode()))].decode("utf-8", "ignore").rpartition("\n")[0]
        markdown = close_markdown(kept) + _CUT
    _append(path, markdown.rstrip("\n") + "\n", "summary")


def close_markdown(text: str) -> str:
    """`text` with the fences and folds closed that a cut left open."""
    fence = ""
    folds = 0
    for row in text.split("\n"):
        mark = row.strip()
        run = len(mark) - len(mark.lstrip("`"))
        if fence:
            fence = "" if run >= len(fence) and run == len(mark) else fence
        elif run >= 3:
            fence = "`" * run
        else:
            folds += mark.count("<details") - mark.count("</details>")
    return text + (f"\n{fence}" if fence else "") + "\n</details>" * max(0, folds)


def _append(path: str, text: str, what: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        with os.fdopen(handle, "ab") as file:
            file.write(text.encode())
    except OSError as error:
        raise DeliveryError(
            f"cannot write the job's {what}: {os.strerror(error.errno or 0)}", code="runner_file", at=path
        ) from None
