"""Each of the twenty measured faults of the public reference has a test that holds ours against it."""

from __future__ import annotations

import ast
import json
import tomllib
from pathlib import Path

from click.testing import CliRunner

from aces_ci.cli.check import COMMAND as CHECK

HELD: dict[int, tuple[str, ...]] = {
    1: ("tests/statistics/test_compare.py::test_a_clear_drop_is_regressed_at_the_first_look_and_its_mirror_improved",
        "tests/e2e/test_run_live.py::test_a_change_that_drops_the_script_is_blocked_and_says_why"),
    2: ("tests/changes/test_repository.py::test_a_shallow_clone_is_deepened_until_the_merge_base_is_certain",),
    3: ("tests/rules/test_corpus.py::test_on_the_anthropic_skills_the_only_spec_errors_are_the_true_ones",),
    4: ("tests/metrics/test_fault_list.py::test_fault_4_a_skill_of_headings_without_content_is_no_good_skill",),
    5: ("tests/rules/test_corpus.py::test_every_skill_is_assessed_and_every_finding_has_a_place_and_a_fix",),
    6: ("tests/e2e/test_act_github.py::test_pull_request_comments_annotates_and_fails_by_its_findings",),
    7: ("tests/golden/test_text_comments.py::"
        "test_three_hundred_skills_with_hostile_names_stay_under_the_limit",),
    8: ("tests/statistics/test_compare.py::test_the_papers_arithmetic_composite_and_outcome_only",),
    9: ("tests/metrics/test_reference_faults.py::"
        "test_fault_9_reading_the_skill_with_equal_outcomes_lifts_no_outcome",),
    10: ("tests/statistics/test_compare.py::test_a_single_arm_and_an_unscored_case_never_raise",
         "tests/metrics/test_reference_faults.py::test_one_unscored_metric_leaves_the_others_scored"),
    11: ("tests/golden/test_live_comments.py::test_no_number_stands_without_its_interval_or_a_reason",),
    12: ("tests/metrics/test_reference_faults.py::test_fault_12_commands_are_parsed_not_matched_by_letters",
         "tests/metrics/test_reference_faults.py::"
         "test_fault_12_a_name_that_looks_like_a_key_is_none_and_a_real_token_is_one"),
    13: ("tests/metrics/test_reference_faults.py::test_fault_13_never_recovered_is_worse_than_recovered",),
    14: ("tests/metrics/test_reference_faults.py::test_fault_14_writing_and_planning_are_not_wasted_calls",),
    15: ("tests/metrics/test_reference_faults.py::test_fault_15_reading_only_a_decoy_costs_routing",),
    16: ("tests/metrics/test_reference_faults.py::test_fault_16_a_judges_own_total_never_wins_over_its_items",),
    17: ("tests/authoring/test_refine.py::test_it_prints_a_diff_keeps_a_backup_and_every_other_key",
         "tests/authoring/test_create.py::"
         "test_adding_leaves_every_byte_of_a_hand_written_case_and_takes_free_ids",),
    18: ("tests/unit/test_live_tier.py::test_the_key_goes_to_the_gateway_and_nowhere_else",
         "tests/metrics/test_custom_graders.py::test_a_grader_finds_the_references_files_by_the_references_names"),
    19: ("tests/metrics/test_fault_list.py::test_fault_19_the_base_install_brings_no_model_stack",),
    20: ("tests/scenarios/test_changes_command.py::test_an_unknown_ref_is_exit_2_in_both_forms",),
}  # fmt: skip

HOLLOW = """---
name: tide-tables
description: Use it.
---

# Tide tables

## Instructions
- use it

## Prerequisites
a

## Examples
b

## Limitations
c

## Troubleshooting
a
"""


def test_every_one_of_the_twenty_is_held_by_tests_that_exist(root: Path) -> None:
    assert set(HELD) == set(range(1, 21))
    for number, nodes in HELD.items():
        for node in nodes:
            path, _, name = node.partition("::")
            tree = ast.parse((root / path).read_text(encoding="utf-8"))
            names = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
            assert name in names, f"fact {number}: {node}"


def test_fault_4_a_skill_of_headings_without_content_is_no_good_skill(tmp_path: Path) -> None:
    folder = tmp_path / "tide-tables"
    folder.mkdir()
    (folder / "SKILL.md").write_text(HOLLOW, encoding="utf-8")
    result = CliRunner().invoke(CHECK, [str(folder), "--format", "json"], standalone_mode=False)
    assert result.exception is None, (result.output, result.exception)
    (skill,) = json.loads(result.stdout)["skills"]
    assert skill["score"] < 50, "the reference gives it 100"


def test_fault_19_the_base_install_brings_no_model_stack(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = " ".join(project["dependencies"]).lower()
    assert not [
        name for name in ("ragas", "langchain", "openai", "anthropic", "harbor", "torch", "litellm") if name in names
    ]
