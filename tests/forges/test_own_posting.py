"""`aces-ci post PATH`: the report of an earlier step of this very run, and what is wrong with it in its own words."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.evidence import PolicySource, RunEnded, Structure
from aces_ci.jobs.post import Options, post
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run, an_event
from tests.contracts.forge_rigs import BASE, HEAD, NUMBER, RIGS, Rig

FORGES = ["github", "gitlab"]


def written(rig: Rig, folder: Path) -> Path:
    """What the run before this step wrote."""
    event = an_event(
        kind=EventKind.CHANGE_REQUEST,
        forge=rig.name,
        repo="acme/agent-skills",
        head_sha=HEAD,
        base_sha=BASE,
        base_ref="main",
        change_request=NUMBER,
        trust=Trust.OWN,
    )
    skill = a_changed_skill()
    rows = [
        replace(a_run(), event=event, policy=PolicySource(ref="built-in defaults")),
        skill,
        Structure(skill=skill.path, conformant=True, score=84),
        RunEnded(seconds=0.3),
    ]
    (folder / "report.json").write_text(compose.report_to_json(assemble(rows)), encoding="utf-8")
    return folder / "report.json"


def posted(rig: Rig, path: Path | None) -> str:
    log = io.StringIO()
    token = {"GITHUB_TOKEN": "tok", "ACES_GITLAB_TOKEN": "glpat"}
    options = Options(path=path, repo=Path(), source="aces-ci", artifact="aces-results", change=None)
    assert post(options, env={**rig.env, **token}, stderr=log) == 0
    return log.getvalue()


@pytest.mark.parametrize("name", FORGES)
def test_it_becomes_the_comment_by_file_and_by_folder(name: str, tmp_path: Path) -> None:
    with RIGS[name](tmp_path) as rig:
        path = written(rig, tmp_path)
        assert "comment created" in posted(rig, path)
        assert "comment unchanged" in posted(rig, tmp_path)
        (body,) = rig.bodies()
    assert f"head={HEAD}" in body.split("\n")[0]
    assert "not verified" not in body, "it is this run's own word"


@pytest.mark.parametrize("name", FORGES)
def test_the_comment_is_the_one_that_the_default_branch_s_settings_name(name: str, tmp_path: Path) -> None:
    with RIGS[name](tmp_path) as rig:
        rig.settle(b"version: 1\ncomment: {key: skills}\n")
        path = written(rig, tmp_path)
        posted(rig, path)
        (body,) = rig.bodies()
        assert "key=skills" in body.split("\n")[0], "else an approval looks for another comment than there is"
        rig.settle(b"version: 1\ncomment: {key: other, enabled: false}\n")
        assert "comment none" in posted(rig, path)


def other_commit(document: dict[str, Any]) -> None:
    document["event"]["head_sha"] = "f" * 40


def other_change(document: dict[str, Any]) -> None:
    document["event"]["change_request"] = 7


def unknown_key(document: dict[str, Any]) -> None:
    document["approved"] = True


def next_version(document: dict[str, Any]) -> None:
    document["schema_version"] = 99


WRONG: list[tuple[str, Callable[[dict[str, Any]], None], str]] = [
    ("commit", other_commit, f"it speaks of {'f' * 40} of change 42"),
    ("commit", other_change, f"it speaks of {HEAD} of change 7"),
    ("report_json", unknown_key, "approved"),
    ("schema_version", next_version, "schema_version"),
]


@pytest.mark.parametrize(("code", "change", "says"), WRONG, ids=[row[1].__name__ for row in WRONG])
def test_what_is_wrong_is_said_of_this_file_and_not_of_another_job(
    code: str, change: Callable[[dict[str, Any]], None], says: str, tmp_path: Path
) -> None:
    with RIGS["github"](tmp_path) as rig:
        path = written(rig, tmp_path)
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        with pytest.raises(UsageError) as caught:
            posted(rig, path)
        assert rig.bodies() == []
    text = caught.value.text()
    assert (caught.value.code, caught.value.path) == (code, str(path))
    assert str(path) in caught.value.message
    assert says in text
    assert "other job" not in text
    assert caught.value.do


@pytest.mark.parametrize("name", [*FORGES, "local"])
def test_a_file_that_is_not_there_is_called_missing(name: str, tmp_path: Path) -> None:
    with RIGS[name](tmp_path) as rig, pytest.raises(UsageError) as caught:
        posted(rig, tmp_path)
    text = caught.value.text()
    assert text.startswith("error: there is no report to post")
    assert f"there is no file {tmp_path / 'report.json'}" in text
    assert "other job" not in text
    assert "refused" not in text


@pytest.mark.parametrize(
    ("name", "code", "do"),
    [
        ("github", "run_event", "workflow_run"),
        ("local", "no_forge", "comment.md"),
    ],
)
def test_without_a_path_a_job_that_follows_no_other_says_what_to_give(
    name: str, code: str, do: str, tmp_path: Path
) -> None:
    with RIGS[name](tmp_path) as rig, pytest.raises(UsageError) as caught:
        posted(rig, None)
    assert caught.value.code == code
    assert caught.value.message == "there is no report to post"
    assert do in (caught.value.do or "")


def test_a_terminal_has_nowhere_to_post(tmp_path: Path) -> None:
    with RIGS["github"](tmp_path) as rig:
        path = written(rig, tmp_path)
    with RIGS["local"](tmp_path) as rig, pytest.raises(UsageError) as caught:
        posted(rig, path)
    assert caught.value.code == "no_forge"
    assert "comment.md" in (caught.value.do or "")
