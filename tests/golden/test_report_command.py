"""The goldens are what `aces-ci report` itself writes from a file of evidence, in every format that people read."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from aces_ci.core.evidence import Evidence
from aces_ci.core.wire import to_line
from aces_ci.jobs.run import Options, report
from tests.golden.live_evidence import (
    CANNOT_TELL,
    LOST_FEW,
    MAIN_NEVER_RAN,
    REGRESSED,
    UNDECIDED_TWIN,
    causes_of,
    run_of,
)
from tests.golden.test_live_comments import ONE_LOOK
from tests.golden.test_live_comments import comment as made


class Readable(SingleFileSnapshotExtension):
    """One readable file a report."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


def regressed() -> list[Evidence]:
    lines = run_of(REGRESSED, UNDECIDED_TWIN, settings={"budget": {"usd": 20.0}})
    return [*lines, causes_of(lines, REGRESSED.path)]


EVIDENCE: dict[str, Callable[[], list[Evidence]]] = {
    "regressed": regressed,
    "cannot_tell": lambda: run_of(CANNOT_TELL, settings={"budget": {"usd": 4.0}}),
    "improved_lost": lambda: run_of(LOST_FEW, settings=ONE_LOOK),
    "incomplete_main": lambda: run_of(MAIN_NEVER_RAN),
}
"""Each is a scenario of the comments as well."""
EXITS = {"regressed": 1}


def reported(lines: list[Evidence], tmp: Path) -> tuple[int, Path]:
    """Exit code and output folder of the command."""
    file = tmp / "evidence.jsonl"
    file.write_text("".join(f"{to_line(line)}\n" for line in lines), encoding="utf-8")
    options = Options(repo=tmp, output=tmp / "out", quiet=2)
    code = report((file,), options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    return code, tmp / "out"


@pytest.mark.parametrize("name", EVIDENCE)
def test_report_writes_what_the_goldens_hold(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    code, out = reported(EVIDENCE[name](), tmp_path)
    assert code == EXITS.get(name, 0)
    comment = (out / "comment.md").read_text("utf-8")
    assert comment == made(EVIDENCE[name](), pages=None).text
    assert (out / "summary.md").read_text("utf-8") == comment.split("\n", 1)[1]
    for file in ("report.txt", "junit.xml"):
        assert (out / file).read_text("utf-8") == snapshot(extension_class=Readable, name=file)
