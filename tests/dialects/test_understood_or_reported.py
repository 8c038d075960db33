"""A key that a dialect knows is used as its author meant it, or is a remark at its place: nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from aces_ci.core.suites.case import CheckKind, Role
from tests.dialects.suites import suite_of

ROW = {"id": "a", "prompt": "p"}
VALLY = {"name": "a", "prompt": "p", "graders": [{"type": "output-contains", "config": {"substring": "x"}}]}
DOTNET = {"name": "a", "prompt": "p", "assertions": [{"type": "output_contains", "value": "x"}]}
WAZA = {"id": "a", "name": "A", "inputs": {"prompt": "p"}, "expected": {"output_contains": ["x"]}}
SUITE = {"name": "s", "skill": "tide-tables", "version": "1", "config": {}, "metrics": [], "tasks": ["tasks/*.yaml"]}
PROMPTFOO = {"vars": {"task": "t"}, "assert": [{"type": "contains", "value": "x"}]}
GRADE = {"name": "a", "instruction": "p", "graders": [{"type": "llm_rubric", "rubric": "Is it so?"}]}


def files(dialect: str, row: Any) -> dict[str, Any]:
    """One case of a dialect in its file."""
    texts: dict[str, dict[str, Any]] = {
        "vally": {"evals/eval.yaml": {"stimuli": [row]}},
        "dotnet": {"tests/eval.yaml": {"scenarios": [row]}},
        "waza": {"evals/eval.yaml": SUITE, "evals/tasks/a.yaml": row},
        "waza-suite": {
            "evals/eval.yaml": {**SUITE, **(row if isinstance(row, dict) else {})},
            "evals/tasks/a.yaml": WAZA,
        },
        "promptfoo": {"evals/promptfooconfig.yaml": {"prompts": ["{{task}}"], "tests": [row]}},
        "skillgrade": {"evals/eval.yaml": {"tasks": [row]}},
        "tessl": {"evals/a/criteria.json": row, "evals/a/task.md": "p"},
        "rows": {"evals/evals.json": {"evals": [row]}},
        "trigger": {"evals/trigger-eval.json": [row]},
        "axis": {"evals/a.json": row},
        "claude": {"evals/a/prompt.md": "p", "evals/a/graders/x.md": row},
    }
    return {path: yaml.safe_dump(value) if path.endswith(".yaml") else value for path, value in texts[dialect].items()}


def vally(grader: Any) -> dict[str, Any]:
    return {**VALLY, "graders": [grader]}


# (dialect, its case with one value of a wrong type, words of the error, the place of the value)
WRONG: list[tuple[str, Any, str, str]] = [
    ("vally", {**VALLY, "graders": "x"}, "`graders` is text, not a list", "/stimuli/0/graders"),
    ("vally", {**VALLY, "constraints": ["x"]}, "`constraints` is a list, not an object", "/stimuli/0/constraints"),
    ("vally", {**VALLY, "environment": 3}, "`environment` is a number", "/stimuli/0/environment"),
    ("vally", {**VALLY, "environment": {"files": "a"}}, "`files` is text", "/stimuli/0/environment/files"),
    ("vally", {**VALLY, "expect_activation": "false"}, "`expect_activation` is text", "/stimuli/0/expect_activation"),
    ("vally", vally({"type": "output-matches", "config": "x"}), "`config` is text", "/stimuli/0/graders/0/config"),
    ("vally", vally({"type": "skill-invocation", "config": {"required": 3}}), "`required` is a number", "/required"),
    ("vally", vally({"type": "tool-calls", "config": {"required": 3}}), "`required` is a number", "/required"),
    ("vally", vally({**VALLY["graders"][0], "weight": "2"}), "`weight` is text", "/stimuli/0/graders/0/weight"),
    ("dotnet", {**DOTNET, "assertions": "x"}, "`assertions` is text, not a list", "/scenarios/0/assertions"),
    ("dotnet", {**DOTNET, "setup": ["x"]}, "`setup` is a list, not an object", "/scenarios/0/setup"),
    ("dotnet", {**DOTNET, "setup": {"files": "x"}}, "`files` is text, not a list", "/scenarios/0/setup/files"),
    ("dotnet", {**DOTNET, "setup": {"copy_test_files": "true"}}, "`copy_test_files` is text", "/copy_test_files"),
    ("dotnet", {**DOTNET, "expect_activation": "false"}, "`expect_activation` is text", "/expect_activation"),
    ("waza", {**WAZA, "expected": 3}, "`expected` is a number, not an object", "/expected"),
    ("waza", {**WAZA, "expected": {"behavior": "x"}}, "`behavior` is text, not an object", "/expected/behavior"),
    ("waza", {**WAZA, "expected": {"behavior": {"required_tools": 3}}}, "`required_tools` is a number", "_tools"),
    ("waza", {**WAZA, "expected": {"tool_calls": ["x"]}}, "`tool_calls` is a list", "/expected/tool_calls"),
    ("waza", {**WAZA, "expected": {"should_trigger": "no"}}, "`should_trigger` is text", "/expected/should_trigger"),
    ("waza", {**WAZA, "inputs": "x"}, "`inputs` is text, not an object", "/inputs"),
    ("waza", {**WAZA, "inputs": {"prompt": "p", "files": "x"}}, "`files` is text, not a list", "/inputs/files"),
    ("waza", {**WAZA, "graders": {"type": "text"}}, "`graders` is an object, not a list", "/graders"),
    ("waza", {**WAZA, "graders": [{"type": "text", "config": "x"}]}, "`config` is text", "/graders/0/config"),
    ("waza", {**WAZA, "enabled": "false"}, "`enabled` is text, not true or false", "/enabled"),
    ("waza-suite", {"graders": "x"}, "`graders` is text, not a list", "/graders"),
    ("promptfoo", {**PROMPTFOO, "assert": "x"}, "`assert` is text, not a list", "/tests/0/assert"),
    ("promptfoo", {**PROMPTFOO, "vars": ["x"]}, "`vars` is a list, not an object", "/tests/0/vars"),
    ("promptfoo", {**PROMPTFOO, "assert": [{"type": "contains", "value": "x", "weight": "2"}]}, "`weight`", "/weight"),
    ("skillgrade", {**GRADE, "graders": "x"}, "`graders` is text, not a list", "/tasks/0/graders"),
    ("skillgrade", {**GRADE, "workspace": "x"}, "`workspace` is text, not a list", "/tasks/0/workspace"),
    ("skillgrade", {**GRADE, "graders": [{**GRADE["graders"][0], "weight": True}]}, "`weight` is a yes/no", "/weight"),
    ("tessl", {"checklist": [{"name": "n", "max_score": 10**400}]}, "a value is too large for a number", ""),
    ("tessl", {"checklist": [{"name": "n", "max_score": 10**300}]}, "`max_score` is a number", "/max_score"),
    ("rows", {"id": "a", "prompt": "p", "bucket": "bogus"}, "there is no bucket `bogus`", "/evals/0/bucket"),
    ("rows", {"id": "a", "prompt": "p", "generated": "yes"}, "`generated` is text", "/evals/0/generated"),
    ("rows", {"id": "a", "prompt": "p", "must_not": 3}, "`must_not` is a number", "/evals/0/must_not"),
    ("rows", {"id": "a", "prompt": "p", "should_trigger": "no"}, "`should_trigger` is text", "/should_trigger"),
    ("trigger", {"query": "q", "should_trigger": "no"}, "`should_trigger` is text, not true or false", "/0/"),
    ("axis", {"prompt": "p", "judge": [{"check": "c", "weight": "1"}]}, "`weight` is text", "/judge/0/weight"),
    ("claude", "---\ntype: regex\npattern: x\nflags: [i]\n---\n", "`flags` is a list, not text", "/flags"),
    ("claude", '---\ntype: tool_used\ntool: Bash\nmax: "0"\n---\n', "grader `x`: `max` is text", "/max"),
    ("claude", "---\ntype: file_exists\npath: a\nexists: 'no'\n---\n", "`exists` is text", "/exists"),
    ("claude", "---\ntype: llm\ncriteria: [x]\n---\n", "`criteria` is a list, not text", "/criteria"),
]


@pytest.mark.parametrize(("dialect", "row", "said", "place"), WRONG, ids=range(len(WRONG)))
def test_a_value_of_a_wrong_type_is_an_error_at_its_place(dialect: str, row: Any, said: str, place: str) -> None:
    errors = suite_of(files(dialect, row)).errors
    assert any(said in error.message and place in error.pointer for error in errors), errors
    assert all(error.line for error in errors)


# (dialect, its case with a key that changes nothing here, where that is said)
UNUSED: list[tuple[str, Any, str]] = [
    (
        "rows",
        {"id": "a", "prompt": "p", "assertions": [{"text": "t", "pattern": "x"}]},
        "/evals/0/assertions/0/pattern",
    ),
    ("rows", {"id": "a", "prompt": "p", "assertions": [{"text": "t", "type": "odd"}]}, "/evals/0/assertions/0/type"),
    (
        "rows",
        {
            "id": "a",
            "prompt": "p",
            "assertions": [{"check": "contains", "value": "v", "text": "t", "description": "d"}],
        },
        "/evals/0/assertions/0/description",
    ),
    ("dotnet", {**DOTNET, "assertions": [{"type": "exit_success", "code": 3}]}, "/scenarios/0/assertions/0/code"),
    ("promptfoo", {**PROMPTFOO, "assert": [{**PROMPTFOO["assert"][0], "metric": "m"}]}, "/tests/0/assert/0/metric"),
    ("vally", vally({**VALLY["graders"][0], "timeout": "2m"}), "/stimuli/0/graders/0/timeout"),
    ("vally", vally({"type": "completed", "config": {"strict": True}}), "/stimuli/0/graders/0/config/strict"),
    (
        "vally",
        vally({"type": "tool-calls", "config": {"required": [{"name": "bash", "final": True}]}}),
        "/stimuli/0/graders/0/config/required/0/final",
    ),
    ("waza", {**WAZA, "graders": [{"type": "text", "config": {"contains": ["x"], "mode": "m"}}]}, "/config/mode"),
    ("waza", {**WAZA, "graders": [{"type": "text", "config": {"contains": ["x"]}, "retries": 2}]}, "/retries"),
    ("skillgrade", {**GRADE, "graders": [{**GRADE["graders"][0], "model": "m"}]}, "/tasks/0/graders/0/model"),
    ("tessl", {"checklist": [{"name": "n", "description": "d", "max_score": 1, "tag": "x"}]}, "/checklist/0/tag"),
    ("axis", {"prompt": "p", "judge": [{"check": "c", "weight": 1, "why": "w"}]}, "/judge/0/why"),
    ("claude", "---\ntype: llm\nfocus: trace\n---\nIs it so?\n", "/focus"),
    ("claude", "---\ntype: regex\npattern: x\narm: with-only\n---\n", "/arm"),
    ("claude", "---\ntype: regex\npattern: x\nflags: iy\n---\n", "/flags"),
]


@pytest.mark.parametrize(("dialect", "row", "place"), UNUSED, ids=range(len(UNUSED)))
def test_a_key_that_changes_nothing_is_said_at_its_place_and_kept(dialect: str, row: Any, place: str) -> None:
    suite = suite_of(files(dialect, row))
    assert not suite.errors
    warnings = [warning for file in suite.files for warning in file.reading.warnings]
    assert any(warning.pointer.endswith(place) and warning.line for warning in warnings), warnings
    (case,) = suite.cases
    if not place.endswith(("/arm", "/flags")):
        assert place.rpartition("/")[2] in str(case.unmapped)


@pytest.mark.parametrize("kind", [[], {}, 3, None, ["regex"]])
@pytest.mark.parametrize("dialect", ["vally", "promptfoo", "waza", "skillgrade", "dotnet"])
def test_a_type_that_is_no_name_is_said_and_nothing_breaks(dialect: str, kind: object) -> None:
    grader = {"type": kind, "value": "x", "config": {}}
    row = {
        "vally": vally(grader),
        "promptfoo": {**PROMPTFOO, "assert": [grader]},
        "waza": {**WAZA, "graders": [grader]},
        "skillgrade": {**GRADE, "graders": [grader]},
        "dotnet": {**DOTNET, "assertions": [grader]},
    }[dialect]
    (file,) = suite_of(files(dialect, row)).files
    assert len(file.reading.cases) == 1
    assert file.reading.errors or file.reading.warnings


def test_one_tool_as_text_is_a_list_of_one() -> None:
    (case,) = suite_of(files("waza", {**WAZA, "expected": {"behavior": {"required_tools": "view"}}})).cases
    assert [(check.kind, check.args) for check in case.checks] == [(CheckKind.TOOL_USED, {"tool": "view"})]


@pytest.mark.parametrize(
    ("grader", "kind", "args"),
    [
        ({"type": "output-contains", "config": {"substring": "A", "case_sensitive": True}}, "contains", {"value": "A"}),
        (
            {"type": "output-contains", "config": {"substring": "a", "negate": True}},
            "not_contains",
            {"value": "a", "ignore_case": True},
        ),
        ({"type": "file-not-exists", "config": {"path": "*.tmp"}}, "file_absent", {"path": "*.tmp"}),
        ({"type": "tool-calls", "config": {"disallowed": ["web"]}}, "tool_not_used", {"tool": "web"}),
        ({"type": "tool-calls", "config": {"sequence": ["a", {"name": "b"}]}}, "tool_order", {"tools": ["a", "b"]}),
        (
            {"type": "tool-calls", "config": {"required": [{"name": "^(bash|sh)$", "command": "^make"}]}},
            "command_ran",
            {"pattern": "^make"},
        ),
        (
            {"type": "tool-calls", "config": {"required": [{"name": "bash", "min_count": 2, "args": {"x": "^y"}}]}},
            "tool_used",
            {"tool": "bash", "arguments": {"x": "^y"}, "min": 2},
        ),
    ],
)
def test_graders_of_vally_mean_what_its_catalog_says(grader: Any, kind: str, args: dict[str, Any]) -> None:
    (case,) = suite_of(files("vally", vally({**grader, "weight": 3}))).cases
    assert [(check.kind.value, check.args, check.weight) for check in case.checks] == [(kind, args, 3.0)]


@pytest.mark.parametrize(("list_name", "trigger"), [("required", True), ("disallowed", False)])
def test_vally_says_by_its_graders_whether_the_skill_is_used(list_name: str, trigger: bool) -> None:
    grader = {"type": "skill-invocation", "config": {list_name: ["tide-tables"]}}
    (case,) = suite_of(files("vally", vally(grader))).cases
    assert case.trigger is trigger


def test_a_named_sentence_keeps_its_name_and_a_grader_of_waza_its_weight() -> None:
    row = {"id": "a", "prompt": "p", "assertions": [{"name": "unit", "text": "Names the unit", "role": "outcome"}]}
    (case,) = suite_of(files("rows", row)).cases
    assert [(each.id, each.text, each.role) for each in case.behaviors] == [("unit", "Names the unit", Role.OUTCOME)]
    task = {**WAZA, "graders": [{"type": "prompt", "weight": 4, "config": {"prompt": "Is it so?"}}]}
    (case,) = suite_of(files("waza", task)).cases
    assert [each.weight for each in case.behaviors] == [4.0]
