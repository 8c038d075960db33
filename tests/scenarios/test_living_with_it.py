"""What a team lives with, in a run: ignored codes, reasons in scripts, and the baseline of the default branch."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.check import COMMAND as CHECK
from aces_ci.core.errors import UsageError
from aces_ci.jobs.run import Options, run
from tests.git_history import Content, History, git, skill

PLACE = "skills/parcel-quote"
MANIFEST = f"{PLACE}/SKILL.md"
WRONG = skill("parcel_quote", "Quote the parcel.\n")
TOUCHED = skill("parcel_quote", "Quote the parcel.\n\nThen print the label.\n")
SCRIPT = "#!/bin/bash\nrm $1\n"


class Team:
    """A repository with a main branch, a checkout of it, and what a run says of a branch."""

    def __init__(self, tmp_path: Path) -> None:
        self.history, self.tmp_path, self.runs = History(tmp_path / "origin"), tmp_path, 0
        self.log = self.comment = ""

    def main(self, files: Mapping[str | bytes, Content | None]) -> str:
        return self.history.commit("main", files)

    def recorded(self, *options: str) -> str:
        """The baseline file that `check --write-baseline` writes in a checkout of main."""
        self.runs += 1
        checkout = self.tmp_path / f"checkout-{self.runs}"
        git(self.tmp_path, "clone", "--quiet", str(self.history.path), str(checkout))
        CliRunner().invoke(
            CHECK, ["-C", str(checkout), "--write-baseline", *options], catch_exceptions=False, standalone_mode=False
        )
        return (checkout / ".aces-baseline.json").read_text("utf-8")

    def run(self, head: str, base: str) -> tuple[int, dict[str, Any]]:
        """Exit code and report of a run on `head`, a change of `base`."""
        self.runs += 1
        out, log = self.tmp_path / f"out-{self.runs}", io.StringIO()
        options = Options(repo=self.history.path, base=base, head=head, output=out, post=False)
        code = run(options, env={}, stdout=io.StringIO(), stderr=log)
        self.log, self.comment = log.getvalue(), (out / "comment.md").read_text("utf-8")
        report: dict[str, Any] = json.loads((out / "report.json").read_text("utf-8"))
        return code, report


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


def codes(report: dict[str, Any]) -> list[str]:
    return [finding["code"] for each in report["skills"] for finding in each["findings"]]


def structure(report: dict[str, Any]) -> dict[str, Any]:
    (found,) = [each["structure"] for each in report["skills"]]
    assert isinstance(found, dict)
    return found


def test_what_the_default_branch_lists_is_left_out_and_counted(team: Team) -> None:
    start = team.main({MANIFEST: WRONG})
    head = team.history.commit("work", {MANIFEST: TOUCHED}, parent=start)
    code, report = team.run(head, start)
    assert code == 1 and "SP004" in codes(report)
    team.main({".aces-baseline.json": team.recorded()})
    code, report = team.run(head, start)
    assert code == 0 and "SP004" not in codes(report)
    assert structure(report)["known"] > 0
    assert "**Baseline** · " in team.comment and "known before this change left out" in team.comment


def test_a_baseline_that_the_change_brings_excuses_nothing_and_is_told(team: Team) -> None:
    start = team.main({MANIFEST: WRONG})
    listed = team.recorded()
    head = team.history.commit("work", {MANIFEST: TOUCHED, ".aces-baseline.json": listed}, parent=start)
    code, report = team.run(head, start)
    assert code == 1 and "SP004" in codes(report)
    entries = sum(len(entry["findings"]) for entry in json.loads(listed)["skills"].values())
    assert report["policy"]["baseline_grows"] == entries
    assert f"this change adds {entries} findings to the file, which may only shrink" in team.comment


def test_a_baseline_that_shrinks_or_cannot_be_read_in_the_change_is_no_growth(team: Team) -> None:
    team.main({MANIFEST: WRONG})
    start = team.main({".aces-baseline.json": team.recorded()})
    for content in ("[" * 100_000, '{"schema_version": 1, "skills": {}}'):
        head = team.history.commit("work", {MANIFEST: TOUCHED, ".aces-baseline.json": content}, parent=start)
        _, report = team.run(head, start)
        assert report["policy"]["baseline_grows"] == 0 and "SP004" not in codes(report)


def test_what_the_change_brings_back_is_new_though_an_entry_was_left(team: Team) -> None:
    team.main({MANIFEST: WRONG})
    team.main({".aces-baseline.json": team.recorded()})
    mended = team.main({MANIFEST: skill("parcel-quote", "Quote the parcel.\n")})
    head = team.history.commit("work", {MANIFEST: TOUCHED}, parent=mended)
    code, report = team.run(head, mended)
    assert code == 1 and "SP004" in codes(report)


def test_a_moved_skill_is_known_by_its_old_path(team: Team) -> None:
    text = skill("Parcel-Quote", "Quote the parcel.\n\nThen print the label.\n" * 10)
    team.main({MANIFEST: text})
    start = team.main({".aces-baseline.json": team.recorded()})
    moved = {MANIFEST: None, "skills/parcels/SKILL.md": text}
    _, report = team.run(team.history.commit("work", moved, parent=start), start)
    assert [each["change"]["how"] for each in report["skills"]] == ["renamed"]
    assert "SP006" not in codes(report) and structure(report)["known"] > 0


def test_a_skill_keeps_the_score_that_the_baseline_records(team: Team) -> None:
    policy = "gates: {structural: block}\nstructural: {min_score: 100}\n"
    start = team.main({MANIFEST: skill("parcel-quote", "Quote the parcel.\n"), "aces.yml": policy})
    worse = team.history.commit("work", {MANIFEST: skill("parcel-quote", "Quote.\n\n## Then\n")}, parent=start)
    same = team.history.commit("same", {f"{PLACE}/LICENSE.txt": "MIT\n"}, parent=start)
    assert team.run(same, start)[0] == 1
    team.main({".aces-baseline.json": team.recorded()})
    code, report = team.run(same, start)
    held = structure(report)["recorded_score"]
    assert code == 0 and held == structure(report)["score"] < 100
    (gate,) = [gate for gate in report["gates"] if gate["gate"] == "structural"]
    assert gate["reason"] == f"scores {held}, at least {held}, which the baseline file holds it to"
    assert team.run(worse, start)[0] == 1


@pytest.mark.parametrize(
    ("content", "says"), [(None, "there is no baseline file known.json"), ("[" * 100_000, "is not JSON")]
)
def test_a_named_baseline_that_is_missing_or_broken_ends_the_run_located(
    team: Team, content: str | None, says: str
) -> None:
    start = team.main({MANIFEST: WRONG, "aces.yml": "structural: {baseline_file: ./known.json}\n"})
    tip = team.main({"known.json": content} if content else {"README.md": "x"})
    head = team.history.commit("work", {MANIFEST: TOUCHED}, parent=start)
    with pytest.raises(UsageError, match=says) as caught:
        team.run(head, start)
    assert caught.value.at is not None and tip[:7] in caught.value.at


def test_ignored_codes_may_be_beginnings_in_a_run_too_and_lint_is_among_them(team: Team) -> None:
    start = team.main({MANIFEST: WRONG, "aces.yml": "structural: {ignore: [sp, LI003]}\n"})
    head = team.history.commit("work", {MANIFEST: TOUCHED, f"{PLACE}/scripts/clean.sh": SCRIPT}, parent=start)
    code, report = team.run(head, start)
    assert code == 0 and not {"SP004", "LI003"} & set(codes(report))
    team.main({"aces.yml": "structural:\n  ignore: [SP00A]\n"})
    with pytest.raises(UsageError, match=r"aces\.yml:2: `structural\.ignore` SP00A: no rule") as caught:
        team.run(head, start)
    assert caught.value.at is not None and "default branch tip" in caught.value.at


def test_a_reason_in_a_script_sets_lint_aside_and_stays_in_the_report(team: Team) -> None:
    start = team.main({MANIFEST: skill("parcel-quote")})
    script = "#!/bin/bash\n# aces-ignore LI003: the caller gives one word\nrm $1\n"
    head = team.history.commit("work", {f"{PLACE}/scripts/clean.sh": script}, parent=start)
    _, report = team.run(head, start)
    assert "LI003" not in codes(report)
    assert structure(report)["ignored"][f"LI003 {PLACE}/scripts/clean.sh:3"] == "the caller gives one word"


def test_a_finding_of_lint_can_be_known(team: Team) -> None:
    start = team.main({MANIFEST: skill("parcel-quote"), f"{PLACE}/scripts/clean.sh": SCRIPT})
    head = team.history.commit("work", {f"{PLACE}/scripts/clean.sh": f"{SCRIPT}exit 0\n"}, parent=start)
    assert "LI003" in codes(team.run(head, start)[1])
    team.main({".aces-baseline.json": team.recorded("--lint")})
    assert "LI003" not in codes(team.run(head, start)[1])


def test_a_script_that_the_change_leaves_alone_is_not_linted(team: Team) -> None:
    scripts = {f"{PLACE}/scripts/{name}.sh": SCRIPT for name in ("old", "touched")}
    start = team.main({MANIFEST: skill("parcel-quote"), **scripts})
    changes = {f"{PLACE}/scripts/touched.sh": f"{SCRIPT}exit 0\n", f"{PLACE}/scripts/new.sh": SCRIPT}
    _, report = team.run(team.history.commit("work", changes, parent=start), start)
    linted = [f for each in report["skills"] for f in each["findings"] if f["category"] == "lint"]
    assert {f["path"].rpartition("/")[2] for f in linted} == {"touched.sh", "new.sh"}
