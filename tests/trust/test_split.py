"""The process with the keys neither parses what a change holds nor renders a report; what does has nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aces_ci import compose, publication, rendering
from aces_ci.changes.links import linked
from aces_ci.changes.parse import parse_skill
from aces_ci.core.errors import DeliveryError
from aces_ci.core.request import PagesOf, Request, SkillOf, from_line, to_line
from aces_ci.core.skill import FileKind, SkillFile, Snapshot
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.suite_chosen import chosen
from tests.golden.live_evidence import CANNOT_TELL, CONTAMINATED, IMPROVED, LOST, NEW_SKILL, REGRESSED, run_of

PARSERS = ("jinja2", "markdown_it", "pyromark", "aces_ci.rules", "aces_ci.renderers.html", "aces_ci.renderers.comment")
PROGRAM = """
import json, sys
from aces_ci.cli.main import main
sys.argv = ["aces-ci", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote() as made:
        yield made


def modules_of(*args: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *args], capture_output=True, text=True, check=True, timeout=120
    )
    return set(json.loads(done.stderr.strip().splitlines()[-1]))


def test_a_run_loads_no_parser_of_the_change_and_no_template(tmp_path: Path) -> None:
    assert not modules_of("demo", "--output", str(tmp_path / "out")).intersection(PARSERS)
    assert (tmp_path / "out/report.html").is_file()


def test_the_same_look_finds_them_where_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: x\ndescription: y\n---\n# x\n", encoding="utf-8")
    assert "pyromark" in modules_of("check", "--exit-zero", str(tmp_path))


@pytest.mark.parametrize("forge", ["github", "gitlab", "local"])
@pytest.mark.parametrize("told", [REGRESSED, IMPROVED, CANNOT_TELL, CONTAMINATED, LOST, NEW_SKILL], ids=str)
def test_the_pages_are_those_that_the_parent_would_have_made(zygote: Zygote, told: object, forge: str) -> None:
    report = assemble(run_of(told, forge=forge))  # type: ignore[arg-type]
    assert publication.rendered(report, "k", zygote) == rendering.pages(report, "k")


def test_links_and_skills_are_those_that_the_parent_would_have_read(zygote: Zygote, shared: Path) -> None:
    folders = sorted(path.parent for path in (shared / "corpus").rglob("SKILL.md"))[::12]
    with Reader(zygote) as reader:
        for folder in folders:
            files = {
                str(path.relative_to(folder)): SkillFile(
                    path=str(path.relative_to(folder)), kind=FileKind.REGULAR, size=len(data), data=data
                )
                for path in sorted(folder.rglob("*"))
                if path.is_file() and len(data := path.read_bytes()) < 200_000
            }
            snapshot = Snapshot(root="skills/x", files=files)
            parsed = reader.skill(SkillOf(snapshot=snapshot, cap=8))
            skill = parse_skill(root="skills/x", files=files)
            assert parsed.skill == skill
            if parsed.unusable is None:
                cases = chosen("skills/x", files, compose.dialects(), skill_name=skill.name or skill.label, cap=8).cases
                assert parsed.cases == cases
            assert reader.linked(skill.body, "skills/x", None) == linked(skill.body, "skills/x", None)


def test_every_question_is_the_same_after_its_line() -> None:
    snapshot = Snapshot(root="a", files={"b": SkillFile(path="b", kind=FileKind.REGULAR, size=2, data=b"\xff\0")})
    for asked in (
        Request(after=snapshot, added=True),
        SkillOf(snapshot=snapshot, cap=8),
        PagesOf(report="{}", key="k"),
    ):
        assert from_line(to_line(asked)) == asked


def test_half_a_character_becomes_a_question_mark_and_not_a_crash(zygote: Zygote) -> None:
    data = b'[{"id": "a", "prompt": "half \\ud800 of it"}]'
    files = {"evals/evals.json": SkillFile(path="evals/evals.json", kind=FileKind.REGULAR, size=len(data), data=data)}
    with Reader(zygote) as reader:
        parsed = reader.skill(SkillOf(snapshot=Snapshot(root="a", files=files), cap=8))
    assert all("\ud800" not in case.prompt for case in parsed.cases)


def test_a_report_that_is_none_is_one_clear_error_and_the_next_one_is_rendered(zygote: Zygote) -> None:
    with Reader(zygote) as reader:
        with pytest.raises(DeliveryError, match="stopped before it was done"):
            reader.pages(PagesOf(report="{}", key="k"))
        report = assemble(run_of(IMPROVED))
        assert reader.pages(PagesOf(report=compose.report_to_json(report), key="k")).title


def test_a_reader_has_three_descriptors_and_none_of_another(zygote: Zygote) -> None:
    with Reader(zygote) as first, Reader(zygote) as second:
        for reader in (first, second):
            reader.linked("[a](b)", "c", None)
            assert sorted(path.name for path in Path(f"/proc/{reader.pid}/fd").iterdir()) == ["0", "1", "2"]
        assert first.pid != second.pid
