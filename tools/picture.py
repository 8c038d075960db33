"""Renders a comment as a forge would show it and takes its picture: `picture.py comment.md out.png [width]`.

markdown-it's GitHub-like preset and a plain stylesheet in Chromium; github.com itself is not asked.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

STYLE = """
body { font: 14px/1.5 "Segoe UI", "Noto Sans", sans-serif; color: #1f2328; margin: 0; padding: 16px 20px; }
h3 { font-size: 20px; margin: 0 0 12px; }
table { border-collapse: collapse; margin: 0 0 16px; display: block; overflow: auto; }
td, th { border: 1px solid #d1d9e0; padding: 6px 13px; }
tr:nth-child(2n) { background: #f6f8fa; }
code { font: 85% "Liberation Mono", monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px; }
pre { background: #f6f8fa; padding: 12px; border-radius: 6px; overflow: auto; }
pre code { background: none; padding: 0; }
a { color: #0969da; text-decoration: none; }
sub { font-size: 12px; }
details { margin: 6px 0; }
p, ol, ul { margin: 0 0 12px; }
"""
CHROMIUM = (
    "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
)  # fmt: skip


def page(markdown: str) -> str:
    """A whole HTML document."""
    body = MarkdownIt("gfm-like", {"html": True, "breaks": True}).render(markdown)
    return f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>{body}'


def picture(html: Path, out: Path, width: int, height: int) -> None:
    """A PNG of a local page."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *CHROMIUM,
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                f"--screenshot={out}",
                html.as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=90,
        )


def main(source: str, target: str, width: str = "860", height: str = "900") -> None:
    """Read, render, shoot."""
    path = Path(source)
    if path.suffix == ".html":
        picture(path.resolve(), Path(target).resolve(), int(width), int(height))
        return
    with tempfile.TemporaryDirectory() as folder:
        html = Path(folder) / "page.html"
        html.write_text(page(path.read_text("utf-8")), encoding="utf-8")
        picture(html, Path(target).resolve(), int(width), int(height))


if __name__ == "__main__":
    main(*sys.argv[1:])
