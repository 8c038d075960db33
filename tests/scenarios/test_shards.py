"""One run cut over several runners says the same as one runner, and a runner that is lost is never a pass."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci import pipeline
from aces_ci.changes.git import Repository
from aces_ci.core.evidence import PolicySource
from aces_ci.jobs.run import Options, report, run
from aces_ci.settings.load import load
from aces_ci.tiers.purse import Purse
from tests.builders import an_event
from tests.git_history import History, skill

SKILLS = {"alpha": 10, "beta": 4000, "gamma": 700, "delta": 650, "epsilon": 50}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five skills change, of very different size."""
    history = History(tmp_path_factory.mktemp("shards") / "repo", bare=False)
    policy = {"aces.yml": "version: 1\ncomment: {key: skills}\n"}
    base = history.commit("main", {**policy, **{f"skills/{name}/SKILL.md": skill(name) for name in SKILLS}})
    history.commit(
        "topic", {f"skills/{name}/SKILL.md": skill(name, "word " * size) for name, size in SKILLS.items()}, base
    )
    return history.path


def evaluate(repo: Path, output: Path, shard: str | None = None) -> int:
    """One runner."""
    options = Options(repo=repo, base="main", head="topic", output=output, shard=shard)
    return run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())


def merged(repo: Path, output: Path, *parts: Path) -> tuple[int, dict[str, Any]]:
    """The report job."""
    options = Options(repo=repo, output=output, post=False)
    code = report(parts, options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    return code, json.loads((output / "report.json").read_text())


def paths(document: dict[str, Any]) -> list[str]:
    return sorted(row["change"]["path"] for row in document["skills"])


@pytest.fixture(scope="module")
def runs(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole, and its two halves, run once."""
    folder = tmp_path_factory.mktemp("runs")
    assert evaluate(repo, folder / "all") in (0, 1)
    for index in (1, 2):
        assert evaluate(repo, folder / f"part{index}", f"{index}/2") == 0
    return folder


def test_two_runners_find_what_one_finds(repo: Path, runs: Path, tmp_path: Path) -> None:
    whole = json.loads((runs / "all/report.json").read_text())
    _, both = merged(repo, tmp_path, runs / "part1", runs / "part2")
    # The job that merges has no checkout: which comment is ours stands in the evidence.
    for place in (runs / "all", tmp_path):
        assert " key=skills " in (place / "comment.md").read_text("utf-8").split("\n")[0]
    assert len(paths(whole)) == 5
    assert paths(both) == paths(whole)
    assert both["missing_shards"] == []
    findings = [
        sorted((finding["code"], finding["path"]) for row in document["skills"] for finding in row["findings"])
        for document in (whole, both)
    ]
    assert findings[0] == findings[1]
    assert both["verdict"]["state"] == whole["verdict"]["state"]


def test_only_the_report_job_says_a_verdict(runs: Path) -> None:
    assert [path.name for path in (runs / "part1").iterdir() if not path.name.startswith(".")] == ["evidence.jsonl"]


def test_the_largest_skill_has_a_runner_of_its_own(repo: Path, runs: Path, tmp_path: Path) -> None:
    _, document = merged(repo, tmp_path, runs / "part1")
    assert paths(document) == ["skills/beta"]


def test_a_runner_that_is_lost_makes_the_result_incomplete(repo: Path, runs: Path, tmp_path: Path) -> None:
    _, document = merged(repo, tmp_path, runs / "part2")
    assert document["missing_shards"] == [1]
    assert document["verdict"]["state"] == "incomplete"
    assert "✅" not in (tmp_path / "comment.md").read_text().split("\n")[1]


def test_a_runner_killed_midway_counts_as_lost(repo: Path, runs: Path, tmp_path: Path) -> None:
    rows = (runs / "part2/evidence.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "evidence.jsonl").write_text("".join(rows[:-1]) + rows[-1][:10])
    _, document = merged(repo, tmp_path / "merged", runs / "part1", tmp_path)
    assert document["missing_shards"] == [2]
    assert document["verdict"]["state"] == "incomplete"


def test_a_runner_without_a_skill_is_no_fault(repo: Path, tmp_path: Path) -> None:
    assert evaluate(repo, tmp_path, "7/7") == 0
    rows = (tmp_path / "evidence.jsonl").read_text().splitlines()
    assert [json.loads(row)["kind"] for row in rows if "skill" not in row][-1] == "end"
    assert '"kind": "skill"' not in "".join(rows)


def test_a_shard_knows_how_many_skills_with_evals_the_others_have(tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    evals = {f"skills/{name}/evals/evals.json": "{}" for name in ("alpha", "gamma", "epsilon")}
    base = history.commit("main", {**evals, **{f"skills/{name}/SKILL.md": skill(name) for name in SKILLS}})
    head = history.commit("topic", {f"skills/{name}/SKILL.md": skill(name, "more") for name in SKILLS}, base)
    seen = {}
    for shard in (None, (1, 2), (2, 2)):
        with Repository.open(history.path, "run") as repository:
            job = pipeline.Job(
                event=an_event(base_sha=base, head_sha=head),
                repository=repository,
                reader=None,  # type: ignore[arg-type]
                loaded=load(),
                policy=PolicySource(ref="built-in defaults"),
                purse=Purse(None),
                shard=shard,
            )
            seen[shard] = pipeline.changed(job)
    with_evals = {"alpha", "gamma", "epsilon"}
    assert seen[None].elsewhere == 0
    for shard in ((1, 2), (2, 2)):
        mine = {row.name for row in seen[shard].skills} & with_evals
        assert seen[shard].elsewhere == len(with_evals - mine)
