"""`aces-ci init`: a repository that is ready for the text checks, with nothing of its own touched."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from aces_ci import __version__
from aces_ci.authoring.scaffold import files, forge_of
from aces_ci.cli.main import cli
from aces_ci.core.errors import UsageError
from aces_ci.settings.model import Settings
from tests.dialects.suites import files_below, suite_of


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in ("alpha-notes", "beta-notes"):
        (tmp_path / "skills" / name).mkdir(parents=True)
        (tmp_path / "skills" / name / "SKILL.md").write_text(
            f"---\nname: {name}\ndescription: Writes notes about {name}.\n---\n# Notes\n"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Any:
    return CliRunner().invoke(cli, ["init", *args], standalone_mode=False)


def test_it_writes_settings_a_job_and_a_first_suite(repo: Path) -> None:
    result = run()
    assert result.return_value == 0, result.exception
    Settings.model_validate(yaml.safe_load((repo / "aces.yml").read_text()))
    assert (repo / ".github/workflows/skills.yml").is_file()
    assert len(suite_of(files_below(repo / "skills/alpha-notes"), "alpha-notes").cases) == 4
    assert not (repo / "skills/beta-notes/evals").exists()
    assert "next: aces-ci check" in result.stdout


def test_a_second_time_it_touches_nothing_and_drafts_for_the_next_skill(repo: Path) -> None:
    run()
    (repo / "aces.yml").write_text("version: 1\n")
    result = run()
    assert (repo / "aces.yml").read_text() == "version: 1\n"
    assert "kept     aces.yml" in result.stdout
    assert (repo / "skills/beta-notes/evals/evals.json").is_file()
    assert not list(repo.rglob("*.bak"))


def test_a_dry_run_writes_nothing(repo: Path) -> None:
    before = files_below(repo)
    assert "would write aces.yml" in run("--dry-run").stdout
    assert files_below(repo) == before


def test_a_link_in_place_of_a_file_is_left_alone(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "target"
    (repo / "aces.yml").symlink_to(elsewhere)
    run()
    assert not elsewhere.exists()


def test_gitlab_gets_its_component_and_a_present_pipeline_is_told_what_to_add(repo: Path) -> None:
    (repo / ".gitlab-ci.yml").write_text("stages: [test]\n")
    result = run("--no-evals")
    assert (repo / ".gitlab-ci.yml").read_text() == "stages: [test]\n"
    assert "add to it: - component: $CI_SERVER_FQDN" in result.stdout
    assert not (repo / ".github").exists()


def test_outside_a_repository_it_says_so(tmp_path: Path) -> None:
    refused = run("-C", str(tmp_path)).exception
    assert isinstance(refused, UsageError)
    assert refused.code == "no_repository"


def test_the_forge_is_told_by_files_then_by_the_remote() -> None:
    assert forge_of("", frozenset()) == "github"
    assert forge_of("url = https://gitlab.com/a/b", frozenset()) == "gitlab"
    assert forge_of("url = https://gitlab.com/a/b", frozenset({".github/"})) == "github"
    assert forge_of("url = https://github.com/a/b", frozenset({".gitlab-ci.yml"})) == "gitlab"


def test_jobs_are_the_published_examples(root: Path) -> None:
    github, gitlab = (files(forge=forge, version=__version__) for forge in ("github", "gitlab"))
    assert github[".github/workflows/skills.yml"] == (root / "examples/github/minimal.yml").read_text()
    assert gitlab[".gitlab-ci.yml"] == (root / "examples/gitlab/minimal.yml").read_text()
