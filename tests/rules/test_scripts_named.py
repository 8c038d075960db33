"""Which scripts an agent is told of: through the text, and through what the text has it run."""

from __future__ import annotations

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.reference import imports
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Problem, Rule
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.plugins import load
from benchmarks.spoil import scripts_removed, scripts_undocumented

RULES = {rule.code: rule for rule in load("rules", "RULE", "code") if isinstance(rule, Rule)}


def found(code: str, files: dict[str, str]) -> list[Problem]:
    return list(RULES[code].check(skill(files)))


def skill(files: dict[str, str], kind: FileKind = FileKind.REGULAR):  # type: ignore[no-untyped-def]
    held = {path: SkillFile(path=path, kind=kind, size=len(text), data=text.encode()) for path, text in files.items()}
    return parse_skill(root="skills/sample", files=held)


def test_a_script_that_only_an_unmentioned_one_runs_is_mentioned_nowhere() -> None:
    files = {
        "SKILL.md": manifest(),
        "scripts/export.py": "print(1)\n",
        "scripts/smoke.sh": "python scripts/export.py\n",
    }
    problems = found("CO031", files)
    assert {problem.path for problem in problems} == {"scripts/export.py", "scripts/smoke.sh"}
    assert (
        problems[0].message == "scripts/export.py is mentioned in scripts/smoke.sh alone, which is mentioned nowhere."
    )
    files["SKILL.md"] = manifest("Run `bash scripts/smoke.sh`.\n")
    assert found("CO031", files) == []


def test_scripts_that_run_each_other_are_told_of_by_nobody() -> None:
    files = {
        "SKILL.md": manifest(),
        "scripts/a_rows.sh": "bash scripts/b_sums.sh\n",
        "scripts/b_sums.sh": "bash scripts/a_rows.sh\n",
    }
    assert len(found("CO031", files)) == 2


@pytest.mark.parametrize(
    "line",
    [
        "import ledger",
        "from ledger import rows",
        "    from .ledger import rows",
        "const { rows } = require('./ledger')",
        '} from "./ledger.js"',
        "const ledger = await import('./ledger.mjs')",
        "module = importlib.import_module('ledger')",
        "require_relative 'ledger'",
        "source ./ledger.sh",
        ". ./ledger.sh",
        "include 'ledger.php';",
    ],
)
def test_a_statement_that_takes_a_script_in(line: str) -> None:
    assert imports("scripts/ledger.py").search(f"x = 1\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "# rows come from the ledger",
        '"""Load settings from ~/.config/ledger/.env."""',
        "print('import the ledger first')",
    ],
)
def test_a_sentence_takes_no_script_in(line: str) -> None:
    assert not imports("scripts/ledger.py").search(f"x = 1\n{line}\n")


def test_what_counts_as_a_script_while_measuring_is_what_an_agent_runs() -> None:
    body = "Run `scripts/export --csv`; `tests/test_export.py` holds its tests.\n"
    files = {"SKILL.md": manifest(body), "scripts/export": "#!/bin/sh\n", "tests/test_export.py": "x = 1\n"}
    spoiled = scripts_removed(skill(files, FileKind.EXECUTABLE))
    assert spoiled is not None and set(spoiled.files) == {"SKILL.md", "tests/test_export.py"}
    del files["scripts/export"]
    assert scripts_undocumented(skill(files)) is None


@pytest.mark.parametrize("call", ["scripts/export --csv", "python3 ./scripts/export x", "sample/scripts/export -h"])
def test_a_missing_program_without_an_ending_is_missed_where_a_command_begins_with_it(call: str) -> None:
    files = {"SKILL.md": manifest(f"Use scripts/export:\n\n```sh\n{call}\n```\n")}
    assert [problem.message[:16] for problem in found("CO032", files)] == ["`scripts/export`"]
    assert found("CO032", {**files, "scripts/export": "#!/bin/sh\n"}) == []


def test_a_program_that_a_command_builds_is_not_missed() -> None:
    files = {"SKILL.md": manifest('```sh\nls "$HOME/skills/sample/scripts/export" || make\n```\n')}
    assert found("CO032", files) == []
