"""The report and the comment in a real browser: hostile text does nothing, and a phone shows a table as a table."""

from __future__ import annotations

import io
import subprocess
import tempfile
from html import escape
from pathlib import Path

import pytest

from aces_ci.jobs.run import Options, run
from tests.git_history import History, skill
from tools.picture import CHROMIUM, page

pytestmark = pytest.mark.e2e
HOSTILE = (
    "</title><script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\"> "
    "[x](javascript:document.title='pwned') Use when asked."
)


def dom(path: Path, *, width: int = 1100) -> str:
    """The page as the browser has it after its scripts, if any, have run."""
    with tempfile.TemporaryDirectory() as profile:
        command = [*CHROMIUM, f"--user-data-dir={profile}", f"--window-size={width},900", "--dump-dom", path.as_uri()]
        return subprocess.run(command, check=True, capture_output=True, timeout=90).stdout.decode()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    history = History(folder / "origin")
    base = history.commit("main", {"README.md": "hello"})
    name = "skills/<img src=x onerror=document.title='pwned'>"
    history.commit(
        "work", {f"{name}/SKILL.md": skill("Bad Name", description=f'"{HOSTILE.replace(chr(34), "")}"')}, base
    )
    options = Options(repo=history.path, base="main", head="work", output=folder / "out", post=False)
    run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    return folder / "out"


def test_hostile_text_runs_nothing_in_the_report(results: Path) -> None:
    seen = dom(results / "report.html")
    title = seen.split("<title>")[1].split("</title>")[0]
    assert title.startswith("Blocked")
    assert title != "pwned", "the name stands in the title as text, it did not become the title"
    assert "<script" not in seen
    assert "<img" not in seen
    assert "onerror" in seen, "the positive control: the name is there, as text"


def test_hostile_text_runs_nothing_in_a_rendered_comment(results: Path, tmp_path: Path) -> None:
    html = tmp_path / "comment.html"
    html.write_text(page((results / "comment.md").read_text("utf-8")), encoding="utf-8")
    seen = dom(html)
    assert "pwned" not in seen.split("<body>")[0]
    assert "<img" not in seen
    assert "javascript:" not in seen.replace("<code>", "")


MEASURE = """<script>
const wide = [document.documentElement, ...document.querySelectorAll("body *")].filter(
  (each) => !each.closest("svg") && each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
    && getComputedStyle(each).display !== "inline");
parent.document.title = wide.length ? wide[0].tagName + " " + wide[0].scrollWidth : "fits " + innerWidth;
</script>"""


def fits(html: str, folder: Path, width: int) -> str:
    """`fits` and the width, or the first element that scrolls sideways. A frame, as no window is below 500 wide."""
    page = folder / "measured.html"
    policy = html.index('<meta http-equiv="Content-Security-Policy"')
    bare = html[:policy] + html[html.index(">", policy) + 1 :]
    inner = escape(bare.replace("</body>", f"{MEASURE}</body>"), quote=True)
    frame = f'<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{inner}"></iframe>'
    page.write_text(f"<!doctype html><title>not measured</title>{frame}", encoding="utf-8")
    return dom(page).split("<title>")[1].split("</title>")[0]


@pytest.mark.parametrize("width", [360, 420, 800, 1000])
def test_the_report_never_scrolls_sideways(results: Path, tmp_path: Path, width: int) -> None:
    """On a phone each row of a table is a block of its own, with the names of its columns."""
    html = (results / "report.html").read_text("utf-8")
    assert fits(html, tmp_path, width) == f"fits {width}"
    if width < 800:
        assert fits(html.replace("@media (max-width: 820px)", "@media (max-width: 1px)"), tmp_path, width) != (
            f"fits {width}"
        ), "the probe bites"


def test_the_probe_bites(tmp_path: Path) -> None:
    html = tmp_path / "naive.html"
    html.write_text(f"<!doctype html><title>x</title><p>{HOSTILE}</p>", encoding="utf-8")
    assert "<title>pwned" in dom(html)
