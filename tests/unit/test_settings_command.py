"""`aces-ci settings`: each with its value, where that came from, what it means, and its variable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from aces_ci.cli.main import cli
from aces_ci.settings.load import leaves, twin

FILE = "version: 1\nstructural: {min_score: 80}\ngates:\n  structural: block\nlive: {when: label}\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "aces.yml").write_text(FILE, "utf-8")
    monkeypatch.setenv("ACES_LIVE_WHEN", "off")
    monkeypatch.setenv("INPUT_SET", "budget.usd=2.5")
    return tmp_path


def said(repo: Path, *words: str) -> str:
    result = CliRunner().invoke(cli, ["settings", "-C", str(repo), *words], standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.stdout


def listed(repo: Path, *words: str) -> dict[str, dict[str, Any]]:
    document = json.loads(said(repo, "--format", "json", *words))
    assert document["schema_version"] == 1
    return {row["key"]: row for row in document["settings"]}


def test_every_setting_is_listed_once_with_its_meaning_and_its_variable(repo: Path) -> None:
    rows = listed(repo)
    assert list(rows) == [".".join(path) for path, _ in leaves()]
    assert [row["twin"] for row in rows.values()] == [twin(path) for path, _ in leaves()]
    assert [key for key, row in rows.items() if len(row["help"]) < 8] == []
    text = said(repo)
    assert [line.split(" = ")[0] for line in text.splitlines() if not line.startswith("    ")] == list(rows)


def test_each_value_says_which_layer_it_is_of_and_the_outer_one_wins(repo: Path) -> None:
    rows = listed(repo, "--set", "gates.judge=off")
    assert {key: (row["value"], row["origin"]) for key, row in rows.items() if row["origin"] != "default"} == {
        "version": (1, "aces.yml:1 (working tree)"),
        "structural.min_score": (80, "aces.yml:2 (working tree)"),
        "gates.structural": ("block", "aces.yml:4 (working tree)"),
        "live.when": ("off", "environment ACES_LIVE_WHEN"),
        "budget.usd": (2.5, "input budget.usd"),
        "gates.judge": ("off", "command line"),
    }


def test_a_section_or_a_single_setting_is_shown_alone(repo: Path) -> None:
    assert said(repo, "gates.structural") == (
        'gates.structural = "block"\n'
        "    Score below structural.min_score.\n"
        "    from: aces.yml:4 (working tree) · environment: ACES_GATES_STRUCTURAL\n"
    )
    assert {key.split(".")[0] for key in listed(repo, "gates")} == {"gates"}
    assert "gates.security" in listed(repo, "gates")
    with pytest.raises(click.UsageError, match=r"no setting begins with `gate`; sections: version, skills, structural"):
        said(repo, "gate")
