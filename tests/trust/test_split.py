"""The process with the keys neither parses what a change holds nor renders a report; what does has nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from aces_ci import compose, publication, rendering
from aces_ci.changes.links import linked
from aces_ci.changes.parse import parse_skill
from aces_ci.cli.run import COMMAND as RUN
from aces_ci.core.errors import DeliveryError
from aces_ci.core.evidence import Evidence
from aces_ci.core.request import PagesOf, Request, SkillOf, from_line, to_line
from aces_ci.core.rule import Profile
from aces_ci.core.skill import FileKind, Sibling, SkillFile, Snapshot
from aces_ci.shell.reader import Reader
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.structural import assess
from aces_ci.tiers.suite_chosen import chosen
from tests.git_history import History, git, skill
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
    assert len(folders) > 10
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
        Request(
            after=snapshot, added=True, siblings=(Sibling(path="b", name="b", description="Says b.", body="# B\n"),)
        ),
        SkillOf(snapshot=snapshot, cap=8),
        PagesOf(report="{}", key="k"),
    ):
        assert from_line(to_line(asked)) == asked


def test_half_a_character_is_refused_in_words_and_never_a_crash(zygote: Zygote) -> None:
    data = b'[{"id": "a", "prompt": "half \\ud800 of it"}]'
    files = {"evals/evals.json": SkillFile(path="evals/evals.json", kind=FileKind.REGULAR, size=len(data), data=data)}
    with Reader(zygote) as reader:
        parsed = reader.skill(SkillOf(snapshot=Snapshot(root="a", files=files), cap=8))
    assert parsed.cases == ()
    assert parsed.unusable is not None
    assert parsed.unusable.message == "a/evals/evals.json:1: a text holds half a surrogate pair"


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


def test_a_reader_that_says_nothing_is_given_up_and_the_next_one_answers(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aces_ci.shell.reader.LEAST", 0.5)
    monkeypatch.setattr("aces_ci.shell.reader.PATIENCE", 0.5)
    with Reader(zygote) as reader:
        reader.linked("[a](b)", "c", None)
        assert reader.pid is not None
        os.kill(reader.pid, signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(DeliveryError, match="stopped before it was done"):
            reader.linked("[a](b)", "c", None)
        assert time.monotonic() - begun < 10
        monkeypatch.undo()
        assert reader.linked("[a](b)", "c", None) == {"c/b"}


def test_a_reader_dies_with_the_process_that_started_it() -> None:
    program = (
        "import sys, time\nfrom aces_ci.shell.reader import Reader\nfrom aces_ci.shell.zygote import Zygote\n"
        "zygote = Zygote(); reader = Reader(zygote); reader.linked('[a](b)', 'c', None)\n"
        "print(reader.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(pid, signal.SIGSTOP)
        parent.kill()
    for _ in range(100):
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text("ascii").rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the reader outlived its parent")


def test_each_skill_has_a_reader_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int | None, str]] = []
    real = Reader.ask

    def ask(self: Reader, request: Request) -> Iterator[Evidence]:
        rows = list(real(self, request))
        read.append((self.pid, request.after.root))
        return iter(rows)

    monkeypatch.setattr(Reader, "ask", ask)
    history = History(tmp_path / "origin", bare=False)
    base = history.commit("main", {"README.md": "x"})
    history.commit("work", {f"skills/{name}/SKILL.md": skill(name) for name in "abc"}, base)
    git(history.path, "symbolic-ref", "HEAD", "refs/heads/work")
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(RUN, ["--repo", str(history.path), "--base", "main", "--no-post"], standalone_mode=False)
    assert [root for _, root in read] == ["skills/a", "skills/b", "skills/c"]
    assert len({pid for pid, _ in read}) == 3


@pytest.mark.parametrize("text", ["<" * 60_000, "${" * 30_000, "{{a" * 20_000, "$(" * 30_000, "<!--" * 15_000])
def test_a_text_of_one_sign_takes_no_time_that_grows_with_its_square(text: str) -> None:
    data = b"---\nname: x\ndescription: Counts rows. Use when asked.\n---\n" + text.encode()
    files = {"SKILL.md": SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)}
    begun = time.process_time()
    assess(parse_skill(root="x", files=files), compose.rules(), profile=Profile.ACES)
    assert time.process_time() - begun < 6


def test_what_has_read_one_skill_is_asked_about_no_other_and_links_share_a_process(zygote: Zygote) -> None:
    request = Request(after=Snapshot(root="a", files={}), added=True)
    with Reader(zygote) as reader:
        seen = []
        for ask in (lambda: list(reader.ask(request)),) * 2 + (lambda: reader.linked("[a](b)", "c", None),) * 2:
            ask()
            seen.append(reader.pid)
        list(reader.ask(request))
        assert len({*seen, reader.pid}) == 4
        assert seen[2] == seen[3]
