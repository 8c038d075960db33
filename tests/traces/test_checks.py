"""Every kind of deterministic check: what passes, what fails, what cannot be told."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.suites.case import CheckKind
from aces_ci.tiers import checks
from aces_ci.tiers.grade import subject_of
from tests.traces import snippets

ROWS: list[dict[str, Any]] = [
    {"skill": "pdf"},
    {"sh": "cd work && python3 scripts/fill.py form.pdf --fast", "out": "filled 3 fields"},
    {"sh": "make report", "code": 2, "out": "make: *** no rule"},
    {"tool": "Write", "args": {"file_path": "out/report.md", "content": "# Total\n7\n"}, "out": "ok"},
    {"say": '{"total": 7, "name": "Ledger"}'},
]
FILES = {"out/report.md": b"# Total\n7\n", "data.bin": b"\xff\x00", "notes.json": b'{"a": [1, 2]}'}
DIGEST = hashlib.sha256(FILES["out/report.md"]).hexdigest()
SCHEMA = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer", "minimum": 7}}}


def told(kind: str, args: dict[str, Any], workspace: dict[str, bytes] | None = FILES) -> bool | None:
    case = snippets.case(checks=[{"kind": kind, "args": args}])
    trajectory = snippets.trajectory("claude-code", ROWS)
    subject = subject_of(snippets.trial(), trajectory, case, workspace, snippets.cast())
    return subject.checked[0].passed


CASES: list[tuple[str, dict[str, Any], bool | None]] = [
    ("contains", {"value": '"total": 7'}, True),
    ("contains", {"value": "ledger"}, False),
    ("contains", {"value": "ledger", "ignore_case": True}, True),
    ("contains", {"values": ["total", "Ledger"]}, True),
    ("contains", {"values": ["total", "nope"]}, False),
    ("contains", {"value": "filled 3"}, False),
    ("contains", {"value": "filled 3", "where": "output"}, True),
    ("contains", {"value": "x", "where": "thoughts"}, None),
    ("contains", {}, None),
    ("contains", {"value": 7}, True),
    ("not_contains", {"value": "error"}, True),
    ("not_contains", {"value": "total"}, False),
    ("regex", {"pattern": r"total\W+\d+"}, True),
    ("regex", {"pattern": r"^\d+$"}, False),
    ("regex", {"pattern": "LEDGER", "ignore_case": True}, True),
    ("regex", {"pattern": "(unclosed"}, None),
    ("regex", {"pattern": r"(?=look)"}, None),
    ("not_regex", {"pattern": "secret"}, True),
    ("not_regex", {"pattern": "total"}, False),
    ("equals", {"value": ' {"total": 7, "name": "Ledger"}\n'}, True),
    ("equals", {"value": "7"}, False),
    ("file_exists", {"path": "out/report.md"}, True),
    ("file_exists", {"path": "./out/report.md"}, True),
    ("file_exists", {"path": "/workspace/out/report.md"}, True),
    ("file_exists", {"path": "out/*.md"}, True),
    ("file_exists", {"path": "report.md"}, False),
    ("file_absent", {"path": "tmp.txt"}, True),
    ("file_absent", {"path": "out/report.md"}, False),
    ("file_matches", {"path": "out/report.md", "pattern": r"^\d+$"}, True),
    ("file_matches", {"path": "out/report.md", "contains": "Total"}, True),
    ("file_matches", {"path": "out/report.md", "equals": "# Total\n7"}, True),
    ("file_matches", {"path": "out/report.md", "sha256": DIGEST}, True),
    ("file_matches", {"path": "out/report.md", "sha256": "0" * 64}, False),
    ("file_matches", {"path": "out/report.md", "contains": "8"}, False),
    ("file_matches", {"path": "out/report.md", "value": "Total"}, True),
    ("file_matches", {"path": "gone.md", "contains": "8"}, False),
    ("file_matches", {"path": "data.bin", "contains": "8"}, False),
    ("file_matches", {"path": "out/report.md"}, None),
    ("file_matches", {"path": "**/*.md", "contains": "Total"}, True),
    ("file_matches", {"path": "*", "contains": "Total"}, True),
    ("file_not_matches", {"path": "out/report.md", "contains": "8"}, True),
    ("file_not_matches", {"path": "out/report.md", "contains": "Total"}, False),
    ("file_not_matches", {"path": "*", "contains": "Total"}, False),
    ("file_not_matches", {"path": "gone.md", "contains": "8"}, False),
    ("json_schema", {"schema": SCHEMA}, True),
    ("json_schema", {"schema": {**SCHEMA, "required": ["sum"]}}, False),
    ("json_schema", {"schema": {"type": "object"}, "path": "notes.json"}, True),
    ("json_schema", {"schema": {"type": "array"}, "path": "notes.json"}, False),
    ("json_schema", {"schema": {"type": "object"}, "path": "gone.json"}, False),
    ("json_schema", {"schema": {"type": "nonsense"}}, None),
    ("json_schema", {"schema": {"$ref": "http://127.0.0.1:9/x"}}, None),
    ("json_schema", {"schema": {"$ref": "#/title", "title": "no schema"}}, None),
    ("json_schema", {"schema": {"$ref": "#/$defs/sum", "$defs": {"sum": SCHEMA}}}, True),
    ("json_schema", {"schema": {"$ref": "#/$defs/sum", "$defs": {"sum": {**SCHEMA, "required": ["sum"]}}}}, False),
    ("json_schema", {"schema": {"patternProperties": {"(a+)+$": {}}}}, None),
    ("json_schema", {"schema": {"properties": {"name": {"pattern": "^(L+)+edger$"}}}}, True),
    ("json_schema", {}, None),
    ("command_ran", {"program": "python3"}, True),
    ("command_ran", {"program": "make", "worked": True}, False),
    ("command_ran", {"program": "make"}, True),
    ("command_ran", {"pattern": r"fill\.py .*--fast"}, True),
    ("command_ran", {"program": "python3", "pattern": "slow"}, False),
    ("command_ran", {"program": "Total"}, False),
    ("command_not_ran", {"program": "rm"}, True),
    ("command_not_ran", {"program": "make"}, False),
    ("tool_used", {"name": "Write"}, True),
    ("tool_used", {"tool": "write_file"}, True),
    ("tool_used", {}, None),
    ("tool_used", {"name": "Write", "arguments": {"file_path": r"\.md$"}}, True),
    ("tool_used", {"name": "Write", "arguments": {"file_path": r"\.csv$"}}, False),
    ("tool_used", {"name": "Bash", "min": 2, "max": 2}, True),
    ("tool_used", {"name": "Bash", "max": 1}, False),
    ("tool_used", {"name": "WebSearch"}, False),
    ("tool_used", {"name": "Bash", "min": "two"}, None),
    ("tool_not_used", {"name": "WebSearch"}, True),
    ("tool_not_used", {"name": "Bash"}, False),
    ("tool_order", {"tools": ["Skill", "Bash", "Write"]}, True),
    ("tool_order", {"tools": ["Write", "Skill"]}, False),
    ("tool_order", {"tools": ["python3", "make"]}, True),
    ("tool_order", {"tools": [{"name": "Bash", "pattern": "fill"}, {"name": "Bash", "pattern": "report"}]}, True),
    ("tool_order", {"tools": []}, None),
    ("tool_order", {"tools": [3]}, None),
    ("script_run", {"script": "scripts/fill.py"}, True),
    ("script_run", {"script": "scripts/other.py"}, False),
    ("script_run", {}, None),
    ("exit_status", {"code": 2}, True),
    ("exit_status", {"code": 0, "pattern": "fill"}, True),
    ("exit_status", {"code": 0, "pattern": "make"}, False),
    ("exit_status", {"code": 0, "pattern": "cargo"}, False),
    ("skill_read", {}, True),
    ("skill_read", {"skill": "PDF"}, True),
    ("skill_read", {"skill": "docx"}, False),
    ("workspace", {"files": {"out/report.md": "# Total\n7", "gone.txt": None}}, True),
    ("workspace", {"files": {"out/report.md": None}}, False),
    ("workspace", {"files": {"out/report.md": "else"}}, False),
    ("workspace", {"files": {}}, None),
]


@pytest.mark.parametrize(("kind", "args", "want"), CASES)
def test_a_check_tells(kind: str, args: dict[str, Any], want: bool | None) -> None:
    assert told(kind, args) is want


def test_every_kind_is_evaluated_and_tried_both_ways() -> None:
    assert set(checks._KINDS) == set(CheckKind)
    for kind in CheckKind:
        wants = {want for name, _, want in CASES if name == kind.value}
        assert {True, False} <= wants, kind


@pytest.mark.parametrize("kind", ["file_exists", "file_absent", "file_matches", "workspace"])
def test_files_cannot_be_told_where_no_workspace_was_collected(kind: str) -> None:
    args = {"path": "a", "contains": "x", "files": {"a": "b"}}
    assert told(kind, args, None) is None


def test_a_pattern_that_hangs_other_engines_answers_at_once() -> None:
    rows = [{"say": "a" * 50_000 + "!"}]
    case = snippets.case(checks=[{"kind": "regex", "args": {"pattern": "(a+)+$"}}])
    subject = subject_of(snippets.trial(), snippets.trajectory("codex", rows), case, None, snippets.cast())
    assert subject.checked[0].passed is False


def test_a_check_cites_the_step_it_rests_on() -> None:
    case = snippets.case(checks=[{"kind": "script_run", "args": {"script": "scripts/fill.py"}}])
    subject = subject_of(snippets.trial(), snippets.trajectory("claude-code", ROWS), case, None, snippets.cast())
    assert subject.checked[0].cites == (3,)


def test_the_docstring_names_every_kind() -> None:
    table = checks.__doc__ or ""
    assert all(kind.value in table for kind in CheckKind)


def test_the_documentation_names_every_kind_and_every_metric(root: Path) -> None:
    from aces_ci import plugins

    page = (root / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert all(f"`{kind.value}`" in page for kind in CheckKind)
    assert all(f"`{metric.name}`" in page for metric in plugins.load("metrics", "METRIC", "name"))  # type: ignore[attr-defined]


def test_the_documented_case_can_be_read(root: Path) -> None:
    from aces_ci.core.suites import case_file

    page = (root / "docs" / "metrics.md").read_text(encoding="utf-8")
    document = json.loads(page.split("```json\n", 1)[1].split("```", 1)[0])
    assert case_file.claims(document)
    assert case_file.read(document, source="docs/metrics.md").id == "total"
