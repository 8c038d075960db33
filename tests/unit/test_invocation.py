"""Commands that a comment prints must work as copied."""

from __future__ import annotations

import re
import tomllib

import pytest

from aces_ci import __version__
from aces_ci.core.invocation import JUDGE, LIVE, uvx
from tests.conftest import ROOT

PRINTED = re.compile(r"^uvx (?:'aces-ci\[(?P<extras>[a-z,]+)\]@[^']+'|aces-ci@\S+) (?P<command>[a-z]+)", re.MULTILINE)
NEEDS: dict[str, set[str]] = {"live": {JUDGE, LIVE}, "check": set()}


def test_the_extras_are_those_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {JUDGE, LIVE} <= set(extras)
    assert uvx() == f"uvx aces-ci@{__version__}"
    assert uvx(JUDGE, LIVE) == f"uvx 'aces-ci[judge,live]@{__version__}'"


@pytest.mark.parametrize("command", ["live", "check"])
def test_every_command_of_the_golden_comments_names_the_extras_it_needs(command: str) -> None:
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "tests/golden").rglob("*")) if path.suffix == ".md"]
    found = [hit for text in texts for hit in PRINTED.finditer(text) if hit["command"] == command]
    assert found, "no golden comment prints it"
    assert [hit[0] for hit in found if set(filter(None, (hit["extras"] or "").split(","))) != NEEDS[command]] == []
