"""Every dialect on a sample of its shape: what is claimed, what each part becomes, what is left over and said."""

from __future__ import annotations

from pathlib import Path

import pytest

from aces_ci import compose
from aces_ci.core.suites.case import Behavior, Bucket, Case, Check, CheckKind, Role
from aces_ci.core.suites.siblings import Siblings
from aces_ci.tiers.suite_reading import Suite
from tests.dialects.suites import files_below, suite_of

NAMES = [dialect.name for dialect in compose.dialects()]


def sample(root: Path, name: str) -> Suite:
    return suite_of(files_below(root / "fixtures" / "evals" / name))


def only(suite: Suite) -> Case:
    assert not suite.errors, suite.errors
    (case,) = suite.cases
    return case


def checks(case: Case) -> list[tuple[CheckKind, Role, dict[str, object]]]:
    return [(check.kind, check.role, dict(check.args)) for check in case.checks]


def said(case: Case) -> list[str]:
    return [behavior.text for behavior in case.behaviors]


@pytest.mark.parametrize("name", NAMES)
def test_each_dialect_has_a_sample_that_it_alone_claims_and_reads_without_an_error(root: Path, name: str) -> None:
    suite = sample(root, name)
    assert [file.dialect for file in suite.files] == [name] * len(suite.files)
    assert suite.cases
    assert not suite.errors


@pytest.mark.parametrize("name", NAMES)
def test_no_other_dialect_claims_the_sample(root: Path, name: str) -> None:
    from aces_ci.core.suites.eval_text import parse
    from aces_ci.ports.dialect import Document

    files = files_below(root / "fixtures" / "evals" / name)
    for path in (file.path for file in sample(root, name).files):
        parsed = parse(path, files[path])
        document = Document(
            path=path, data=parsed.data, text=parsed.text, siblings=Siblings(files), skill_name="tide-tables"
        )
        assert [dialect.name for dialect in compose.dialects() if dialect.claims(document)] == [name]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("claude-plugin-eval", "harbor-task")])
def test_a_dialect_is_told_by_its_keys_under_any_file_name(root: Path, name: str) -> None:
    files = files_below(root / "fixtures/evals" / name)
    before = suite_of(files)
    (read,) = {file.path for file in before.files}
    folder, _, ending = read.rpartition("/")[0], None, read.rpartition(".")[2]
    renamed = {f"{folder}/anything.{ending}" if path == read else path: data for path, data in files.items()}
    after = suite_of(renamed)
    assert [file.dialect for file in after.files] == [file.dialect for file in before.files]
    assert [case.prompt for case in after.cases] == [case.prompt for case in before.cases]


def test_the_reference_knows_negative_cases_scripts_and_paths_below_evals(root: Path) -> None:
    first, second = sample(root, "skillevaluator").cases
    assert (first.trigger, first.expected_skill, first.expected_script) == (True, "tide-tables", "scripts/next_high.py")
    assert [(file.source, file.target) for file in first.files] == [("evals/files/station.csv", "station.csv")]
    assert (second.trigger, second.bucket, second.files) == (False, Bucket.NEGATIVE, ())


@pytest.mark.parametrize(
    ("written", "extra", "warned"),
    [
        ("files/a.csv", {"expected_skill": "x"}, False),
        ("evals/files/a.csv", {"expected_skill": "x"}, False),
        ("data/b.csv", {"expected_skill": "x"}, True),
        ("evals/files/a.csv", {}, False),
        ("files/a.csv", {}, True),
    ],
)
def test_paths_are_tried_below_the_dialects_root_then_the_other_and_which_one_is_said(
    written: str, extra: dict[str, str], warned: bool
) -> None:
    case = {"id": "a", "prompt": "p", "assertions": ["x"], "files": [written], **extra}
    files = {"evals/evals.json": {"evals": [case]}, "evals/files/a.csv": "1", "data/b.csv": "2"}
    suite = suite_of(files)
    assert not suite.errors
    assert len(only(suite).files) == 1
    assert [("was found as" in warning.message) for warning in suite.files[0].reading.warnings] == [True] * warned


def test_json_lines_of_the_reference_are_its_legacy_list(root: Path) -> None:
    first, second = sample(root, "skillevaluator-list").cases
    assert (first.prompt, first.reference, said(first)) == (
        "When is the next high water?",
        "At 13:42",
        ["Reads the table first"],
    )
    assert second.trigger is False


