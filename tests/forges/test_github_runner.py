"""What reaches the runner and the checks page beside the comment."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci.compose import annotations_of
from aces_ci.core.evidence import RunEnded
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.pages import Pages
from aces_ci.forges._github.files import SUMMARY_LIMIT, close_markdown, write_outputs, write_summary
from aces_ci.publication import post as publish
from aces_ci.settings.load import load
from aces_ci.shell.log import Log
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run
from tests.contracts.forge_rigs import github, note, publication
from tests.fakes.server import Answer


def outputs(text: str) -> dict[str, str]:
    """Read GITHUB_OUTPUT as the runner does: `name<<MARK`, lines, `MARK`."""
    found: dict[str, str] = {}
    rows = iter(text.split("\n"))
    for row in rows:
        if not row:
            continue
        name, mark = row.split("<<", 1)
        value = []
        for inner in rows:
            if inner == mark:
                break
            value.append(inner)
        else:
            raise AssertionError("a delimiter is missing")
        found[name] = "\n".join(value)
    return found


def test_outputs_survive_values_that_look_like_the_file_s_own_syntax(tmp_path: Path) -> None:
    path = tmp_path / "out"
    values = {"verdict": "blocked", "text": "a\nEOF\nverdict<<x\nclean\nx\nname=value", "empty": ""}
    write_outputs(str(path), values)
    write_outputs(str(path), {"more": "1"})
    assert outputs(path.read_text()) == {**values, "more": "1"}


def test_delimiters_are_never_the_same_twice(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_outputs(str(path), {"a": "1", "b": "2"})
    marks = re.findall(r"<<(\S+)", path.read_text())
    assert len(set(marks)) == 2


def test_a_summary_too_long_for_the_runner_is_cut_and_stays_markdown(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    path.write_text("from an earlier step\n")
    write_summary(str(path), "<details>\n\n```text\n" + "🙂 line\n" * 200_000)
    data = path.read_bytes()
    assert len(data) <= 1024 * 1024
    assert len(data) > SUMMARY_LIMIT - 100
    text = data.decode()
    assert text.count("```") % 2 == 0
    assert text.count("<details>") == text.count("</details>")
    assert "rest is in the report" in text


@pytest.mark.parametrize(
    ("cut", "closed"),
    [
        ("a", "a"),
        ("````text\n```\nx", "````text\n```\nx\n````"),
        ("<details><summary>x</summary>\n- a", "<details><summary>x</summary>\n- a\n</details>"),
        ("```\n<details>\n```", "```\n<details>\n```"),
    ],
)
def test_what_a_cut_left_open_is_closed(cut: str, closed: str) -> None:
    assert close_markdown(cut) == closed


def test_ten_annotations_of_each_level_and_the_last_says_how_many_are_left(tmp_path: Path) -> None:
    with github(tmp_path) as rig:
        notes = [note("error", number) for number in range(1, 144)] + [note("warning", 500)]
        rig.forge.publish(rig.event(), publication(annotations=notes))
        rows = rig.log.getvalue().splitlines()
    errors = [row for row in rows if row.startswith("::error ")]
    assert len(errors) == 10
    assert "line=1," in errors[0]
    assert "title=134 more in the summary" in errors[-1]
    assert len([row for row in rows if row.startswith("::warning ")]) == 1


def test_the_worst_comes_first_among_those_that_are_shown(tmp_path: Path) -> None:
    """Of twelve errors ten are shown, so the two critical ones must not be the last of the file."""
    mild = findings(Severity.ERROR, Category.SPEC, range(1, 13))
    grave = findings(Severity.CRITICAL, Category.SECURITY, range(90, 92))
    report = assemble([a_run(), a_changed_skill(), *mild, *grave, RunEnded(seconds=0.1)])
    with github(tmp_path) as rig:
        rig.forge.publish(rig.event(), publication(annotations=annotations_of(report)))
        rows = [row for row in rig.log.getvalue().splitlines() if row.startswith("::error ")]
    assert len(rows) == 10
    assert [re.search(r"line=(\d+)", row)[1] for row in rows[:2]] == ["90", "91"]  # type: ignore[index]


def findings(severity: Severity, category: Category, lines: range) -> list[Finding]:
    """One a line, all new."""
    path = a_changed_skill().path
    return [
        Finding(
            skill=path,
            code="SP004" if severity is Severity.ERROR else "SE001",
            severity=severity,
            category=category,
            path=f"{path}/SKILL.md",
            line=line,
            title=f"thing {line}",
            message="What is wrong, and why.",
            hint="mend it",
            new=True,
        )
        for line in lines
    ]


def test_exactly_ten_are_all_shown(tmp_path: Path) -> None:
    with github(tmp_path) as rig:
        rig.forge.publish(rig.event(), publication(annotations=[note("error", n) for n in range(1, 11)]))
        assert "more in the summary" not in rig.log.getvalue()
        assert rig.log.getvalue().count("::error ") == 10


def test_the_check_run_takes_all_annotations_in_chunks_of_fifty(tmp_path: Path) -> None:
    with github(tmp_path) as rig:
        notes = [note("error", number) for number in range(1, 144)]
        rig.forge.publish(
            rig.event(), publication(annotations=notes, failed=True, summary="x" * 70_000, check_run=True)
        )
        assert rig.server is not None
        sent = rig.server.seen("POST", "/check-runs") + rig.server.seen("PATCH", "/check-runs/")
    sizes = [len(item.request.body["output"]["annotations"]) for item in sent]
    assert sizes == [50, 50, 43]
    assert {item.answer.status for item in sent} == {201, 200}
    assert sent[0].request.body["conclusion"] == "failure"
    assert sent[0].request.body["head_sha"] == publication().head_sha
    lines = [row["start_line"] for item in sent for row in item.request.body["output"]["annotations"]]
    assert lines == list(range(1, 144))


@pytest.mark.parametrize("asked", ["true", "false"])
def test_the_policy_asks_for_a_check_run_as_the_input_does(tmp_path: Path, asked: str) -> None:
    report = assemble([a_run(), a_changed_skill(), RunEnded(seconds=0.1)])
    with github(tmp_path) as rig:
        report = replace(report, event=rig.event())
        pages = Pages(
            texts={"comment.md": "c", "summary.md": "s"}, smaller="c", brief="c", title="t", annotations=(), outputs={}
        )
        publish(report, pages, rig.forge, load(overrides=(f"comment.check_run={asked}",)), Log(io.StringIO()))
        assert rig.server is not None
        assert len(rig.server.seen("POST", "/check-runs")) == (asked == "true")


def test_a_refused_check_run_is_a_notice_beside_the_comment(tmp_path: Path) -> None:
    with github(tmp_path) as rig:
        assert rig.server is not None
        rig.server.force("POST", "/check-runs", Answer(status=403, body={"message": "no checks: write"}))
        posted = rig.forge.publish(rig.event(), publication(check_run=True))
    assert posted.comment == "created"
    assert "no checks: write" in posted.notices[-1]


def test_a_read_only_token_leaves_summary_outputs_and_annotations(tmp_path: Path) -> None:
    with github(tmp_path, token="read-only") as rig:
        posted = rig.forge.publish(rig.event(), publication(annotations=(note(),)))
        assert rig.bodies() == []
        assert "::error file=" in rig.log.getvalue()
    assert posted.comment == "refused"
    assert "Resource not accessible by integration" in posted.notices[0]
    assert "pull_request_target" not in posted.notices[0]
    assert outputs((tmp_path / "output").read_text()) == {"verdict": "clean"}
    assert (tmp_path / "summary").read_text() == "## one\n"


def test_without_graphql_nothing_is_guessed_and_nothing_is_doubled(tmp_path: Path) -> None:
    with github(tmp_path) as rig:
        assert rig.server is not None
        rig.forge.publish(rig.event(), publication())
        rig.server.force("POST", "/graphql", Answer(status=403, body={"message": "no"}))
        posted = rig.forge.publish(rig.event(), publication("two"))
        assert len(rig.bodies()) == 1
        assert not rig.server.seen("GET", "/user")
    assert posted.comment == "refused"
    assert "twice" in posted.notices[0]
