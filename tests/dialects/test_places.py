"""An error stands at the line where its value stands, in the file where it stands, whatever the format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.suites import suite_of

ROW = '{"id": "a", "prompt": "p", "assertions": ["x"]}'
WAZA = "name: n\nskill: s\nconfig: {}\ngraders:\n  - {type: text, config: {contains: x}}\ntasks:\n  - tasks/*.yaml\n"
TASK = "id: a\nname: A\ninputs:\n  prompt: p\nexpected:\n  output_contains: [x]\n"

# (files, path and line of the one error, words of it)
FOUND: list[tuple[dict[str, str], str, int, str]] = [
    ({"evals/evals.json": '{"x": "NaN",\n"evals": [{"id": 1, "n": NaN}],\n"y": "NaN"}'}, "evals/evals.json", 2, "NaN"),
    (
        {"evals/evals.json": '{"a": "Infinity",\n"b":\n-Infinity,\n"c": "-Infinity"}'},
        "evals/evals.json",
        3,
        "-Infinity",
    ),
    ({"evals/evals.json": '{"id": 1,\n"x": {"id": 2},\n"id": 3,\n"z": "id"}'}, "evals/evals.json", 3, "stands twice"),
    ({"evals/evals.json": '{"id": 1,\n"\\u0069d": 3, "z": {"id": 4}}'}, "evals/evals.json", 2, 'key "id" stands twice'),
    ({"evals/evals.json": "[1,\n1" + "0" * 400 + "]"}, "evals/evals.json", 2, "too large"),
    ({"evals/evals.json": "[1,\n1" + "0" * 5000 + "]"}, "evals/evals.json", 2, "too large"),
    (
        {"evals/evals.json": '{"evals": [\n{"id": "a",\n"prompt": "\\ud800"}]}'},
        "evals/evals.json",
        3,
        "half a surrogate",
    ),
    ({"evals/evals.json": '{"evals": [\n{"id": "a",\n"prompt": "\\u0000"}]}'}, "evals/evals.json", 3, "NUL"),
    ({"evals/evals.json": '{"evals": [\n{"id": "a",\n"\\udfff": 1}]}'}, "evals/evals.json", 2, "half a surrogate"),
    ({"evals/evals.yaml": 'evals:\n  - id: a\n    prompt: "x\\0y"\n'}, "evals/evals.yaml", 3, "NUL"),
    ({"evals/evals.yaml": "evals:\n  - id: a\n    weight: .inf\n"}, "evals/evals.yaml", 3, "not a finite number"),
    ({"evals/evals.yaml": "evals:\n  - id: a\n    weight: .nan\n"}, "evals/evals.yaml", 3, "not a finite number"),
    ({"evals/evals.yaml": f"a: 1\nb: {'9' * 5000}\n"}, "evals/evals.yaml", 2, "Exceeds the limit"),
    ({"evals/evals.yaml": "evals:\n  - id: a\n    prompt: !!binary aGFsbG8=\n"}, "evals/evals.yaml", 3, "type bytes"),
    (
        {"evals/evals.jsonl": f'{ROW}\n\n{{"id": "b", "prompt": 3}}\n'.replace("prompt", "question")},
        "evals/evals.jsonl",
        3,
        "a number",
    ),
    (
        {"evals/a.prompts.csv": 'id,should_trigger,prompt\na,true,"one\ntwo\nthree"\n\nb,maybe,x\n'},
        "evals/a.prompts.csv",
        6,
        "neither",
    ),
    (
        {"evals/a.prompts.csv": 'id,should_trigger,prompt\na,true,"p\nq"\nb,true,"open\n'},
        "evals/a.prompts.csv",
        4,
        "not CSV",
    ),
    (
        {"evals/a.prompts.csv": "id,prompt,should_trigger,prompt\na,p,true,q\n"},
        "evals/a.prompts.csv",
        1,
        "stands twice",
    ),
    (
        {
            "evals/h/task.toml": 'version = "1"\n[metadata]\nentry_id = ["x"]\n[agent]\n[verifier]\n',
            "evals/h/instruction.md": "p",
            "evals/h/tests/test.sh": "true",
        },
        "evals/h/task.toml",
        2,
        "`id` is a list",
    ),
    (
        {"evals/eval.yaml": WAZA, "evals/tasks/a.yaml": TASK + "graders:\n  - {type: text, config: 3}\n"},
        "evals/tasks/a.yaml",
        8,
        "`config`",
    ),
    (
        {"evals/eval.yaml": WAZA, "evals/tasks/a.yaml": TASK.replace("[x]", "{x: y}")},
        "evals/tasks/a.yaml",
        6,
        "output_contains",
    ),
    ({"evals/eval.yaml": WAZA, "evals/tasks/a.yaml": TASK + "x: [\n"}, "evals/tasks/a.yaml", 8, "not YAML"),
    ({"evals/eval.yaml": WAZA.replace("x}}", "[3]}}"), "evals/tasks/a.yaml": TASK}, "evals/eval.yaml", 5, "no text"),
    (
        {"evals/a/prompt.md": "Do it.", "evals/a/graders/x.md": "---\ntype: regex\npattern: x\nweight: many\n---\n"},
        "evals/a/graders/x.md",
        4,
        "`weight` is text",
    ),
    (
        {"evals/a/prompt.md": "Do it.", "evals/a/graders/x.md": "---\ntype: regex\na: [\n---\n"},
        "evals/a/graders/x.md",
        4,
        "not YAML",
    ),
    (
        {
            "evals/a/prompt.md": "---\ntags: [x]\nmax_turn: 3\n---\nDo it.",
            "evals/a/graders/x.md": "---\ntype: llm\n---\nSo?",
        },
        "evals/a/prompt.md",
        3,
        "is no key of a prompt.md",
    ),
    (
        {"evals/a/case.yaml": "schema_version: '1.1'\nname: a\nexecution: {prompt: p}\ngraders:\n  - {type: odd}\n"},
        "evals/a/case.yaml",
        5,
        "there is no type",
    ),
]


@pytest.mark.parametrize(("files", "path", "line", "said"), FOUND, ids=range(len(FOUND)))
def test_an_error_names_the_file_and_the_line_of_its_value(
    files: dict[str, str], path: str, line: int, said: str
) -> None:
    (error,) = suite_of(files).errors
    assert (error.path, error.line) == (path, line), error
    assert said in error.message


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_line_feed_ends_a_line_of_json_lines(character: str) -> None:
    rows: list[dict[str, Any]] = [{"id": "a", "question": f"one{character}two"}, {"id": "b", "question": 3}]
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    suite = suite_of({"evals/evals.jsonl": text})
    assert [case.prompt for case in suite.cases] == [f"one{character}two"]
    assert [error.line for error in suite.errors] == [2]


def test_a_file_of_a_megabyte_has_lines_too() -> None:
    rows = [{"id": f"c{number}", "prompt": "p" * 60, "assertions": ["x"]} for number in range(9_000)]
    text = json.dumps({"evals": [*rows, {"id": "last", "prompt": 3}]}, indent=0)
    assert 900_000 < len(text) < 1_048_576
    (error,) = suite_of({"evals/evals.json": text}).errors
    assert error.line == text[: text.index('"last"')].count("\n") + 2


def test_advice_on_a_case_stands_in_the_file_of_its_task(tmp_path: Any) -> None:
    from aces_ci.jobs.suites import suites_below

    skill = tmp_path / "skills/tides"
    (skill / "evals/tasks").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tides\ndescription: Reads tide tables\n---\nbody")
    (skill / "evals/eval.yaml").write_text(WAZA)
    (skill / "evals/tasks/a.yaml").write_text(TASK.replace("prompt: p", "prompt: Use /tides now"))
    (found,) = suites_below(tmp_path, (skill,), attempts=8)
    (row,) = found.rows(cases=False)
    said = [
        (warning["path"], warning["line"]) for warning in row["warnings"] if "names the skill" in warning["message"]
    ]
    assert said == [(f"{row['path'].removesuffix('eval.yaml')}tasks/a.yaml", 1)]
