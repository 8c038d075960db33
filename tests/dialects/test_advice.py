"""What an author is told before money is spent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.main import cli
from aces_ci.statistics.power import attainable
from aces_ci.tiers.suite_advice import advise, leaks, names
from tests.dialects.suites import files_below, suite_of

NEGATIVE = {"id": "n", "prompt": "Write a poem", "expected_skill": None, "assertions": ["a poem"]}


def advice(*cases: dict[str, Any], name: str = "tide-tables", attempts: int = 8) -> list[str]:
    suite = suite_of({"evals/evals.json": {"skill_name": name, "evals": list(cases)}}, name)
    return [remark.message for remark in advise(suite, attainable, skill_name=name, attempts=attempts)]


def test_an_answer_in_the_prompt_is_said() -> None:
    case = {"id": "a", "prompt": "Say that high water is at 13:42 today.", "expected_output": "High water is at 13:42"}
    assert "the prompt of `a` contains its expected output" in advice(case, NEGATIVE)
    assert not leaks("When is high water?", "High water is at 13:42")
    assert not leaks("Answer yes or no", "yes")


def test_what_a_check_looks_for_may_not_stand_in_the_prompt() -> None:
    case = {"id": "a", "prompt": "Run tide --json", "assertions": [{"check": "contains", "value": "tide --json"}]}
    assert any("which a check looks for" in message for message in advice(case, NEGATIVE))


def test_the_skill_may_be_named_only_in_an_explicit_case(shared: Path) -> None:
    root = shared / "cases/synthetic/e18-answer-leak/skills/log-summary"
    suite = suite_of(files_below(root), "log-summary")
    found = list(advise(suite, attainable, skill_name="log-summary"))
    assert any("names the skill" in remark.message and remark.pointer == "/evals/0" for remark in found)
    case = {"id": "a", "prompt": "Use tide-tables", "assertions": ["x"]}
    assert any("names the skill" in message for message in advice(case, NEGATIVE))
    assert not any("names the skill" in message for message in advice({**case, "bucket": "explicit"}, NEGATIVE))


@pytest.mark.parametrize(
    ("prompt", "skill", "named"),
    [
        ("Use the log-summary skill", "log-summary", True),
        ("Run LOG-SUMMARY on it", "log-summary", True),
        ("see my-log-summary-old", "log-summary", False),
        ("Fill in this pdf", "pdf", False),
        ("Use the pdf skill", "pdf", True),
        ("Use the skill `pdf` now", "pdf", True),
        ("/pdf fill it in", "pdf", True),
        ("$pdf fill it in", "pdf", True),
        ("open /home/pdf/a", "pdf", False),
        ("anything", "", False),
    ],
)
def test_a_plain_word_is_no_name_of_a_skill(prompt: str, skill: str, named: bool) -> None:
    assert names(prompt, skill) is named


def test_a_suite_without_a_negative_case_is_told_so() -> None:
    case = {"id": "a", "prompt": "p", "assertions": ["x"]}
    assert any(message.startswith("no negative case") for message in advice(case))
    assert not any(message.startswith("no negative case") for message in advice(case, NEGATIVE))


def test_too_few_cases_name_the_number_that_would_do() -> None:
    case = {"id": "a", "prompt": "p", "expected_skill": "tide-tables", "assertions": ["x"]}
    (message,) = [message for message in advice(case, NEGATIVE, attempts=2) if "can never reach a verdict" in message]
    needed = int(message.split("; ")[1].split()[0])
    assert attainable(needed, (2,))
    assert not attainable(needed - 1, (2,))
    many = [{**case, "id": f"c{number}"} for number in range(needed)]
    assert not any("can never reach" in message for message in advice(*many, NEGATIVE, attempts=2))


def test_validate_reports_files_dialects_errors_and_advice(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "tide-tables"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tide-tables\ndescription: Reads tide tables.\n---\n# Tides\n")
    case = {"id": "a", "prompt": "Use tide-tables", "expected_output": "x", "files": ["../../etc/passwd"], "tier": 1}
    sound = {**case, "files": []}
    (skill / "evals" / "evals.json").write_text(
        json.dumps({"evals": [case, sound, {**sound, "prompt": "Use tide-tables now"}]})
    )
    result = CliRunner().invoke(
        cli, ["evals", "validate", "-C", str(tmp_path), "--format", "json", "--cases"], standalone_mode=False
    )
    assert result.return_value == 1, result.output
    document = json.loads(result.stdout)
    (row,) = document["files"]
    assert document["schema_version"] == 1
    assert (row["path"], row["dialect"], row["cases"], row["negatives"]) == (
        "skills/tide-tables/evals/evals.json",
        "agentskills",
        1,
        0,
    )
    assert row["ignored_keys"] == ["tier"]
    assert {"leaves the skill" in error["message"] or "is taken" in error["message"] for error in row["errors"]} == {
        True
    }
    assert len(row["errors"]) == 2
    assert len(row["canonical"]) == 1
    said = CliRunner().invoke(cli, ["evals", "validate", "-C", str(tmp_path)]).stdout
    assert "names the skill" in said
    assert "fix: " in said
    assert "kept without use: tier" in said


def test_validate_names_what_a_policy_may_not_ask_for_with_its_line(tmp_path: Path) -> None:
    skill = tmp_path / "skills" / "tide-tables"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tide-tables\ndescription: Reads tide tables.\n---\n# Tides\n")
    (skill / "evals" / "evals.json").write_text(
        json.dumps({"evals": [{"id": "a", "prompt": "p", "assertions": ["x"]}]})
    )
    (skill / "evals" / "config.yml").write_text("schema_version: 1\nharbor:\n  n_attempts: 9\n")
    for attempts, said in (("8", True), ("9", False)):
        result = CliRunner().invoke(
            cli,
            ["evals", "validate", "-C", str(tmp_path), "--format", "json", "--attempts", attempts],
            standalone_mode=False,
        )
        row = json.loads(result.stdout)["files"][1]
        told = [(warning["line"], warning["message"]) for warning in row["warnings"]]
        assert told == ([(3, "asks for 9 attempts; a skill cannot raise the 8 of the plan")] if said else [])
