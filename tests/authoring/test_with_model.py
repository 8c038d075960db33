"""Drafting and masking through a real provider and its SDK, over loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli.main import cli
from tests.dialects.suites import files_below, suite_of
from tests.fakes.judge_model import MODEL, JudgeModel, prompt_of
from tests.fakes.upstream import Reply, Seen

SETS = ("judge.provider=openai_chat", "judge.model=gpt-5.4-mini", "budget.usd=1")


@pytest.fixture
def model() -> Iterator[JudgeModel]:
    with JudgeModel().running() as running:
        running.script = answer
        yield running


def answer(seen: Seen) -> Reply:
    """Cases for the buckets that are asked for; an item that names a script needs the skill."""
    data = json.loads(prompt_of(seen.body).split("===\n", 1)[1].split("\n=== end", 1)[0])
    reply: dict[str, Any]
    if "buckets" in data:
        row = {"expected_output": "13:42", "assertions": ["Gives the time"]}
        reply = {"cases": [{"bucket": bucket, "prompt": f"say {bucket}", **row} for bucket in data["buckets"]]}
    else:
        reply = {"reason": "so", "verdict": "no" if "script" in data["item"] else "yes"}
    return Reply(text=json.dumps(reply), usage=(1_000, 100, 0, 0), model=MODEL)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    skill = tmp_path / "skills" / "tide-tables"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts/next_high.py").write_text("print(1)\n")
    (skill / "SKILL.md").write_text(
        "---\nname: tide-tables\ndescription: Reads tides.\n---\n# T\nRun scripts/next_high.py\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    return tmp_path


def run(model: JudgeModel, *args: str) -> Any:
    sets = [part for one in (f"judge.base_url={model.url}/v1", *SETS) for part in ("--set", one)]
    return CliRunner().invoke(cli, ["evals", *args, *sets], standalone_mode=False)


def test_a_model_words_a_suite_that_is_then_read_and_predicted(repo: Path, model: JudgeModel) -> None:
    drafted = run(model, "create", "skills/tide-tables", "--grounded")
    assert drafted.return_value == 0, (drafted.exception, drafted.output)
    suite = suite_of(files_below(repo / "skills/tide-tables"))
    assert not suite.errors
    assert {case.prompt for case in suite.cases} == {
        f"say {bucket}" for bucket in ("explicit", "implicit", "contextual", "negative")
    }
    assert len(model.seen) == 1, "one question for the whole suite"
    told = run(model, "masked", "skills/tide-tables", "--format", "json")
    assert told.return_value == 0, (told.exception, told.output)
    rows = json.loads(told.stdout)["items"]
    assert {row["verdict"] for row in rows if "script" in row["text"]} == {"no"}
    assert {row["verdict"] for row in rows if "script" not in row["text"]} == {"yes"}
    assert "sk-not-a-key" not in (repo / "aces-results/judge-cache.jsonl").read_text()
    assert (repo / "aces-results/.gitignore").read_text() == "*\n"


def test_a_suite_that_is_there_is_refused_before_a_model_is_paid(repo: Path, model: JudgeModel) -> None:
    assert run(model, "create", "skills/tide-tables", "--grounded").return_value == 0
    before = len(model.seen)
    assert run(model, "create", "skills/tide-tables", "--grounded").exception is not None
    assert len(model.seen) == before