def test_the_small_form_stands_beside_sentences(root: Path) -> None:
    case = only(sample(root, "agentskills"))
    assert case.behaviors == (Behavior(id="b1", text="Gives the height in metres"),)
    assert case.checks == (
        Check(id="c2", kind=CheckKind.CONTAINS, role=Role.OUTCOME, args={"value": "13:42"}, text="Gives the time"),
        Check(id="c3", kind=CheckKind.COMMAND_NOT_RAN, role=Role.MUST_NOT, args={"program": "rm"}),
    )


def test_plugin_eval_folders_give_one_case_each_from_prompt_or_case_file(root: Path) -> None:
    suite = sample(root, "claude-plugin-eval")
    log, shanty, first, second = suite.cases
    assert first.prompt.startswith("Low water is at 07:20")
    assert checks(first) == [
        (CheckKind.SKILL_READ, Role.MUST, {"skill": "tide-tables"}),
        (CheckKind.REGEX, Role.OUTCOME, {"pattern": "13[:.]42"}),
    ]
    assert [check.weight for check in first.checks] == [1.0, 2.0]
    assert said(first) == ["The answer says which of the two times is meant."]
    assert checks(second) == [
        (CheckKind.FILE_EXISTS, Role.OUTCOME, {"path": "plan.md"}),
        (CheckKind.TOOL_ORDER, Role.MUST, {"tools": ["Read", "Write"]}),
    ]
    assert (shanty.trigger, checks(shanty)) == (False, [(CheckKind.TOOL_NOT_USED, Role.MUST_NOT, {"tool": "Skill"})])
    # Both files: the name of the one, the keys and the body of the other, and what is not staged is said.
    assert (log.id, log.trigger, log.unmapped["tags"]) == ("harbour-log-entry", True, ["nightly"])
    assert log.prompt.startswith("Enter the two high waters")
    assert [warning.pointer for warning in suite.files[0].reading.warnings] == ["/context"]


def test_a_key_that_plugin_eval_refuses_is_an_error_here() -> None:
    suite = suite_of(
        {"evals/a/prompt.md": "---\nmax_turn: 3\n---\nDo it.", "evals/a/graders/x.md": "---\ntype: llm\n---\nSo?"}
    )
    assert [error.message for error in suite.errors] == ["`max_turn` is no key of a prompt.md"]


def test_waza_reads_the_tasks_that_its_globs_name_with_the_graders_of_the_suite(root: Path) -> None:
    suite = sample(root, "waza")
    case, shanty = suite.cases
    assert [(file.target, file.content) for file in case.files] == [("station.csv", "time,height\n13:42,4.1\n")]
    assert case.trigger is True
    assert checks(case) == [
        (CheckKind.NOT_REGEX, Role.OUTCOME, {"pattern": "(?i)i cannot"}),
        (CheckKind.CONTAINS, Role.OUTCOME, {"value": "13:42", "ignore_case": True}),
        (CheckKind.REGEX, Role.OUTCOME, {"pattern": r"4\.1\ m|4\.1\ metres", "ignore_case": True}),
        (CheckKind.TOOL_USED, Role.MUST, {"tool": "view"}),
        (CheckKind.TOOL_NOT_USED, Role.MUST_NOT, {"tool": "web_fetch"}),
    ]
    assert case.unmapped["behavior"] == {"max_tool_calls": 5}
    assert (shanty.prompt, shanty.trigger) == ("Write a sea shanty about harbours.\n", False)
    assert any("long-enough" in warning.message for warning in suite.files[0].reading.warnings)


def test_tasks_inside_an_early_waza_suite_and_a_suite_of_a_scenario_are_read_and_a_csv_is_refused_aloud() -> None:
    early = """
name: routing
skill: tide-tables
executor: mock
tasks:
  - id: run
    prompt: When is high water?
    expected: Opens the table
    validators: [{ type: text, config: { regex_match: ["13.42"] } }]
"""
    case = only(suite_of({"tests/eval.yaml": early}))
    assert (case.id, said(case), [check.kind for check in case.checks]) == (
        "run",
        ["Opens the table"],
        [CheckKind.REGEX],
    )
    task = "id: a\nname: A\ninputs: {prompt: Do it.}\n"
    flow = 'name: n\nscenario: flow\nschemaVersion: "2.0"\nconfig: {}\nmetrics: []\ntasks: [tasks/*.yaml]\n'
    assert only(suite_of({"evals/eval.yaml": flow, "evals/tasks/a.yaml": task})).prompt == "Do it."
    rows = suite_of({"evals/eval.yaml": "name: n\nskill: s\nconfig: {}\ntasks_from: rows.csv\n"})
    assert [error.pointer for error in rows.errors] == ["/tasks_from"]


