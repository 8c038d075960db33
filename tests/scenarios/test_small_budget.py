"""A budget that lets no request of an agent out is refused before the daemon is asked for anything."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from aces_ci.cli.live import COMMAND
from aces_ci.compose import harnesses
from aces_ci.core.errors import UsageError
from aces_ci.core.plan import Contender
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.price import bound
from aces_ci.core.spending.price_table import price_of
from aces_ci.jobs.run import Options, plan, run
from aces_ci.tiers.affordable import affordable, set_aside
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import Budget, Rations
from tests.git_history import History, skill
from tests.unit.test_live_tier import plan as live_plan

ENV = {"ANTHROPIC_API_KEY": "k" * 20}
AGENT = "live.harnesses=[{name: claude-code, model: claude-sonnet-5}]"
CASES = json.dumps(
    {
        "skill_name": "log-triage",
        "evals": [
            {"id": number, "prompt": "Sort it.", "assertions": [{"type": "output_contains", "value": "x"}]}
            for number in range(4)
        ],
    }
)


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    """One changed skill, and a daemon that does not answer: whoever asks it first fails in another way."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    made = History(tmp_path / "repo", bare=False)
    start = made.commit("main", {"log-triage/SKILL.md": skill("log-triage"), "log-triage/evals/evals.json": CASES})
    made.commit("work", {"log-triage/SKILL.md": skill("log-triage", "Sort them by date.")}, start)
    return made


def contender(name: str, model: str = "claude-sonnet-5") -> Contender:
    return Contender(harness=name, version="1", model=model, api=Protocol.MESSAGES, upstream="x", price=price_of(model))


def least() -> int:
    return set_aside(contender("claude-code"), harnesses())


def skipped(history: History, out: Path, usd: str) -> tuple[str, str]:
    """(code, because) of what the main job says of the live tier."""
    overrides = (AGENT, "judge.provider=off", "live.when=auto", f"budget.usd={usd}")
    options = Options(repo=history.path, base="main", head="work", overrides=overrides, output=out)
    run(options, env=ENV, stdout=io.StringIO(), stderr=io.StringIO())
    rows = [json.loads(line) for line in (out / "evidence.jsonl").read_text().splitlines()]
    assert not [row for row in rows if row["kind"] == "trial"]
    (row,) = [row for row in rows if row["kind"] == "skipped" and row["tier"] == "live"]
    return row["code"], row["because"]


def test_the_main_job_skips_the_live_tier_and_names_both_amounts(history: History, tmp_path: Path) -> None:
    code, because = skipped(history, tmp_path / "small", "0.2")
    assert code == "budget_too_small"
    said = because.replace("\u00a0", " ")
    assert "leaves agents 0.20 USD" in said and f"sets aside at least {least() / 1e6:.2f} USD" in said
    assert "raise `budget.usd` to" in said and "claude-code to claude-sonnet-5" in said


def live(history: History, tmp_path: Path, usd: str) -> UsageError:
    words = ["log-triage", "-C", str(history.path), "--output", str(tmp_path / "out"), "--max-usd", usd]
    words += ["--set", AGENT, "--set", "judge.provider=off"]
    result = CliRunner().invoke(COMMAND, words, standalone_mode=False, env=ENV)
    assert isinstance(result.exception, UsageError), (result.exception, result.output)
    return result.exception


def test_the_command_refuses_it_before_it_asks_the_daemon(history: History, tmp_path: Path) -> None:
    tree = tmp_path / "repo/log-triage"
    (tree / "evals").mkdir(parents=True, exist_ok=True)
    (tree / "SKILL.md").write_text(skill("log-triage"))
    (tree / "evals/evals.json").write_text(CASES)
    error = live(history, tmp_path, "0.2")
    assert error.code == "budget_too_small" and "--max-usd" in (error.at or "") and error.do
    assert not (tmp_path / "out/evidence.jsonl").exists()


def test_the_plan_says_it_too(history: History) -> None:
    out = io.StringIO()
    overrides = (AGENT, "judge.provider=off", "budget.usd=0.2")
    options = Options(repo=history.path, base="main", head="work", overrides=overrides)
    assert plan(options, env=ENV, stdout=out, stderr=io.StringIO()) == 0
    assert "will not run: the budget leaves agents" in out.getvalue()


def test_what_is_named_as_enough_is_enough_and_a_cent_less_is_not() -> None:
    who = (contender("claude-code"),)
    for judged in (False, True):
        for spent, paid in ((0, 0), (123_456, 0), (323_456, 200_000)):

            def refused(cap: int, judged: bool = judged, spent: int = spent, paid: int = paid) -> str | None:
                try:
                    affordable(who, harnesses(), Purse(cap, spent), judged=judged, paid_micros=paid)
                except UsageError as error:
                    return error.do
                return None

            told = refused(0)
            assert told is not None
            enough = round(float(told.split()[3].split("\u00a0")[0]) * 1e6)
            assert refused(enough) is None and refused(enough - 10_000) is not None


def test_the_dearest_agent_counts_and_an_unknown_program_does_not() -> None:
    price = price_of("claude-sonnet-5")
    assert price is not None and least() == bound(price, 55_000, 32_000)
    assert set_aside(contender("command"), harnesses()) == 0
    assert set_aside(contender("claude-code", "nobody-knows-this"), harnesses()) == 0
    cheap, dear = contender("builtin"), contender("claude-code")
    assert 0 < set_aside(cheap, harnesses()) < set_aside(dear, harnesses())
    purse = Purse(set_aside(cheap, harnesses()))
    affordable((cheap,), harnesses(), purse, judged=False)
    with pytest.raises(UsageError, match="claude-code"):
        affordable((cheap, dear), harnesses(), purse, judged=False)
    affordable((dear,), harnesses(), Purse(None), judged=True)


def test_what_earlier_starts_left_for_agents_starts_no_more_of_them_when_it_covers_no_request() -> None:
    """Each would end as the agent's failure, and none is."""
    chosen = live_plan(contenders=[contender("claude-code")])
    budget = Budget(usd_micros=least() + 200_000)
    assert Rations(budget, chosen, 200_000, least=least()).empty(200_000) == ""
    assert "and one request sets aside" in Rations(budget, chosen, 200_001, least=least()).empty(200_001)
