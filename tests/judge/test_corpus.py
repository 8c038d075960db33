"""`run` and `judge` on real skills: how much is asked and in which order, nothing twice, and the same again from a
recording with neither key nor network.
"""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Judgement
from aces_ci.core.wire import read_lines
from aces_ci.jobs.judge import Wanted, judge
from aces_ci.jobs.run import Options, run
from tests.fakes.judge_model import JudgeModel, asked, opinion, prompt_of
from tests.git_history import History, git

SKILLS = {
    "openai-whisper": "openclaw__skills/skills/steipete/openai-whisper",
    "docker-diag": "openclaw__skills/skills/mkrdiop/docker-diag",
    "eas-workflows": "expo__skills/plugins/expo/skills/eas-workflows",
}
IDLE = "vercel-labs__agent-skills/skills/web-design-guidelines"
CRITERIA, VOTES, SIDES = 10, 2, 2
MORE = b"\nStop where a command fails, and say which one.\n"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One run over the wire, and where it lies."""

    history: History
    model: JudgeModel
    out: Path
    calls: int
    answers: Path


def varied(criterion: str, vote: int, quote: str) -> dict[str, Any]:
    """Differs from criterion to criterion; its votes differ on one of them."""
    score = 4 + len(criterion) % 6
    return opinion(criterion, quote[:60], 9 if criterion == "example_quality" and vote == 2 else score)


@pytest.fixture(scope="module")
def judged(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """Three skills of the corpus change, a fourth stays."""
    tmp = tmp_path_factory.mktemp("corpus")
    base: dict[str | bytes, Any] = {}
    for name, place in {**SKILLS, "idle": IDLE}.items():
        folder = shared / "corpus" / place
        for path in folder.rglob("*"):
            if path.is_file():
                base[f"skills/{name}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    history = History(tmp / "repo", bare=False)
    history.commit("main", base)
    manifests = [f"skills/{name}/SKILL.md" for name in SKILLS]
    history.commit("work", {path: base[path] + MORE for path in manifests}, parent=history.tip("main"))
    git(history.path, "checkout", "--quiet", "work")
    with JudgeModel(varied).running() as model:
        ran(history, tmp / "wire", f"judge.base_url={model.url}/v1", "judge.model=judge-1", "budget.usd=null")
        calls = len(model.seen)
        options = ("judge.model=judge-1", "budget.usd=null", f"judge.base_url={model.url}/v1")
        said(history, tmp / "recorded", *options, record=tmp / "answers.jsonl")
        del model.seen[calls:]
        yield Judged(history=history, model=model, out=tmp / "wire", calls=calls, answers=tmp / "answers.jsonl")


def home(out: Path) -> dict[str, str]:
    """No key, and a home that keeps the machine's secret."""
    return {"HOME": str(out.parent / "home")}


def ran(history: History, out: Path, *overrides: str) -> list[Judgement]:
    """What the judge said in one `run` without any key."""
    # What the rules hold against these skills is not this test's subject.
    overrides = (*overrides, "gates.spec=advise")
    options = Options(repo=history.path, base="main", head="work", output=out, post=False, overrides=overrides)
    assert run(options, env=home(out), stdout=io.StringIO(), stderr=io.StringIO()) == 0
    rows = read_lines((out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True))
    return [row for row in rows if isinstance(row, Judgement)]


def said(history: History, out: Path, *overrides: str, record: Path | None = None) -> dict[str, Any]:
    """The document of one `judge` against main without any key."""
    lines: list[str] = []
    wanted = Wanted(
        paths=(history.path / "skills",), repo=history.path, base="main", output=out, overrides=overrides,
        record=record, as_json=True,
    )  # fmt: skip
    assert judge(wanted, env=home(out), out=lines.append, err=lambda line: None) == 0
    found: dict[str, Any] = json.loads("\n".join(lines))
    return found


def scores(rows: list[Judgement]) -> dict[tuple[str, str, str], tuple[float | None, list[float]]]:
    return {(row.skill, row.side, row.criterion): (row.score, [vote.score for vote in row.votes]) for row in rows}


def kept(judged: Judged) -> list[Judgement]:
    rows = read_lines((judged.out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True))
    return [row for row in rows if isinstance(row, Judgement)]


def test_no_more_is_asked_than_skills_sides_criteria_and_votes(judged: Judged) -> None:
    most = len(SKILLS) * SIDES * CRITERIA * VOTES
    thirds = sum(len(row.votes) == VOTES + 1 for row in kept(judged))
    assert thirds == len(SKILLS) * SIDES, "one criterion on which the votes differ"
    assert 0 < judged.calls - thirds <= most
    assert {row.skill for row in kept(judged)} == {f"skills/{name}" for name in SKILLS}, "idle was not judged"
    assert all(row.score is not None or row.because.startswith("not applicable") for row in kept(judged))


def test_questions_with_one_prefix_follow_each_other_so_that_a_provider_reads_it_once(judged: Judged) -> None:
    fronts = [prompt_of(seen.body).split("\n=== end ")[0] for seen in judged.model.seen[: judged.calls]]
    in_a_row = [front for front, _ in itertools.groupby(fronts)]
    assert len(in_a_row) == len(set(fronts)) == len(SKILLS) * SIDES
    rules = {json.dumps(seen.body["messages"][0]) for seen in judged.model.seen}
    assert len(rules) == 1, "and the rules before it are always the same"
    assert len({asked(seen)[:2] for seen in judged.model.seen[: judged.calls]}) == CRITERIA * VOTES + 1


def test_the_second_run_asks_nothing(judged: Judged) -> None:
    before = scores(kept(judged))
    server = (f"judge.base_url={judged.model.url}/v1", "judge.model=judge-1", "budget.usd=null")
    rows = ran(judged.history, judged.out, *server)
    assert len(judged.model.seen) == judged.calls
    assert scores(rows) == before and all(row.cached for row in rows if row.votes)
    found = said(judged.history, judged.out, *server)
    assert found["cost"]["calls"] == 0, "nor does `judge` ask what `run` has asked"
    assert len(judged.model.seen) == judged.calls


def test_run_and_judge_say_the_same_from_a_recording_without_key_and_network(judged: Judged, tmp_path: Path) -> None:
    before = len(judged.model.seen)
    replay = ("judge.provider=recorded", f"judge.recordings={judged.answers}")
    rows = ran(judged.history, tmp_path / "run", *replay)
    assert scores(rows) == scores(kept(judged))
    assert {row.usd_micros for row in rows if row.votes} == {0}
    page = (tmp_path / "run/comment.md").read_text("utf-8")
    assert "Judge, by criterion" in page and "judge-1-2026-11-01" in page
    found = said(judged.history, tmp_path / "judge", *replay)
    assert [skill["path"] for skill in found["skills"]] == sorted(f"skills/{name}" for name in SKILLS)
    assert found["cost"]["errors"] == 0 and found["cost"]["usd_micros"] == 0
    assert found["cost"]["calls"] == judged.calls
    assert len(judged.model.seen) == before, "a replay asks nobody"


def test_a_miss_fails_in_run_as_in_judge(judged: Judged, tmp_path: Path) -> None:
    lines = judged.answers.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "torn.jsonl").write_text("".join(lines[:-1]), "utf-8")
    replay = ("judge.provider=recorded", f"judge.recordings={tmp_path / 'torn.jsonl'}")
    for use in (ran, said):
        with pytest.raises(UsageError, match="hold no answer") as caught:
            use(judged.history, tmp_path / use.__name__, *replay)
        assert (caught.value.code, caught.value.exit_code) == ("not_recorded", 2)
