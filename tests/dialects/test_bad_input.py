"""Broken files: one located error each, siblings still read, bounded memory and time, never a traceback."""

from __future__ import annotations

import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aces_ci import compose
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.suites.eval_text import CASE_LIMIT, SIZE_LIMIT, VALUE_LIMIT
from aces_ci.tiers.suite import read_suite
from tests.dialects.suites import suite_of

GOOD = {"evals": [{"id": "good", "prompt": "p", "assertions": ["a"]}]}

BOMB = b"a0: &a0 [x, x, x]\n" + b"".join(
    f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n".encode() for n in range(1, 40)
)
BROKEN: list[tuple[str, bytes, str, int | None]] = [
    ("evals.json", b'{"evals": [\n {"id": 1, "prompt": "a"', "the file ends in the middle", 2),
    ("evals.json", b'{"evals": [\n {"id": 1, "prompt": "a"},\n]}', "not JSON: ", 3),
    ("evals.json", b'{"evals": [ // all\n]}', "not JSON: ", 1),
    ("evals.json", b'{"evals": [\n{"id": 1, "prompt": "a", "weight": NaN}]}', "NaN is no JSON number", 2),
    ("evals.json", b'{"evals": [], "evals": []}', 'key "evals" stands twice', 1),
    ("evals.json", b'{"evals": [\n{"id": 1, "prompt": "a", "n": -1e400}]}', "-1e400 is too large for a number", 2),
    ("evals.json", b"", "empty file", 1),
    ("evals.json", b"[" * 5000, "nested deeper than 64 levels", None),
    ("evals.json", b"[" * 100 + b"]" * 100, "nested deeper than 64 levels", None),
    ("evals.json", b'{"evals": 3}', "`evals` is a number, not a list", 1),
    ("evals.json", b'{"evals": ["a"]}', "case 1 is text, not an object", 1),
    ("evals.json", b'{"evals": [{"id": true, "prompt": "a"}]}', "`id` is a yes/no value", 1),
    ("evals.json", b'{"evals": [{"id": 1, "prompt": ["a"]}]}', "`prompt` is a list, not text", 1),
    ("evals.json", b'{"evals": [{"id": 1}]}', "case 1 has no prompt", 1),
    ("evals.json", b"\x89PNG\r\n\x1a\n\x00", "not UTF-8 (byte 0)", 1),
    ("evals.json", b'{"a": "\x00"}', "binary data", 1),
    ("evals.json", b'{"hello": 1}', "no dialect that aces-ci knows claims this file", 1),
    ("evals.yaml", b"evals:\n  - {id: 1, prompt: a\n", "not YAML: ", 3),
    ("evals.yaml", b"a: &x [1, *x]\n", "an alias stands for what contains it", 1),
    ("evals.yaml", b"a: 1\nb: {c: 1}\na: 2\n", 'not YAML: key "a" stands twice', 3),
    ("evals.yaml", b"b:\n  - c: 1\n    c: 2\n", 'not YAML: key "c" stands twice', 3),
    ("evals.yaml", b"a: [*x]\n", "not YAML: found undefined alias", 1),
    ("evals.yaml", BOMB, "its aliases stand for more than 20000 values", 9),
    ("evals.yaml", b"!!python/object/apply:os.system ['true']", "not YAML: ", 1),
    ("evals.jsonl", b'{"id": "a", "question": "q"}\n{"id": \n', "the file ends in the middle", 2),
    ("evals.json", b" " * (SIZE_LIMIT + 1), "larger than 1 MiB", None),
    ("evals.yaml", b"a: b\n" * (SIZE_LIMIT // 4), "larger than 1 MiB", None),
]


@pytest.mark.parametrize(("name", "data", "message", "line"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_one_located_error_and_its_sibling_is_read(
    name: str, data: bytes, message: str, line: int | None
) -> None:
    suite = suite_of({f"evals/{name}": data, "evals/other-evals.json": GOOD})
    (error,) = suite.errors
    assert error.message.startswith(message), error.message
    assert error.line == line
    assert error.path == f"evals/{name}"
    assert error.hint
    assert [case.id for case in suite.cases] == ["good"]


def test_aliases_that_stand_for_little_are_followed() -> None:
    text = "x: &graded [Names the time]\nevals:\n"
    text += "".join(f"  - {{id: {name}, prompt: p, assertions: *graded}}\n" for name in "ab")
    suite = suite_of({"evals/evals.yaml": text})
    assert not suite.errors
    assert [[behavior.text for behavior in case.behaviors] for case in suite.cases] == [["Names the time"]] * 2


@pytest.mark.parametrize(
    "path", ["schemas/evaluate.schema.json", "references/eval.md", "references/spec_evaluate.yaml", "tests/data.json"]
)
def test_a_file_that_only_sounds_like_a_suite_is_no_error(path: str) -> None:
    assert suite_of({path: "{", "evals/evals.json": GOOD}).errors == ()


def test_the_same_case_in_two_files_is_read_once_with_a_word_and_another_one_of_its_id_is_an_error() -> None:
    rows = [{"id": "a", "prompt": "p", "assertions": ["x"]}, {"id": "b", "prompt": "p", "assertions": ["x"]}]
    other = [rows[0], {**rows[1], "prompt": "q"}]
    suite = suite_of({"evals/evals-full.json": {"evals": other}, "evals/evals.json": {"evals": rows}})
    assert [case.provenance for case in suite.cases] == ["evals/evals.json#/evals/0", "evals/evals.json#/evals/1"]
    (error,) = suite.errors
    assert error.message == "id `b` is taken already (at evals/evals.json#/evals/1)"
    (warning,) = suite.files[1].reading.warnings
    assert warning.message == "case `a` is read once: it stands at evals/evals.json#/evals/0 as well"


@pytest.mark.parametrize("row", [None, 3, {"id": 2}, {"id": [], "prompt": "p"}, {"prompt": ""}])
def test_a_broken_case_leaves_its_neighbours(row: Any) -> None:
    suite = suite_of({"evals/evals.json": {"evals": [row, {"id": "good", "prompt": "p", "assertions": ["a"]}]}})
    assert len(suite.errors) >= 1
    assert all(error.pointer.startswith("/evals/0") for error in suite.errors)
    assert [case.id for case in suite.cases] == ["good"]


def test_a_hundred_thousand_cases_are_refused_and_the_sibling_is_read_in_bounded_time() -> None:
    text = json.dumps([{} for _ in range(100_001)])
    began = time.monotonic()
    suite = suite_of({"evals/evals.json": text, "evals/other-evals.json": GOOD})
    assert time.monotonic() - began < 20
    assert [case.id for case in suite.cases] == ["good"]
    assert [error.message for error in suite.errors] == ["more than 200000 values: generated data, not a suite"]


def test_more_cases_than_a_suite_has_are_cut_with_one_error() -> None:
    text = json.dumps({"evals": [{"id": number, "prompt": "p"} for number in range(CASE_LIMIT + 5)]})
    suite = suite_of({"evals/evals.json": text})
    assert len(suite.cases) == CASE_LIMIT
    assert [error.message for error in suite.errors] == [f"{CASE_LIMIT + 5} cases, of which {CASE_LIMIT} are read"]


def test_errors_of_very_many_bad_cases_are_few_enough_to_read() -> None:
    suite = suite_of({"evals/evals.json": {"evals": [3] * 5000}})
    assert len(suite.errors) == 51
    assert suite.errors[-1].message == "4950 more errors"


def test_the_worst_file_of_the_allowed_size_takes_no_half_gigabyte() -> None:
    files = [b"[" + b"[]," * ((SIZE_LIMIT - 4) // 3) + b"0]", b"[" + b"[]," * (VALUE_LIMIT // 2 - 9) + b"0]"]
    tracemalloc.start()
    for data in files:
        assert suite_of({"evals/evals.json": data}).errors
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 512 * 1024 * 1024


def test_a_suite_that_is_a_link_or_too_long_is_not_passed_over() -> None:
    for kind, words in (
        (FileKind.SYMLINK, "a symbolic link, not a regular file"),
        (FileKind.OVERSIZE, "99 bytes are too many"),
    ):
        file = SkillFile(path="evals/evals.json", kind=kind, size=99)
        suite = read_suite({file.path: file}, (), skill_name="x")
        assert [words in error.message for error in suite.errors] == [True]


DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ["evals", "cases", "id", "prompt", "question", "query", "should_trigger", "expected_skill", "assertions",
             "files", "stimuli", "scenarios", "tasks", "skill", "graders", "type", "config", "check", "tests",
             "prompts", "vars", "assert", "checklist", "max_score", "kind", "judge", "instruction", "inputs",
             "constraints"]
        ),
        inner,
        max_size=6,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=DATA)
def test_any_data_gives_a_case_or_an_error(data: object) -> None:
    suite = suite_of({"evals/evals.json": json.dumps(data), "evals/files/a.csv": "1"})
    (file,) = suite.files
    assert file.reading.cases or file.reading.errors
    assert all(error.message and error.hint for error in file.reading.errors)


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=200), ending=st.sampled_from(["json", "jsonl", "yaml", "csv", "toml", "md"]))
def test_any_bytes_are_read_without_a_crash(data: bytes, ending: str) -> None:
    suite_of({f"evals/evals.{ending}": data})


def test_cases_of_an_unknown_format_are_an_error_under_any_name_and_other_data_beside_a_suite_is_none() -> None:
    other = {"suite": {"rows": [{"task": "Read the tables", "wanted": "13:42"}]}}
    suite = suite_of({"evals/evals.json": GOOD, "evals/mine.json": other, "evals/baseline.json": {"score": [1, 2]}})
    assert [(error.path, error.message) for error in suite.errors] == [
        ("evals/mine.json", "no dialect that aces-ci knows claims this file")
    ]


@pytest.mark.parametrize("path", ["evals/trigger-eval.json", "evals/evals.jsonl"])
def test_a_file_that_is_too_large_or_a_link_is_an_error_under_any_name(path: str) -> None:
    for kind, clause in ((FileKind.OVERSIZE, "bytes are too many"), (FileKind.SYMLINK, "not a regular file")):
        file = SkillFile(path=path, kind=kind, size=64 << 20, data=None)
        (error,) = read_suite({path: file}, compose.dialects(), skill_name="t").errors
        assert (error.path, clause in error.message) == (path, True)


def test_a_merged_key_may_be_overridden() -> None:
    text = "x: &x {prompt: p, id: one}\ny: &y\n  <<: *x\n  id: two\nevals:\n  - <<: *y\n    id: three\n"
    assert [case.id for case in suite_of({"evals/evals.yaml": text.encode()}).cases] == ["three"]
