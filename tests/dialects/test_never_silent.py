"""What an author meant as a case is read or is an error: silence would be a suite that never ran."""

from __future__ import annotations

import pytest

from tests.dialects.suites import suite_of

ROW = {"id": "a", "prompt": "p", "expected_output": "x", "assertions": ["y"]}


@pytest.mark.parametrize(
    "folder", ["environment-variables", "fileserver", "resultset", "workspaces-api", "iteration-x"]
)
def test_a_folder_that_only_begins_like_one_of_outputs_is_read(folder: str) -> None:
    suite = suite_of({f"evals/{folder}/evals.json": {"evals": [ROW]}})
    assert [case.id for case in suite.cases] == ["a"]


@pytest.mark.parametrize("folder", ["environment", "files", "results", "iteration-12", "workspace"])
def test_outputs_and_inputs_are_no_suites(folder: str) -> None:
    assert suite_of({f"evals/{folder}/evals.json": {"evals": [ROW]}}).files == ()


def test_a_bare_case_is_read() -> None:
    suite = suite_of({"evals/one.json": ROW})
    assert suite.errors == ()
    (case,) = suite.cases
    assert (case.id, case.prompt, case.reference, len(case.behaviors)) == ("a", "p", "x", 1)


def test_an_object_that_asks_in_an_unknown_form_is_an_error() -> None:
    (error,) = suite_of({"evals/one.json": {"id": "a", "prompt": "p", "oracle": 3}}).errors
    assert error.message == "no dialect that aces-ci knows claims this file"


def test_a_prompt_without_graders_is_an_error() -> None:
    (error,) = suite_of({"evals/a/prompt.md": "Do it."}).errors
    assert (error.path, error.message) == ("evals/a/prompt.md", "a prompt without graders is no case")
    assert suite_of({"evals/a/prompt.md": "Do it.", "evals/a/graders/x.md": "It is done."}).cases


@pytest.mark.parametrize("name", ["", "  ", 7, ["tide-tables"], False, {}])
@pytest.mark.parametrize("more", [{}, {"should_trigger": True}])
def test_a_skill_that_is_no_name_leaves_its_case_out(name: object, more: dict[str, object]) -> None:
    suite = suite_of({"evals/evals.json": {"evals": [{**ROW, **more, "expected_skill": name}, {**ROW, "id": "b"}]}})
    assert [case.id for case in suite.cases] == ["b"]
    (error,) = suite.errors
    assert error.pointer == "/evals/0/expected_skill"
    assert error.message.startswith("`expected_skill` is ")
    assert error.message.endswith(": the case is left out")


def test_a_refused_check_is_left_out_and_the_rest_of_its_case_is_read() -> None:
    wrong = {"check": "regex", "pattern": "(?=x)"}
    suite = suite_of({"evals/evals.json": {"evals": [{**ROW, "assertions": ["y", wrong]}]}})
    (case,) = suite.cases
    assert (len(case.behaviors), case.checks, len(suite.errors)) == (1, (), 1)
