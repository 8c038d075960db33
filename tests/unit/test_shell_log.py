"""The log as a runner would read it."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.shell.log import Dialect, Log, inert

HOSTILE = (
    "::set-env name=PATH::/tmp",
    "  ::error::x",
    "mid ##[add-mask]a line",
    "::stop-commands::x",
    "a\r::warning::b",
    "section_start:1:x\r\x1b[0Kboo",
    "\x1b]8;;https://evil.example\x07click",
    ":::group:::x",
    "\u2028::error::y",
)


def commands(text: str) -> list[str]:
    """What actions/runner takes for a command: `::` after leading blanks, `##[` anywhere."""
    rows = re.split(r"[\r\n\u2028]", text)
    return [row for row in rows if re.match(r"\s*::[^:\s]", row) or "##[" in row]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_no_command_for_any_runner(text: str) -> None:
    stream = io.StringIO()
    Log(stream, Dialect.PLAIN).untrusted(text)
    Log(stream, Dialect.GITLAB).untrusted(text)
    Log(stream, Dialect.PLAIN).line(text)
    assert commands(stream.getvalue()) == []
    assert "\x1b" not in stream.getvalue()
    assert "section_start" not in stream.getvalue()


@given(st.text(alphabet=st.sampled_from(":#[]ae \r\n\x1b\u2028"), max_size=40))
def test_inert_text_holds_no_token_whatever_the_mix(text: str) -> None:
    shown = inert(text)
    assert "::" not in shown
    assert "##[" not in shown
    assert not re.search(r"[\x00-\x1f\x7f\u2028]", shown)


def test_untrusted_text_stands_between_stop_commands_with_a_fresh_token() -> None:
    stream = io.StringIO()
    log = Log(stream, Dialect.GITHUB)
    log.untrusted("one\ntwo")
    log.untrusted("three")
    rows = stream.getvalue().splitlines()
    assert rows[1:3] == ["| one", "| two"]
    assert rows[0].removeprefix("::stop-commands::") == rows[3].strip(":")
    assert rows[0] != rows[4]


@pytest.mark.parametrize(
    ("properties", "line"),
    [
        (
            {"file": "a/SKILL.md", "line": "3", "title": "a: no trigger"},
            "warning: a/SKILL.md:3: a: no trigger. It says.",
        ),
        ({}, "warning: It says."),
    ],
)
def test_a_plain_line_tells_title_and_message_apart(properties: dict[str, str], line: str) -> None:
    stream = io.StringIO()
    Log(stream, Dialect.PLAIN).annotate("warning", "It says.", **properties)
    assert stream.getvalue() == f"{line}\n"


def test_annotation_escapes_what_the_runner_splits_at() -> None:
    stream = io.StringIO()
    Log(stream, Dialect.GITHUB).annotate("error", "50% of\nlines", file="a,b:c.md", line="3", title="x: y")
    assert stream.getvalue() == "::error file=a%2Cb%3Ac.md,line=3,title=x%3A y::50%25 of lines\n"


def test_annotation_is_cut_where_the_runner_cuts() -> None:
    stream = io.StringIO()
    Log(stream, Dialect.GITHUB).annotate("error", "x" * 10_000)
    assert len(stream.getvalue()) == len("::error::") + 4096 + 1


def test_groups_fold_on_github_and_gitlab_and_do_not_nest_on_github() -> None:
    stream = io.StringIO()
    log = Log(stream, Dialect.GITHUB)
    with log.group("outer"), log.group("inner"):
        log.line("x")
    assert stream.getvalue().splitlines() == ["::group::outer", "inner", "x", "::endgroup::"]
    stream = io.StringIO()
    with Log(stream, Dialect.GITLAB, clock=lambda: 5.0).group("outer"):
        pass
    start, end = stream.getvalue().split("\n")[:2]
    name = re.search(r"section_start:5:(\w+)\r", start)
    assert name is not None
    assert f"section_end:5:{name[1]}\r" in end


def test_secrets_are_masked_line_by_line_and_redacted_from_what_follows() -> None:
    stream = io.StringIO()
    log = Log(stream, Dialect.GITHUB, redact=lambda text: text.replace("hunter22", "***"))
    log.mask("first\nsecond")
    log.line("key hunter22")
    assert stream.getvalue().splitlines() == ["::add-mask::first", "::add-mask::second", "key ***"]
