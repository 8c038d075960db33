"""SARIF of `check` under the OASIS schema itself and the validator of those who wrote it, GitHub's rules among its."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.scenarios.odd_skills import write

pytestmark = pytest.mark.e2e
PACKAGE = Path(__file__).parent / "node_modules/@microsoft/sarif-multitool-linux"
ODD = (
    "skills/orders",
    "skills/marks",
    "skills/hidden",
    "skills/ends",
    "skills/new\nline",
    "skills/pct%20x",
    "skills/ünï",
)


@pytest.fixture
def document(tmp_path: Path, root: Path) -> Path:
    """What `check` writes of the examples' skills and of odd ones, scripts linted."""
    write(tmp_path, 1)
    shutil.copytree(root / "fixtures/skills", tmp_path / "fixtures", dirs_exist_ok=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    target = tmp_path / "found.sarif"
    asked = ["check", "--lint", "--format", "sarif", "--output-file", str(target), "fixtures", *ODD]
    done = subprocess.run(
        [sys.executable, "-m", "aces_ci", *asked],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    return target


def test_the_document_keeps_to_the_schema_of_the_standard(document: Path) -> None:
    schema = json.loads((PACKAGE / "sarif-2.1.0.json").read_text("utf-8-sig"))
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    found = json.loads(document.read_text("utf-8"))
    assert len(found["runs"][0]["results"]) > 100
    assert [error.message for error in validator.iter_errors(found)] == []
    found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not validator.is_valid(found), "the schema is one that refuses"


def test_the_validator_of_the_standard_has_no_error_and_no_warning(document: Path, tmp_path: Path) -> None:
    program = PACKAGE / "Sarif.Multitool"
    program.chmod(0o755)
    said = tmp_path / "said.sarif"
    asked = ["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning", "-o", str(said), "--log", "ForceOverwrite"]
    done = subprocess.run(
        [str(program), "validate", str(document), *asked],
        capture_output=True, text=True, check=False, timeout=300,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )  # fmt: skip
    assert said.exists(), done.stdout + done.stderr
    (run,) = json.loads(said.read_text("utf-8-sig"))["runs"]
    assert [(row["ruleId"], row["message"]) for row in run["results"] if row.get("level", "warning") != "note"] == []
