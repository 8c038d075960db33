"""A judge costs money too: it reads a fork's commit once a person approved that commit, and never before."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from aces_ci.jobs.run import Options, plan, run
from tests.fakes.github import PERSON
from tests.fakes.judge_model import JudgeModel
from tests.fakes.server import Answer, Request
from tests.forges.fork_scene import NUMBER, RUN, Fork, fork
from tests.git_history import skill

KEYS = {"OPENAI_API_KEY": "sk-canary-0123456789abcdef"}
GATE = "aces-live"


@dataclass(slots=True)
class Scene:
    """A fork's pull request, whose author may write for once, and a judge with a key."""

    made: Fork
    model: JudgeModel

    def comment(self, line: str = "") -> int:
        """A command under the pull request; without words the one for its head."""
        return int(self.made.fake.comment(NUMBER, line or f"/aces live {self.made.head}", PERSON)["id"])

    def options(self, *extra: str) -> Options:
        overrides = (
            f"judge.base_url={self.model.url}/v1",
            "judge.provider=openai_chat",
            "judge.model=gpt-5.4-mini",
            "live.when=off",
            *extra,
        )
        return Options(repo=self.made.repo, output=self.made.tmp / "out", overrides=overrides)

    def commanded(self, comment: int, **more: str) -> dict[str, str]:
        """The environment of the job that a comment starts."""
        payload = {
            "issue": {"number": NUMBER, "pull_request": {}},
            "comment": {"id": comment},
            "repository": self.repository,
        }
        return {**self.made.env("issue_comment", payload, "tok"), **KEYS, **more}

    def waited(self) -> dict[str, str]:
        """The environment of the job that waited in an environment."""
        payload = {
            "action": "synchronize",
            "number": NUMBER,
            "pull_request": self.made.fake.pulls[NUMBER],
            "repository": self.repository,
        }
        return {**self.made.env("pull_request_target", payload, "tok"), **KEYS, "INPUT_ENVIRONMENT": GATE}

    def run(self, env: dict[str, str], *extra: str) -> dict[str, Any]:
        """One job; its report."""
        options = self.options(*extra)
        run(options, env=env, stdout=io.StringIO(), stderr=io.StringIO())
        found: dict[str, Any] = json.loads((options.output / "report.json").read_text())
        return found

    @property
    def repository(self) -> dict[str, Any]:
        return {"full_name": self.made.fake.repo, "id": self.made.fake.repo_id, "default_branch": "main"}


def judged(report: dict[str, Any]) -> list[str]:
    return [row["side"] for skill in report["skills"] for row in skill["judgements"] if row["score"] is not None]


def why(report: dict[str, Any]) -> list[str]:
    return [row["because"] for row in report["skipped"] if row["tier"] == "judge"]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    # Nothing in the text may block, because then there is nothing left to judge.
    sound = {"skills/tide-tables/SKILL.md": skill("tide-tables", "More.")}
    with fork(tmp_path, of_fork=sound) as made, JudgeModel().running() as model:
        made.fake.permissions["mira-k"] = "write"
        yield Scene(made, model)


def test_the_judge_reads_an_approved_commit_once_and_no_other(scene: Scene) -> None:
    report = scene.run(scene.commanded(scene.comment("thanks, looks fine")))
    assert (judged(report), why(report), scene.model.seen) == ([], ["fork, not approved"], []), (
        "although there is a key"
    )
    env = scene.commanded(scene.comment())
    report = scene.run(env)
    assert set(judged(report)) == {"head", "base"}
    assert report["cost"]["judge_usd_micros"] > 0
    assert not (scene.options().output / "judge-cache.jsonl").exists(), "said of a fork, so not kept for others"
    asked = len(scene.model.seen)
    again = scene.run(env)
    assert why(again) == ["This approval has already started a run; approve the commit again to spend again"]
    assert (judged(again), len(scene.model.seen)) == ([], asked)


def test_a_push_between_approval_and_judge_costs_nothing(scene: Scene) -> None:
    def push(request: Request, answer: Answer) -> None:
        if request.path.endswith("/reactions"):
            scene.made.fake.pulls[NUMBER]["head"]["sha"] = "f" * 40

    scene.made.fake.server.watch = push
    report = scene.run(scene.commanded(scene.comment()))
    assert why(report) == ["The head is not the approved commit any more; look at " + "f" * 40 + " and approve that"]
    assert scene.model.seen == []


def test_the_review_of_an_environment_buys_the_judge_up_to_the_budget(scene: Scene) -> None:
    scene.made.fake.run(RUN, "pull_request_target", scene.made.head)
    report = scene.run(scene.waited())
    assert why(report)[0].startswith(f"Nobody approved {GATE} for this run")
    assert scene.model.seen == []
    scene.made.fake.review(RUN, GATE, "mira-k")
    report = scene.run(scene.waited(), "budget.usd=0.07")
    assert judged(report)
    assert "the budget is used up" in why(report)
    assert report["cost"]["judge_usd_micros"] <= 70_000
    assert len(scene.model.seen) < 2 * 9 * 2


def test_a_plan_says_that_the_judge_would_run_and_leaves_the_approval_to_the_run(scene: Scene) -> None:
    said = io.StringIO()
    options = replace(scene.options(), format="json")
    plan(options, env=scene.commanded(scene.comment()), stdout=said, stderr=io.StringIO())
    assert json.loads(said.getvalue())["judge"]["runs"] is True
    assert not scene.made.fake.reactions
