"""A suite stays within bounds: memory does not grow with files x cases, and nothing is cut without a word."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from aces_ci.changes.collect import FILE_CAP, SKILL_CAP
from aces_ci.core.suites.case_size import SUITE_LIMIT, Scales
from aces_ci.core.suites.eval_place import places
from aces_ci.core.suites.eval_text import CASE_LIMIT, SIZE_LIMIT, VALUE_LIMIT, parse
from aces_ci.core.suites.plain_data import DEPTH_LIMIT
from aces_ci.core.suites.yaml_aliases import EXPANDED_LIMIT
from tests.dialects.suites import suite_of

MORE = CASE_LIMIT + 5
ROWS: dict[str, dict[str, Any]] = {
    "rows": {"evals": [{"id": n, "prompt": "p"} for n in range(MORE)]},
    "trigger": {"": [{"query": "q", "should_trigger": True}] * MORE},
    "dotnet": {"scenarios": [{"name": f"c{n}", "prompt": "p"} for n in range(MORE)]},
    "vally": {"stimuli": [{"name": f"c{n}", "prompt": "p"} for n in range(MORE)]},
    "skillgrade": {"tasks": [{"name": f"c{n}", "instruction": "p"} for n in range(MORE)]},
    "promptfoo": {"prompts": ["p"], "tests": [{"description": f"c{n}"} for n in range(MORE)]},
    "benchmark": {
        "kind": "plugin-eval-benchmark",
        "scenarios": [{"id": f"c{n}", "userInput": "p"} for n in range(MORE)],
    },
    "waza-triggers": {"should_trigger_prompts": ["p"] * MORE},
}
LISTS: dict[str, dict[str, Any]] = {
    "csv": {"evals/a.prompts.csv": "id,should_trigger,prompt\n" + "".join(f"c{n},true,p\n" for n in range(MORE))},
    "jsonl": {"evals/evals.jsonl": "".join(f'{{"id":{n},"question":"p"}}\n' for n in range(MORE))},
    **{name: {"evals/eval.json": data.get("", data)} for name, data in ROWS.items()},
}


@pytest.mark.parametrize("dialect", LISTS)
def test_cases_beyond_the_limit_are_an_error_that_names_their_number_in_every_dialect(dialect: str) -> None:
    suite = suite_of(LISTS[dialect])
    (error,) = suite.errors
    assert (error.message, error.hint) == (f"{MORE} cases, of which {CASE_LIMIT} are read", "split the file")
    assert error.line
    assert len(suite.cases) == CASE_LIMIT


def peak_of(files: dict[str, Any]) -> tuple[Any, float]:
    tracemalloc.start()
    suite = suite_of(files)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return suite, peak


NAMED = {"evals": [{"id": n, "prompt": "p", "expected_skill": "t"} for n in range(1_100)]}
COPIED = [{"name": f"c{n}", "prompt": "p", "setup": {"copy_test_files": True}} for n in range(1_100)]
LONG = "x " * 100_000
# Small files that stand for gigabytes once every case has what is shared written out.
HEAVY: dict[str, dict[str, Any]] = {
    "files x cases": {"evals/evals.json": NAMED, **{f"evals/files/{n:05}.txt": "1" for n in range(2_000)}},
    "templates x tests": {
        "evals/e.yaml": json.dumps({"prompts": [LONG + str(n) for n in range(4)], "tests": [{}] * 500})
    },
    "one instruction of many tasks": {
        "evals/eval.json": {"tasks": [{"name": f"c{n}", "instruction": "long.md"} for n in range(500)]},
        "evals/long.md": LONG,
    },
    "graders x tasks": {
        "evals/eval.yaml": json.dumps(
            {
                "skill": "s",
                "graders": [{"type": "prompt", "config": {"prompt": LONG[:20_000] + str(n)}} for n in range(40)],
                "tasks": ["tasks/*.yaml"],
            }
        ),
        **{f"evals/tasks/{n}.yaml": f"id: c{n}\ninputs: {{prompt: p}}\n" for n in range(100)},
    },
    "copied folders x scenarios": {
        "tests/eval.json": {"scenarios": COPIED},
        **{f"tests/in/{n:05}.txt": "1" for n in range(2_000)},
    },
}


@pytest.mark.parametrize("kind", HEAVY)
def test_what_cases_share_is_held_once_and_beyond_a_bound_it_is_one_clear_error(kind: str) -> None:
    suite, peak = peak_of(HEAVY[kind])
    assert peak < 200
    (error,) = suite.errors
    assert f"hold more than {SUITE_LIMIT >> 20} MiB with what they share written out" in error.message
    assert error.line
    assert 0 < sum(map(Scales().size_of, suite.cases)) < SUITE_LIMIT * 1.2


def test_many_cases_with_many_files_are_no_error_within_the_bound() -> None:
    rows = {"evals": [{"id": n, "prompt": "p", "expected_skill": "t"} for n in range(300)]}
    suite, peak = peak_of({"evals/evals.json": rows, **{f"evals/files/{n:04}.txt": "1" for n in range(500)}})
    assert suite.errors == ()
    assert peak < 30
    assert {len(case.files) for case in suite.cases} == {500}
    # One list for all of them.
    assert len({id(case.files) for case in suite.cases}) == 1


def test_further_files_of_a_suite_that_is_full_are_named_and_not_read() -> None:
    whole = {"evals": [{"id": n, "prompt": "p", "expected_skill": "t"} for n in range(700)]}
    files = {f"evals/{name}-evals.json": whole for name in "abc"}
    suite = suite_of({**files, **{f"evals/files/{n:05}.txt": "1" for n in range(2_000)}})
    said = [(error.path, error.message) for error in suite.errors if error.message.startswith("not read")]
    assert said == [("evals/c-evals.json", f"not read: the suite holds more than {SUITE_LIMIT >> 20} MiB already")]


@pytest.mark.parametrize("ending", ["json", "yaml", "jsonl", "csv", "toml"])
def test_a_file_of_many_values_is_refused_before_it_is_parsed(ending: str) -> None:
    text = {"csv": ",\n" * 150_000, "toml": "a=[" + "1," * 250_000 + "1]", "jsonl": "1\n" * 250_000}
    tracemalloc.start()
    fault = parse(f"a.{ending}", text.get(ending, "[" + "1," * 250_000 + "1]").encode()).fault
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert fault is not None
    assert fault.message.startswith(f"more than {VALUE_LIMIT} values")
    assert peak < 8 * 2**20


@pytest.mark.parametrize(("ending", "long"), [("json", 100_000), ("yaml", 1_000)])
def test_pointers_of_long_keys_are_not_written_out_for_every_value(ending: str, long: int) -> None:
    text = json.dumps({"k" * long: {"i" * (long // 2): [0] * 20_000}, "after": 1})
    tracemalloc.start()
    found = places(f"a.{ending}", text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 * 2**20
    assert found["/after"] == 1


def test_the_bounds_that_the_page_names_are_those_of_the_code(root: Path) -> None:
    page = " ".join((root / "docs/evals.md").read_text("utf-8").split())
    assert SIZE_LIMIT == FILE_CAP == SUITE_LIMIT // 32
    assert SKILL_CAP == SUITE_LIMIT
    for said in (
        f"more than {FILE_CAP >> 20} MiB",
        f"{VALUE_LIMIT:,} values",
        f"{DEPTH_LIMIT} levels",
        f"more than {EXPANDED_LIMIT:,} values",
        f"{CASE_LIMIT:,} cases",
        f"{SUITE_LIMIT >> 20} MiB",
    ):
        assert said in page, said