def test_waza_triggers_are_cases_of_routing(root: Path) -> None:
    assert [(case.trigger, case.prompt) for case in sample(root, "waza-triggers").cases] == [
        (True, "When can I cross the bar?"),
        (False, "What is a neap tide?"),
    ]


def test_vally_stimuli_keep_rubric_constraints_and_activation(root: Path) -> None:
    suite = sample(root, "vally")
    first, second = suite.cases
    assert checks(first) == [
        (CheckKind.REGEX, Role.OUTCOME, {"pattern": "13[:.]42"}),
        (CheckKind.CONTAINS, Role.OUTCOME, {"value": "4.1 m", "ignore_case": True}),
        (CheckKind.SKILL_READ, Role.MUST, {"skill": "tide-tables"}),
        (CheckKind.TOOL_USED, Role.MUST, {"tool": "bash", "arguments": {"command": "next_high"}}),
        (CheckKind.FILE_MATCHES, Role.OUTCOME, {"path": "plan.md", "contains": "bar"}),
        (CheckKind.FILE_NOT_MATCHES, Role.OUTCOME, {"path": "**/*.md", "contains": "low"}),
        (CheckKind.TOOL_NOT_USED, Role.MUST_NOT, {"tool": "web_fetch"}),
    ]
    assert said(first) == ["Names the unit of the height"]
    assert [(file.source.removeprefix("evals/"), file.target) for file in first.files] == [
        ("station.csv", "data/station.csv"),
        ("fixtures/harbour/README.md", "README.md"),
        ("fixtures/harbour/log/depth.txt", "log/depth.txt"),
    ]
    assert second.trigger is False
    # The judge of the rubric and the agent's own end need no word; a program of the author's does.
    assert ["run-command" in warning.message for warning in suite.files[0].reading.warnings] == [True]


def test_dotnet_scenarios_become_checks_sentences_and_files(root: Path) -> None:
    case, shanty = sample(root, "dotnet-scenarios").cases
    assert checks(case) == [
        (CheckKind.CONTAINS, Role.OUTCOME, {"value": "High water", "ignore_case": True}),
        (CheckKind.NOT_REGEX, Role.OUTCOME, {"pattern": "(?i)cannot", "ignore_case": True}),
        (CheckKind.FILE_MATCHES, Role.OUTCOME, {"path": "**/*.md", "value": "13:42"}),
        (CheckKind.FILE_NOT_MATCHES, Role.OUTCOME, {"path": "plan.md", "value": "low"}),
        (CheckKind.TOOL_USED, Role.MUST, {"tool": "bash"}),
        (CheckKind.TOOL_NOT_USED, Role.MUST_NOT, {"tool": "edit"}),
    ]
    assert case.files[0].content == "time,height\n13:42,4.1\n"
    assert (case.files[1].source, case.files[1].target) == ("tests/fixtures/bar.md", "notes/bar.md")
    assert case.unmapped == {"timeout": 120}
    assert (case.trigger, shanty.trigger) == (True, False), "the tool expects the skill where nothing is said"


def test_promptfoo_templates_are_filled_and_code_is_named_as_not_run(root: Path) -> None:
    suite = sample(root, "promptfoo")
    case = only(suite)
    assert case.prompt == "High water is at 13:42. When is it?"
    assert checks(case) == [
        (CheckKind.SKILL_READ, Role.MUST, {"skill": "tide-tables"}),
        (CheckKind.CONTAINS, Role.OUTCOME, {"value": "13:42", "ignore_case": True}),
    ]
    assert any("javascript" in warning.message for warning in suite.files[0].reading.warnings)


def test_a_promptfoo_variable_that_nobody_sets_is_an_error_of_its_test() -> None:
    suite = suite_of({"evals/promptfoo.yaml": 'prompts: ["{{task}}"]\ntests:\n  - vars: {other: x}\n'})
    assert [error.message for error in suite.errors] == ["test 1 sets no text `task`"]


