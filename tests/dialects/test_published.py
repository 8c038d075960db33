"""Published schemas and pages are what the code says, and the schemas hold for real documents."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from aces_ci import compose
from aces_ci.core.suites.case import CheckKind
from aces_ci.core.suites.case_schema import schema
from aces_ci.core.suites.check_args import faults
from aces_ci.core.suites.eval_write import write
from tests.dialects.suites import files_below, suite_of
from tests.dialects.test_check_form import GOOD


@pytest.fixture(scope="module")
def generated(root: Path) -> Mapping[str, str]:
    spec = importlib.util.spec_from_file_location("generate_docs", root / "tools/generate-docs.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Mapping[str, str] = module.generated()
    return found


def test_generated_files_are_current(root: Path, generated: Mapping[str, str]) -> None:
    stale = [name for name, text in generated.items() if (root / "docs" / name).read_text("utf-8") != text]
    assert not stale, f"make docs rewrites {stale}"


def test_the_page_shows_an_example_of_every_dialect(root: Path) -> None:
    page = (root / "docs/evals.md").read_text("utf-8")
    for dialect in compose.dialects():
        assert f"### {dialect.name}" in page
        assert (f"### {dialect.name} (unverified" in page) is dialect.checked.startswith("*unverified*")
        assert dialect.checked
        assert f"| {dialect.name} | {dialect.checked} |" in page
    for importer in compose.importers():
        assert importer.checked
        assert f"| {importer.name} | {importer.checked} |" in page


def test_every_published_schema_is_one(root: Path) -> None:
    for path in sorted((root / "docs/schemas").glob("*.json")):
        Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


def errors(assertion: Any) -> list[str]:
    document = {"evals": [{"id": 1, "prompt": "p", "assertions": [assertion]}]}
    return [error.message for error in Draft202012Validator(schema()).iter_errors(document)]


@pytest.mark.parametrize("kind", list(CheckKind))
def test_the_schema_takes_what_the_reader_takes_and_refuses_what_it_refuses(kind: CheckKind) -> None:
    assert not errors({"check": kind.value, **GOOD[kind]})
    broken = [{**GOOD[kind], "no_such": 1}]
    broken += [{name: value for name, value in GOOD[kind].items() if name != left} for left in GOOD[kind]]
    broken += [{**GOOD[kind], name: []} for name in GOOD[kind]]
    for args in broken:
        assert bool(list(faults(kind, args))) == bool(errors({"check": kind.value, **args})), args


@pytest.mark.parametrize("name", ["agentskills", "vally", "waza", "tessl", "dotnet-scenarios"])
def test_what_is_written_agrees_with_the_schema(root: Path, name: str) -> None:
    text, _ = write(suite_of(files_below(root / "fixtures/evals" / name)).cases, "tide-tables")
    Draft202012Validator(schema()).validate(json.loads(text))


def test_the_schema_of_settings_takes_the_examples_and_refuses_a_wrong_key(root: Path) -> None:
    found = Draft202012Validator(json.loads((root / "docs/schemas/aces.yml.json").read_text("utf-8")))
    found.validate(yaml.safe_load("version: 1\nlive: {attempts: {looks: [3, 5]}}\n"))
    assert not found.is_valid({"version": 1, "no_such_key": 1})
