"""The small form of checks, shapes of the wild, and arguments that could never be evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from aces_ci.core.suites.case import Case, Check, CheckKind, Role
from aces_ci.core.suites.check_args import FORMS, faults, role_of
from aces_ci.ports.dialect import Remark
from aces_ci.tiers.checks import evaluate
from aces_ci.tiers.grade import subject_of
from tests.dialects.suites import suite_of
from tests.traces import snippets
from tests.traces.test_checks import ROWS


def read(assertion: Any) -> tuple[Case, tuple[Remark, ...]]:
    suite = suite_of({"evals/evals.json": {"evals": [{"id": "a", "prompt": "p", "assertions": [assertion]}]}})
    (case,) = suite.cases
    return case, suite.errors


GOOD: dict[CheckKind, dict[str, Any]] = {
    CheckKind.CONTAINS: {"value": "a", "where": "output", "ignore_case": True},
    CheckKind.NOT_CONTAINS: {"values": ["a", "b"]},
    CheckKind.REGEX: {"pattern": "a+"},
    CheckKind.NOT_REGEX: {"pattern": "a+"},
    CheckKind.EQUALS: {"value": 42},
    CheckKind.FILE_EXISTS: {"path": "*.csv"},
    CheckKind.FILE_ABSENT: {"path": "a.txt"},
    CheckKind.FILE_MATCHES: {"path": "a.txt", "pattern": "^x"},
    CheckKind.FILE_NOT_MATCHES: {"path": "a.txt", "contains": "x"},
    CheckKind.JSON_SCHEMA: {"schema": {"type": "object"}, "path": "a.json"},
    CheckKind.COMMAND_RAN: {"program": "git", "worked": True},
    CheckKind.COMMAND_NOT_RAN: {"pattern": "^rm "},
    CheckKind.TOOL_USED: {"tool": "Read", "arguments": {"file_path": "x"}, "min": 1, "max": 2},
    CheckKind.TOOL_NOT_USED: {"tool": "WebFetch"},
    CheckKind.TOOL_ORDER: {"tools": ["Read", {"tool": "Bash", "pattern": "make"}]},
    CheckKind.SCRIPT_RUN: {"script": "scripts/a.py"},
    CheckKind.EXIT_STATUS: {"code": 0},
    CheckKind.SKILL_READ: {},
    CheckKind.WORKSPACE: {"files": {"a.txt": "x", "b.txt": None}},
}


@pytest.mark.parametrize("kind", list(CheckKind))
def test_each_kind_is_written_in_the_small_form_and_counts_as_the_page_says(kind: CheckKind) -> None:
    case, errors = read({"check": kind.value, "text": "as said", **GOOD[kind]})
    assert not errors
    assert case.checks == (Check(id="c1", kind=kind, role=role_of(kind), args=GOOD[kind], text="as said"),)


@pytest.mark.parametrize("kind", list(CheckKind))
def test_arguments_that_evaluate_are_the_ones_that_are_taken(kind: CheckKind) -> None:
    """The validator and the evaluator are two modules: what one takes, the other must not refuse."""
    subject = subject_of(
        snippets.trial(), snippets.trajectory("claude-code", ROWS), snippets.case(), {"a.txt": b"x"}, snippets.cast()
    )
    told = evaluate(Check(id="c", kind=kind, role=Role.MUST, args=GOOD[kind]), subject)
    assert told.passed is not None, told.because


@pytest.mark.parametrize(
    ("kind", "args", "message"),
    [
        ("contains", {}, "`contains` needs `value` or `values`"),
        ("contains", {"value": ""}, "`value` of `contains` must be text or a number"),
        ("contains", {"value": "a", "where": "trace"}, "`where` of `contains` must be `answer` or `output`"),
        ("contains", {"value": "a", "fuzzy": 1}, "`contains` has no argument `fuzzy`"),
        ("regex", {"pattern": "(?=a)"}, "the pattern `(?=a)` is not RE2"),
        ("regex", {"pattern": "(a"}, "the pattern `(a` is not RE2"),
        ("file_matches", {"path": "a"}, "`file_matches` needs `pattern` or"),
        ("json_schema", {"schema": "x"}, "`schema` of `json_schema` must be an object"),
        ("command_ran", {}, "`command_ran` needs `program` or `pattern`"),
        ("tool_used", {"tool": "a", "min": -1}, "`min` of `tool_used` must be a whole number from 0"),
        ("tool_used", {"tool": "a", "arguments": {"x": "(?<!b)"}}, "the pattern `(?<!b)` is not RE2"),
        ("tool_order", {"tools": [3]}, "`tools` of `tool_order` must be a list of names"),
        ("exit_status", {"code": True}, "`code` of `exit_status` must be a whole number"),
        ("workspace", {"files": {}}, "`files` of `workspace` must be an object"),
        ("tool_used", {"tool": "a", "min": 3, "max": 2}, "`min` of `tool_used` is above its `max`"),
        ("contains", {"value": "a", "values": ["b"]}, "`contains` takes one of `value`, `values`"),
        ("file_matches", {"path": "a", "pattern": "x", "equals": "y"}, "`file_matches` takes one of"),
        ("file_matches", {"path": "a", "sha256": "x"}, "`sha256` of `file_matches` must be 64 hexadecimal digits"),
        ("tool_not_used", {"tool": "a", "name": "b"}, "`tool_not_used` takes one of `tool`, `name`"),
    ],
)
def test_what_could_never_be_evaluated_is_an_error_when_it_is_read(
    kind: str, args: dict[str, Any], message: str
) -> None:
    case, errors = read({"check": kind, **args})
    assert case.checks == ()
    assert len(errors) == 1
    assert errors[0].message.startswith(message), errors[0].message
    assert errors[0].pointer == "/evals/0/assertions/0"
    assert errors[0].line == 1


def test_an_unknown_kind_or_role_lists_what_there_is() -> None:
    _, errors = read({"check": "vibes", "text": "good vibes"})
    assert errors[0].message == "there is no check `vibes`"
    assert "contains" in errors[0].hint
    _, errors = read({"check": "contains", "value": "a", "role": "maybe"})
    assert errors[0].message == "there is no role `maybe`"
    assert errors[0].hint == "write one of must, must_not, gate, outcome"


@pytest.mark.parametrize("role", list(Role))
def test_an_author_may_say_what_a_check_or_a_sentence_counts_towards(role: Role) -> None:
    case, errors = read({"check": "contains", "value": "a", "role": role.value, "weight": 2})
    assert not errors
    assert [(check.role, check.weight) for check in case.checks] == [(role, 2.0)]
    case, errors = read({"text": "a sentence", "role": role.value})
    assert [behavior.role for behavior in case.behaviors] == [role]


PATH_AND_TEXT = {"path": "a", "contains": "b"}


@pytest.mark.parametrize(
    ("wild", "kind", "args"),
    [
        ({"type": "phrase", "phrase": "13:42", "text": "time"}, CheckKind.CONTAINS, {"value": "13:42"}),
        ({"type": "pattern", "pattern": "13.42", "text": "time"}, CheckKind.REGEX, {"pattern": "13.42"}),
        ({"type": "regex", "pattern": "13.42"}, CheckKind.REGEX, {"pattern": "13.42"}),
        ({"type": "contains", "text": "13:42"}, CheckKind.CONTAINS, {"value": "13:42"}),
        ({"type": "file-exists", "path": "a.md"}, CheckKind.FILE_EXISTS, {"path": "a.md"}),
        (
            {"type": "file-contains", "path": "a", "contains": "b"},
            CheckKind.FILE_MATCHES,
            {"path": "a", "contains": "b"},
        ),
        ({"type": "output_not_contains", "value": "x"}, CheckKind.NOT_CONTAINS, {"value": "x"}),
        ({"type": "tool-used", "value": "Read"}, CheckKind.TOOL_USED, {"tool": "Read"}),
    ],
)
def test_objects_of_the_wild_map_onto_it(wild: dict[str, Any], kind: CheckKind, args: dict[str, Any]) -> None:
    case, errors = read(wild)
    assert not errors, errors
    assert [(check.kind, dict(check.args)) for check in case.checks] == [(kind, args)]


def test_objects_with_only_a_sentence_are_judged() -> None:
    for wild in ({"name": "n", "text": "the sentence"}, {"type": "semantic", "text": "the sentence"}):
        case, errors = read(wild)
        assert not errors
        assert [behavior.text for behavior in case.behaviors] == ["the sentence"]


def test_every_kind_has_a_form_whose_required_arguments_it_takes() -> None:
    assert set(FORMS) == set(CheckKind)
    for kind, form in FORMS.items():
        assert all(name in form.takes for names in form.needs for name in names), kind
        assert not list(faults(kind, GOOD[kind]))


CONTAINS = {"check": "contains", "value": "13:42"}
TOGETHER: list[tuple[list[Any], list[str], str]] = [
    ([CONTAINS, {"check": "not_contains", "value": "13:42"}], [], "it can never pass together with"),
    ([{"check": "file_exists", "path": "a"}, {"check": "file_absent", "path": "a"}], [], "it can never pass together"),
    ([{"check": "tool_used", "tool": "a"}, {"check": "tool_not_used", "name": "a"}], [], "it can never pass together"),
    ([CONTAINS], ["13:42"], "it forbids what the assertion at /evals/0/assertions/0 wants"),
    ([{"text": "13:42", "role": "must_not"}, CONTAINS], [], "it wants what the assertion at"),
    ([{**CONTAINS, "role": "must_not"}], [], "as a prohibition write `not_contains`"),
    ([{"check": "command_ran", "program": "rm", "role": "must_not"}], [], "write `command_not_ran`"),
]


@pytest.mark.parametrize(("assertions", "prohibitions", "said"), TOGETHER, ids=range(len(TOGETHER)))
def test_assertions_that_cannot_hold_together_are_a_warning_at_the_later_one(
    assertions: list[Any], prohibitions: list[str], said: str
) -> None:
    row = {"id": "a", "prompt": "p", "assertions": assertions, "must_not": prohibitions}
    suite = suite_of({"evals/evals.json": {"evals": [row]}})
    (warning,) = suite.files[0].reading.warnings
    assert said in warning.message
    assert warning.line
    place = "/evals/0/must_not/0" if prohibitions else f"/evals/0/assertions/{len(assertions) - 1}"
    assert warning.pointer == place
    assert len(suite.cases[0].checks) + len(suite.cases[0].behaviors) == len(assertions) + len(prohibitions)


@pytest.mark.parametrize(
    "assertions",
    [
        [CONTAINS, {"check": "not_contains", "value": "14:42"}],
        [CONTAINS, {"check": "not_contains", "value": "13:42", "where": "output"}],
        [{"check": "file_exists", "path": "a"}, {"check": "file_absent", "path": "b"}],
        [CONTAINS, CONTAINS, "Does not say 13:42 twice"],
    ],
)
def test_assertions_that_can_hold_together_need_no_word(assertions: list[Any]) -> None:
    suite = suite_of({"evals/evals.json": {"evals": [{"id": "a", "prompt": "p", "assertions": assertions}]}})
    assert suite.files[0].reading.warnings == ()


@pytest.mark.parametrize("second", [{"check": "regex", "pattern": "x", "id": "time"}, {"text": "s", "id": "time"}])
def test_an_id_that_stands_twice_in_a_case_is_an_error_and_its_assertion_is_left_out(second: dict[str, Any]) -> None:
    row = {"id": "a", "prompt": "p", "assertions": [{**CONTAINS, "id": "time"}, second]}
    suite = suite_of({"evals/evals.json": {"evals": [row]}})
    assert [(error.pointer, error.message) for error in suite.errors] == [
        ("/evals/0/assertions/1/id", "id `time` stands twice in this case")
    ]
    assert [check.id for check in suite.cases[0].checks] == ["time"]


@pytest.mark.parametrize("identity", [True, 1.5, "", [], "x" * 200])
def test_an_id_that_is_none_is_an_error(identity: object) -> None:
    _, errors = read({**CONTAINS, "id": identity})
    assert [error.pointer for error in errors] == ["/evals/0/assertions/0/id"]


@pytest.mark.parametrize(
    ("written", "kind", "args"),
    [
        ({"type": "contains_pattern", "pattern": "(a|b)"}, CheckKind.REGEX, {"pattern": "(a|b)"}),
        ({"type": "not_contains_pattern", "pattern": "token="}, CheckKind.NOT_REGEX, {"pattern": "token="}),
        ({"type": "contains_phrase", "phrase": "gst-launch"}, CheckKind.CONTAINS, {"value": "gst-launch"}),
        ({"type": "not_contains", "phrase": "filesrc"}, CheckKind.NOT_CONTAINS, {"value": "filesrc"}),
    ],
)
def test_objects_of_public_catalogues_are_checks(
    written: dict[str, Any], kind: CheckKind, args: dict[str, Any]
) -> None:
    case, errors = read({**written, "text": "as said"})
    assert errors == ()
    assert [(check.kind, check.args, check.text) for check in case.checks] == [(kind, args, "as said")]
