"""What stands in a suite stays as it is, byte for byte: backups, added cases, refined ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.authoring.refine import Refined, merged, refine
from aces_ci.core.errors import UsageError
from aces_ci.core.suites import json_splice
from aces_ci.core.suites.case import Case, Check, CheckKind, Role
from tests.authoring.test_create import repo, run, run_in, written
from tests.authoring.test_refine import OTHER, ROWS, SCRIPTS, traces
from tests.dialects.suites import suite_of

__all__ = ["repo", "run_in"]
ODD = (
    b'\xef\xbb\xbf{\r\n\t"evals": [\r\n\t\t{"id": "mine", "prompt": "caf\\u00e9 \\/ x", "n": 1.50e+2},\r\n'
    b'\t\t{ "id":"two","prompt":"q" ,"generated" :true, "assertions": ["\\u0079"  ]  }  \r\n\t]  ,"z":[ ]}\r\n\r\n'
)


@pytest.mark.parametrize(
    "old", [b'{"evals": [{"id": "caf\xe9"}]}', b'{"evals": []}' + b" " * 1_100_000, b"\xef\xbb\xbf[1]\r\n", b"\0"]
)
def test_a_backup_holds_the_bytes_whatever_they_are(run_in: Path, old: bytes) -> None:
    written(run_in).parent.mkdir()
    written(run_in).write_bytes(old)
    result = run(run_in, "--force")
    assert result.return_value == 0, result.exception
    (backup,) = written(run_in).parent.glob("*.bak")
    assert backup.read_bytes() == old


def test_a_link_is_not_replaced(run_in: Path) -> None:
    written(run_in).parent.mkdir()
    (run_in / "other.json").write_text("mine")
    written(run_in).symlink_to(run_in / "other.json")
    for option in (("--force",), ("--add", "2")):
        refused = run(run_in, *option)
        assert isinstance(refused.exception, UsageError), option
    assert written(run_in).is_symlink()
    assert (run_in / "other.json").read_text() == "mine"
    assert not list(written(run_in).parent.glob("*.bak"))


@pytest.mark.parametrize(
    "before",
    [ODD, b'{"evals":[{"id":"a","prompt":"p"}]}', b'{"evals": [] }', b'{\n  "x": 1,\n  "evals": []\n}\n'],
)
def test_adding_only_inserts(run_in: Path, before: bytes) -> None:
    written(run_in).parent.mkdir()
    written(run_in).write_bytes(before)
    result = run(run_in, "--add", "3")
    assert result.return_value == 0, result.exception
    after = written(run_in).read_bytes()
    head = next(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    assert after.endswith(before[head:]) or after.endswith(before[head - 1 :]), after
    if b"\r\n" in before:
        assert after.count(b"\n") == after.count(b"\r\n")
    old, new = json.loads(before.decode("utf-8-sig")), json.loads(after.decode("utf-8-sig"))
    assert new["evals"][: len(old["evals"])] == old["evals"]
    assert len(new["evals"]) == len(old["evals"]) + 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"evals": [],\n"evals": []}', 'evals/evals.json:2: key "evals" stands twice'),
        ('{"evals": [\n{"id": "a", "prompt": "p", "n": 1e400}]}', "evals/evals.json:2: 1e400 is too large"),
        ('{"evals": [\n{"id": "a", "prompt": "p", "n": Infinity}]}', "evals/evals.json:2: Infinity is no JSON"),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(run_in: Path, text: str, said: str) -> None:
    written(run_in).parent.mkdir()
    written(run_in).write_text(text)
    refused = run(run_in, "--add", "2")
    assert isinstance(refused.exception, UsageError)
    assert str(refused.exception).startswith(said), str(refused.exception)
    assert [path.name for path in written(run_in).parent.iterdir()] == ["evals.json"]
    assert written(run_in).read_text() == text


def learned(text: str, number: int, **changes: Any) -> str:
    found = json_splice.member(text, json_splice.first(text), "evals")
    assert found is not None
    case = Case(id="two", prompt="q", generated=True, provenance=f"evals/evals.json#/evals/{number}")
    check = Check(id="c2", kind=CheckKind.SCRIPT_RUN, role=Role.MUST, args={"script": "scripts/a.py"})
    after = Case(id="two", prompt="q", generated=True, checks=(check,), **changes)
    return merged(text, found.start, [case], [Refined(case="two", after=after, because="")])


def test_refining_touches_only_what_it_learned() -> None:
    text = ODD.decode()
    after = learned(text, 1, reference="13:42")
    new = ', {"check": "script_run", "script": "scripts/a.py"}'
    at = text.index('"\\u0079"') + len('"\\u0079"')
    first = f"{text[:at]}{new}{text[at:]}"
    at = first.index("  }  \r\n")
    assert after == f'{first[:at]}, "expected_output": "13:42"{first[at:]}'


def test_a_row_of_a_person_is_never_refined() -> None:
    with pytest.raises(AssertionError):
        learned(ODD.decode(), 0)


def test_what_is_learned_keeps_its_id_behind_an_assertion_that_was_refused() -> None:
    rows = ["first", {"check": "regex", "pattern": "(?=x)"}, {"check": "contains", "value": "x", "id": "c4"}]
    row = {"id": "two", "prompt": "q", "generated": True, "assertions": rows}
    before = json.dumps({"evals": [row]}, indent=2)
    (case,) = suite_of({"evals/evals.json": before}).cases
    refined = refine(case, traces(ROWS, OTHER), SCRIPTS, None)
    start = json_splice.member(before, json_splice.first(before), "evals")
    assert start is not None
    assert refined.after is not None, refined.because
    (again,) = suite_of({"evals/evals.json": merged(before, start.start, [case], [refined])}).cases
    assert [check.id for check in again.checks] == [check.id for check in refined.after.checks]
    assert len({item.id for item in (*again.checks, *again.behaviors)}) == len(again.checks) + len(again.behaviors)