def test_rows_of_a_prompts_csv_say_when_to_trigger(root: Path) -> None:
    assert [(case.id, case.trigger, case.prompt) for case in sample(root, "openai-prompts-csv").cases] == [
        ("t1", True, "When is high water, please?"),
        ("t2", False, "Explain what a tide is"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("t1,true,a,b", "row 1 has more values than the head has columns"),
        ("t1,true", "row 1 has fewer values than the head has columns"),
        ("t1,perhaps,a", "row 1: `should_trigger` is neither true nor false"),
        ("t1,true,", "row 1 has no prompt"),
    ],
)
def test_a_bad_row_of_a_csv_is_an_error_and_its_neighbour_is_read(row: str, message: str) -> None:
    suite = suite_of({"evals/x.csv": f"id,should_trigger,prompt\n{row}\nt2,false,fine\n"})
    assert [error.message for error in suite.errors] == [message]
    assert [case.id for case in suite.cases] == ["t2"]


def test_rubric_bullets_of_skillgrade_are_questions_of_their_own(root: Path) -> None:
    suite = sample(root, "skillgrade")
    case = only(suite)
    assert [(behavior.text, behavior.weight) for behavior in case.behaviors] == [
        ("Names the time", 0.3),
        ("Names the height with its unit", 0.3),
    ]
    assert [(file.source, file.target) for file in case.files] == [("evals/station.csv", "data/station.csv")]
    assert any("deterministic" in warning.message for warning in suite.files[0].reading.warnings)


def test_the_checklist_of_tessl_is_weighted_and_the_task_stands_beside_it(root: Path) -> None:
    case = only(sample(root, "tessl"))
    assert (case.id, case.behaviors) == (
        "next-high-water",
        (Behavior(id="b1", text="The time is 13:42", weight=3.0),),
    )
    assert case.prompt.startswith("Low water")


def test_a_harbor_task_gives_its_instruction_and_keeps_the_place_of_its_verifier(root: Path) -> None:
    suite = sample(root, "harbor-task")
    case = only(suite)
    assert (case.id, case.prompt[:16]) == ("next-high-water", "When is the next")
    assert case.provenance == "evals/harbor/next-high-water/task.toml#"
    assert suite.files[0].reading.warnings == ()


TASK = {"evals/harbor/a/task.toml": "[metadata]\n[verifier]\n[agent]\n", "evals/harbor/a/instruction.md": "Do it."}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no verifier"),
        ({"evals/harbor/a/tests/helper.py": "1"}, "no verifier"),
        ({"evals/harbor/a/tests/test.sh": "cd /\napt-get update && pytest\n"}, "line 2 runs `apt-get`"),
        ({"evals/harbor/a/tests/test.sh": "true", "evals/harbor/a/environment/Dockerfile": "FROM x"}, "environment"),
    ],
)
def test_what_of_a_harbor_task_will_not_work_here_is_said(files: dict[str, str], said: str) -> None:
    suite = suite_of({**TASK, **files})
    assert [case.id for case in suite.cases] == ["a"]
    assert [said in warning.message for warning in suite.files[0].reading.warnings] == [True]


def test_a_comment_in_a_verifier_fetches_nothing() -> None:
    suite = suite_of({**TASK, "evals/harbor/a/tests/test.sh": "# curl it\necho 1 > /logs/verifier/reward.txt\n"})
    assert suite.files[0].reading.warnings == ()


def test_setup_of_an_axis_scenario_is_not_run_silently(root: Path) -> None:
    suite = sample(root, "axis-scenario")
    assert [behavior.weight for behavior in only(suite).behaviors] == [0.7, 0.3]
    assert [warning.pointer for warning in suite.files[0].reading.warnings] == ["/setup"]


def test_prohibitions_that_public_suites_write_as_a_list_count_towards_the_boundary(shared: Path) -> None:
    root = shared / "corpus/NVIDIA__skills/skills/omniverse-realtime-viewer"
    suite = suite_of(files_below(root), root.name)
    prohibited = [b for case in suite.cases for b in case.behaviors if b.role is Role.MUST_NOT]
    assert len(prohibited) > 5
    assert "must_not" not in suite.files[0].reading.ignored_keys
    odd = suite_of({"evals/evals.json": {"evals": [{"id": "a", "prompt": "p", "assertions": ["x"], "must_not": 3}]}})
    assert [error.message for error in odd.errors] == ["`must_not` is a number, not a list"]
