"""A few lines at the bottom of a terminal that are drawn again and again; nothing of it without a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TextIO

FRAMES_A_SECOND = 4


def can_draw(stream: TextIO, env: Mapping[str, str]) -> bool:
    """Whether a frame can be drawn over on it."""
    return stream.isatty() and env.get("TERM", "dumb") != "dumb" and not env.get("CI")


@contextmanager
def drawn(stream: TextIO, lines: Callable[[int, int], list[str]], env: Mapping[str, str]) -> Iterator[None]:
    """Draw `lines(width, height)` until the block is left; the last frame stays.

    Only here is the drawing library imported: whoever reads a log pays nothing for it.
    """
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(file=stream, highlight=False, no_color=bool(env.get("NO_COLOR")), force_terminal=True)

    def draw() -> Text:
        # The library never sees markup: names of cases are the author's.
        return Text("\n".join(lines(console.width, console.height)), no_wrap=True, overflow="crop")

    live = Live(
        get_renderable=draw,
        console=console,
        refresh_per_second=FRAMES_A_SECOND,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with live:
        yield
        live.refresh()
