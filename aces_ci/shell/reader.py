"""Talks to an unprivileged reader: questions in, values out, nothing else believed."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

from aces_ci.core.errors import DeliveryError
from aces_ci.core.evidence import Evidence
from aces_ci.core.pages import Pages
from aces_ci.core.request import (
    END,
    Answer,
    Asked,
    LinksOf,
    PagesOf,
    Parsed,
    Request,
    SiblingsOf,
    SkillOf,
    read_value,
    to_line,
)
from aces_ci.core.skill import Sibling
from aces_ci.core.wire import LINE_LIMIT, from_line
from aces_ci.shell.zygote import Zygote

MOST_LINES = 20_000
"""Lines of one answer; a skill with more findings than that is not being read, it is attacking."""
VALUE_LIMIT = 256 * 1024 * 1024
"""Bytes of an answer that is one value; all reports of 10,000 trials are about 40 MB."""


PATIENCE = 120.0
"""Seconds for one answer, most of which a busy runner may need; its processor time is limited in the child."""
PATIENCE_IN_ALL = 300.0
"""Seconds that questions without an answer may take in a run, before each gets no more than `LEAST`."""
LEAST = 10.0


@dataclass(slots=True)
class _Child:
    pid: int
    stdin: IO[str]
    stdout: IO[bytes]
    stderr: IO[str]
    read: bytearray
    """What it said after the last line that was taken."""


class Reader:
    """A context manager that starts a child process for every question; its descriptors are three.

    What has read one skill is asked about no other and renders no report. Links alone, which are many and small, share
    a child with the links asked before them.
    """

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self._child: _Child | None = None
        self._linking = False
        """Whether the child was asked for links and for nothing else."""
        self._lost = 0.0
        """Seconds spent on children that gave no answer."""

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._leave()

    @property
    def pid(self) -> int | None:
        """The child, where one is running."""
        return self._child.pid if self._child else None

    def _leave(self) -> None:
        """Give up the child."""
        if self._child is None:
            return
        child, self._child = self._child, None
        with suppress(BrokenPipeError):
            child.stdin.close()
        child.stdout.close()
        child.stderr.close()
        self._zygote.end(child.pid)

    def ask(self, request: Request) -> Iterator[Evidence]:
        """Tier 1 of one skill.

        Raises:
            DeliveryError: the child died (a bomb met its limits, or a bug) or said something that is no evidence.
        """
        for number, line in enumerate(self._answer(request, LINE_LIMIT), start=1):
            yield from_line(line, number=number, source="reader")

    def linked(self, text: str, folder: str, plugin_root: str | None) -> frozenset[str]:
        """What a Markdown text links to, as `changes.links.linked`. Raises DeliveryError."""
        found: frozenset[str] = self._value(LinksOf(text=text, folder=folder, plugin_root=plugin_root), "links")
        return found

    def siblings(self, asked: SiblingsOf) -> tuple[Sibling, ...]:
        """What an agent sees of skills before it chooses. Raises DeliveryError."""
        found: tuple[Sibling, ...] = self._value(asked, "siblings")
        return found

    def skill(self, asked: SkillOf) -> Parsed:
        """A skill, its bytes and its cases. Raises DeliveryError."""
        found: Parsed = self._value(asked, "skill")
        return found.with_files_of(asked.snapshot)

    def pages(self, asked: PagesOf) -> Pages:
        """A report as texts. Raises DeliveryError."""
        found: Pages = self._value(asked, "pages")
        return found

    def _value(self, asked: Asked, answer: Answer) -> Any:
        lines = list(self._answer(asked, VALUE_LIMIT))
        if len(lines) != 1:
            raise self._died()
        return read_value(answer, lines[0])

    def _answer(self, asked: Asked, limit: int) -> Iterator[str]:
        links = isinstance(asked, LinksOf)
        if not (links and self._linking):
            self._leave()
        self._linking = links
        return self._lines(to_line(asked), limit)

    def _lines(self, question: str, limit: int) -> Iterator[str]:
        child = self._child = self._child or self._born()
        begun = time.monotonic()
        deadline = begun + max(LEAST, min(PATIENCE, PATIENCE_IN_ALL - self._lost))
        try:
            child.stdin.write(question + "\n")
            child.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        for _ in range(MOST_LINES):
            line = _line(child, limit, deadline)
            if line == END:
                return
            if line is None:
                break
            yield line
        self._lost += time.monotonic() - begun
        raise self._died()

    def _born(self) -> _Child:
        (stdin, to_child), (from_child, stdout), (complaints, stderr) = (os.pipe() for _ in range(3))
        try:
            pid = self._zygote.fork((stdin, stdout, stderr))
        except DeliveryError:
            for mine in (to_child, from_child, complaints):
                os.close(mine)
            raise
        finally:
            for its in (stdin, stdout, stderr):
                os.close(its)
        return _Child(
            pid=pid,
            stdin=open(to_child, "w", encoding="utf-8"),  # noqa: PTH123 - a descriptor
            stdout=open(from_child, "rb", buffering=0),  # noqa: PTH123
            stderr=open(complaints, encoding="utf-8", errors="replace"),  # noqa: PTH123
            read=bytearray(),
        )

    def _died(self) -> DeliveryError:
        """Why; the child is ended, and the next question meets a fresh one."""
        child, self._child = self._child, None
        assert child is not None
        child.stdout.close()
        status = self._zygote.end(child.pid)
        said = child.stderr.read(20_000).strip().splitlines()
        child.stderr.close()
        with suppress(BrokenPipeError):
            child.stdin.close()
        return DeliveryError(
            "the unprivileged reader stopped before it was done",
            code="reader_died",
            at=said[-1][:200] if said else f"exit {status}",
            why="it reads the change's bytes under limits of time and memory; one of them was reached, or it has a bug",
            do="look for a very large or deeply nested file in the changed skill; else report the line above",
        )


def _line(child: _Child, limit: int, deadline: float) -> str | None:
    """The next line without its end; None at the end, after the deadline, or for one that is too long or not UTF-8."""
    ready = select.poll()
    ready.register(child.stdout, select.POLLIN)
    seen = 0
    while (end := child.read.find(b"\n", seen)) < 0:
        seen = len(child.read)
        left = deadline - time.monotonic()
        if seen > 4 * limit or left <= 0 or not ready.poll(left * 1000):
            return None
        data = child.stdout.read(1 << 16)
        if not data:
            return None
        child.read += data
    line = bytes(child.read[:end])
    del child.read[: end + 1]
    try:
        return line.decode("utf-8") if len(line) <= 4 * limit else None
    except UnicodeDecodeError:
        return None
