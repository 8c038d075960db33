"""A budget that lets no request of an agent out is refused before the daemon is asked for anything."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from aces_ci.cli.live import COMMAND
from aces_ci.compose import harnesses
from aces_ci.core.errors import UsageError
from aces_ci.core.plan import Contender
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.price import Price, bound
from aces_ci.core.spending.price_table import price_of
from aces_ci.gateway.policy.gate import OVERHEAD_TOKENS
from aces_ci.jobs.run import Options, plan, run
from aces_ci.tiers.affordable import ANY, affordable, set_aside
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


def skipped(history: History, out: Path, usd: str, agent: str = AGENT) -> tuple[str, str]:
    """(code, because) of what the main job says of the live tier."""
    overrides = (agent, "judge.provider=off", "live.when=auto", f"budget.usd={usd}")
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


def live(history: History, tmp_path: Path, usd: str, agent: str = AGENT) -> tuple[UsageError, str]:
    tree = tmp_path / "repo/log-triage"
    (tree / "evals").mkdir(parents=True, exist_ok=True)
    (tree / "SKILL.md").write_text(skill("log-triage"))
    (tree / "evals/evals.json").write_text(CASES)
    words = ["log-triage", "-C", str(history.path), "--output", str(tmp_path / "out"), "--max-usd", usd]
    words += ["--set", agent, "--set", "judge.provider=off"]
    result = CliRunner().invoke(COMMAND, words, standalone_mode=False, env=ENV)
    assert isinstance(result.exception, UsageError), (result.exception, result.output)
    return result.exception, result.output


def test_the_command_refuses_it_before_it_asks_the_daemon(history: History, tmp_path: Path) -> None:
    error, _ = live(history, tmp_path, "0.2")
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
                    return error.message
                return None

            told = re.search(r"raise `budget\.usd` to \$?([\d.]+)", refused(0) or "")
            assert told is not None
            enough = round(float(told[1]) * 1e6)
            assert refused(enough) is None and refused(enough - 10_000) is not None


def test_the_dearest_agent_counts() -> None:
    price = price_of("claude-sonnet-5")
    assert price is not None and least() == bound(price, 55_000, 32_000)
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


def test_nothing_is_a_budget_for_what_costs_nothing_and_for_nothing_else() -> None:
    own = replace(contender("claude-code"), price=Price(model="own", input=0, output=0, cache_read=0, cache_write=0))
    assert affordable((own,), harnesses(), Purse(0), judged=False) == ()
    nothing = Budget(usd_micros=0)
    assert Rations(nothing, live_plan(contenders=[own])).empty(0, judged_away=Purse(0).empty()) == ""
    assert "is spent" in Rations(nothing, live_plan(contenders=[own, contender("builtin")])).empty(0)


UNPRICED = "live.harnesses=[{name: claude-code, model: nobody-knows-this}]"
PROGRAM = "live.harnesses=[{name: command, command: [solve], model: claude-sonnet-5}]"


def test_a_model_without_a_price_under_a_budget_is_refused_before_the_daemon_is_asked(
    history: History, tmp_path: Path
) -> None:
    code, because = skipped(history, tmp_path / "unpriced", "8", UNPRICED)
    assert code == "unknown_price"
    assert because.replace("\u00a0", " ") == (
        "the price of `nobody-knows-this` is not known, so the budget of 8.00 USD cannot be kept"
    )
    error, _ = live(history, tmp_path, "8", UNPRICED)
    assert error.code == "unknown_price" and "prices=[" in (error.do or "")
    assert not (tmp_path / "out/evidence.jsonl").exists()


def test_without_a_budget_a_model_without_a_price_may_run() -> None:
    free = contender("claude-code", "nobody-knows-this")
    assert affordable((free,), harnesses(), Purse(None), judged=True) == ()
    with pytest.raises(UsageError, match=r"16\.00"):
        affordable((contender("builtin"), free), harnesses(), Purse(8_000_000), judged=True, parts=2)


def test_a_program_of_the_author_s_own_opens_with_what_it_likes_so_it_cannot_be_told() -> None:
    program = contender("command")
    assert ANY.prompt == OVERHEAD_TOKENS
    floor = set_aside(program, harnesses())
    assert 0 < floor < 10_000
    for nothing in (0, floor - 1):
        with pytest.raises(UsageError, match="command to claude-sonnet-5") as caught:
            affordable((program,), harnesses(), Purse(nothing), judged=False)
        assert caught.value.code == "budget_too_small"
    (doubt,) = affordable((program,), harnesses(), Purse(200_000), judged=False)
    said = doubt.replace("\u00a0", " ")
    assert said.startswith("cannot tell whether 0.20 USD let a request of `command` out")
    assert f"{least() / 1e6:.2f} USD are set aside" in said
    assert affordable((program,), harnesses(), Purse(least()), judged=False) == ()


def test_what_cannot_be_told_is_said_by_the_plan_and_at_the_terminal(history: History, tmp_path: Path) -> None:
    out = io.StringIO()
    options = Options(
        repo=history.path, base="main", head="work", overrides=(PROGRAM, "judge.provider=off", "budget.usd=0.2")
    )
    assert plan(options, env=ENV, stdout=out, stderr=io.StringIO()) == 0
    assert "live         runs" in out.getvalue() and "cannot tell whether 0.20" in out.getvalue()
    error, output = live(history, tmp_path, "0.2", PROGRAM)
    assert error.code == "no_docker", "it went on"
    assert "cannot tell whether 0.20" in output
