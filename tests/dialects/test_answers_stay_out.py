"""No fixture brings a task, an answer or a grade into the workspace of an agent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.staging import case_files, skill_files, without_suite
from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.trialling import subject_of
from tests.dialects.suites import suite_of

ROW: dict[str, Any] = {"id": "a", "prompt": "p", "assertions": ["Names the time"]}
OTHER = {"id": "b", "prompt": "q", "assertions": ["Names the unit"]}


def suite(*names: str, **more: Any) -> dict[str, Any]:
    return {"evals/evals.json": {"evals": [{**ROW, "files": list(names)}, OTHER]}, "evals/files/a.csv": "1", **more}


REFUSED: list[tuple[dict[str, Any], str]] = [
    (suite("evals/evals.json"), "belongs to the suite"),
    (suite("evals"), "belongs to the suite"),
    (suite("evals/EVAL.md", **{"evals/EVAL.md": "# Questions"}), "belongs to the suite"),
    (suite("evals/config.yml", **{"evals/config.yml": "attempts: 1"}), "belongs to the suite"),
    (suite("evals/grader.py", **{"evals/grader.py": "x"}), "belongs to the suite"),
    (suite("evals/tests", **{"evals/tests/expected.txt": "x"}), "belongs to the suite"),
    (suite("evals/harbor/t/tests/test.sh", **{"evals/harbor/t/tests/test.sh": "x"}), "belongs to the suite"),
    (suite("evals/more.json", **{"evals/more.json": [{"query": "q", "should_trigger": True}]}), "belongs to the suite"),
    (suite("evals/broken.json", **{"evals/broken.json": "{"}), "belongs to the suite"),
    (suite("evals/x/graders/time.md", **{"evals/x/prompt.md": "p", "evals/x/graders/time.md": "Is it so?"}), "belongs"),
]


@pytest.mark.parametrize(("files", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_fixture_of_the_suite_itself_leaves_its_case_out_with_a_located_error(files: Any, said: str) -> None:
    found = suite_of(files)
    assert "a" not in {case.id for case in found.cases}
    assert "b" in {case.id for case in found.cases}
    (error,) = [error for error in found.errors if error.pointer == "/evals/0/files"]
    assert (error.path, error.line) == ("evals/evals.json", 1)
    assert said in error.message
    assert error.message.endswith("the case is left out")


def test_a_copy_of_the_answers_under_another_name_is_no_fixture_either() -> None:
    files = suite("evals/files/notes.txt")
    files["evals/files/notes.txt"] = json.dumps(files["evals/evals.json"])
    found = suite_of(files)
    assert [case.id for case in found.cases] == ["b"]
    assert "is a copy of evals/evals.json" in found.errors[0].message


@pytest.mark.parametrize("name", ["evals/files/a.csv", "evals/files", "evals/order.csv", "data/a.txt", "tests/in.json"])
def test_files_that_are_made_for_agents_are_laid_out(name: str) -> None:
    more = {"evals/order.csv": "1,2", "data/a.txt": "x", "tests/in.json": {"rows": [1]}, "evals/files/evals.json": "{}"}
    found = suite_of(suite(name, **more))
    assert found.errors == ()
    assert [case.id for case in found.cases] == ["a", "b"]
    assert found.cases[0].files


def test_a_waza_task_and_a_copied_folder_bring_no_answers() -> None:
    waza = {
        "evals/eval.yaml": "name: n\nskill: s\nconfig: {}\ntasks: [tasks/*.yaml]\n",
        "evals/tasks/a.yaml": "id: a\ninputs:\n  prompt: p\n  files:\n    - path: tasks/a.yaml\n",
    }
    found = suite_of(waza)
    assert found.cases == ()
    assert [(error.path, error.line) for error in found.errors] == [("evals/tasks/a.yaml", 5)]
    dotnet = "scenarios:\n  - {name: a, prompt: p, setup: {copy_test_files: true}}\n"
    (case,) = suite_of({"tests/eval.yaml": dotnet, "tests/x.eval.yaml": "[]", "tests/in.txt": "1"}).cases
    assert [file.target for file in case.files] == ["in.txt"]


@pytest.mark.parametrize("source", ["evals/evals.json", "evals/EVAL.md", "evaluations/eval.yaml"])
def test_what_lays_fixtures_out_refuses_answers_whoever_names_them(source: str) -> None:
    case = Case(id="a", prompt="p", files=(CaseFile(source=source, target="x"),))
    with pytest.raises(UsageError) as caught:
        case_files(case, {source: b"{}"})
    assert caught.value.code == "fixture_answers"


def skill(*paths: str) -> Skill:
    text = b"---\nname: tides\ndescription: Reads tide tables\n---\nbody"
    raw = {"SKILL.md": text, **dict.fromkeys(paths, b"{}")}
    files = {path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(data), data=data) for path, data in raw.items()}
    return parse_skill(root="skills/tides", files=files, outside=frozenset())


def laid_out(given: Skill) -> list[str]:
    return sorted(file.path.partition("/")[2] for file in skill_files([given]))


@pytest.mark.parametrize("folder", ["evals", "eval", "evaluations", ".plugin-eval", "results"])
def test_no_folder_of_suites_reaches_the_agent_with_the_skill(folder: str) -> None:
    assert laid_out(skill(f"{folder}/a.json", "scripts/a.py")) == ["SKILL.md", "scripts/a.py"]


def test_a_suite_outside_those_folders_does_not_reach_the_agent_either() -> None:
    given = skill("tests/eval.yaml", "tests/run.py", "trigger-eval.json")
    own = frozenset({"tests/eval.yaml", "trigger-eval.json", "SKILL.md"})
    assert laid_out(without_suite(given, own)) == ["SKILL.md", "tests/run.py"]
    cases = [Case(id="a", prompt="p", provenance="tests/eval.yaml#/scenarios/0")]
    subject = subject_of(given, given, cases)
    assert [laid_out(each) for each in (*subject.lineup.target, *subject.lineup.previous)] == [
        ["SKILL.md", "tests/run.py", "trigger-eval.json"]
    ] * 2
