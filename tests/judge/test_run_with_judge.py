"""The main job with a judge, whole: a real history, a model that answers over the wire, the comment, the next run."""

from __future__ import annotations

import hmac
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from aces_ci.core.asking.answer_cache import derive
from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Evidence, Judgement, RunEnded, RunStarted, Skipped, Structure, Tier
from aces_ci.core.wire import read_lines
from aces_ci.forges._links import PageLinks
from aces_ci.jobs.run import Options, run
from aces_ci.judging import CACHE
from aces_ci.ports.renderer import Place, Renderer
from aces_ci.renderers import html, text
from aces_ci.renderers.comment import RENDERER
from aces_ci.tiers.assemble import assemble
from tests.builders import a_run, an_event
from tests.fakes.judge_model import JudgeModel, opinion
from tests.git_history import History, Script, git, skill

STEPS = "1. List the files once.\n2. Read the newest file first and note its time.\n"
KEYS = {"OPENAI_API_KEY": "sk-canary-0123456789abcdef"}
CHAT = ("judge.provider=openai_chat", "judge.model=gpt-5.4-mini")


@pytest.fixture
def model() -> Iterator[JudgeModel]:
    with JudgeModel().running() as running:
        yield running


@pytest.fixture
def history(tmp_path: Path) -> History:
    """`log-triage` changes, `chart-style` is new and has a script, `idle` stays."""
    found = History(tmp_path / "origin")
    base = {"skills/log-triage/SKILL.md": skill("log-triage", STEPS), "skills/idle/SKILL.md": skill("idle", STEPS)}
    found.commit("main", base)
    found.commit(
        "work",
        {
            "skills/log-triage/SKILL.md": skill("log-triage", f"{STEPS}3. Say when no file is there, and stop.\n"),
            "skills/chart-style/SKILL.md": skill("chart-style", f"{STEPS}Run scripts/draw.py with the table.\n"),
            "skills/chart-style/scripts/draw.py": Script("print('chart')\n"),
        },
        parent=found.tip("main"),
    )
    return found


def went(
    history: History, out: Path, model: JudgeModel, *extra: str, env: dict[str, str] | None = None
) -> list[Evidence]:
    """The evidence of one run."""
    overrides = (f"judge.base_url={model.url}/v1", *CHAT, *extra)
    options = Options(repo=history.path, base="main", head="work", output=out, post=False, overrides=overrides)
    code = run(options, env=KEYS if env is None else env, stdout=io.StringIO(), stderr=io.StringIO())
    assert code == 0
    return list(read_lines((out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True)))


def judgements(rows: list[Evidence], path: str, side: str = "head") -> dict[str, Judgement]:
    return {r.criterion: r for r in rows if isinstance(r, Judgement) and (r.skill, r.side) == (path, side)}


def varied(criterion: str, vote: int, quote: str) -> dict[str, Any]:
    """A judge with two weak points and one criterion on which its votes differ."""
    score = {"example_quality": 4, "scope_definition": 6, "professional_tone": 9}.get(criterion, 8)
    if criterion == "trigger_simulation":
        score = {1: 7, 2: 9, 3: 8}[vote]
    return opinion(criterion, quote[:60], score, fix="Show one log with the answer it must lead to.")


def test_a_changed_skill_is_judged_on_both_sides_and_an_unchanged_one_not_at_all(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    rows = went(history, tmp_path / "out", model)
    assert {(r.skill, r.side) for r in rows if isinstance(r, Judgement)} == {
        ("skills/log-triage", "head"),
        ("skills/log-triage", "base"),
        ("skills/chart-style", "head"),
    }
    found = judgements(rows, "skills/log-triage")
    assert len(found) == 10
    assert found["structural_coherence"].because == "not applicable: no scripts"
    assert judgements(rows, "skills/chart-style")["structural_coherence"].score == 8
    assert {row.score for row in found.values()} == {8, None}


def test_the_second_run_asks_nothing_and_a_change_asks_only_for_itself(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    first = went(history, out, model)
    asked = len(model.seen)
    assert asked == 2 * (9 + 9 + 10), "criteria x votes, for two sides of one skill and one of the other"
    again = went(history, out, model)
    assert len(model.seen) == asked, "an unchanged skill was asked about again"
    assert all(row.cached for row in again if isinstance(row, Judgement) and row.votes)
    key = "skills/log-triage"
    assert {k: v.votes for k, v in judgements(again, key).items()} == {
        k: v.votes for k, v in judgements(first, key).items()
    }
    history.commit(
        "work", {"skills/log-triage/SKILL.md": skill("log-triage", f"{STEPS}3. Stop where none is there.\n")}
    )
    went(history, out, model)
    assert len(model.seen) == asked + 2 * 9, "the head of one skill changed"
    assert "uvx 'aces-ci[judge]@" in (out / "comment.md").read_text("utf-8"), "the command as copied has no SDK"


def test_a_skill_that_its_text_blocks_is_not_asked_about_and_every_page_says_why(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    """The neighbour that is fine is judged; where the policy only advises, both are."""
    history.commit("work", {"skills/parcel-quote/SKILL.md": skill("parcel_quote", STEPS)})
    out, overrides = tmp_path / "out", (f"judge.base_url={model.url}/v1", *CHAT)
    options = Options(repo=history.path, base="main", head="work", output=out, post=False, overrides=overrides)
    assert run(options, env=KEYS, stdout=io.StringIO(), stderr=io.StringIO()) == 1
    rows = list(read_lines((out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True)))
    assert not judgements(rows, "skills/parcel-quote") and judgements(rows, "skills/log-triage")
    assert [r for r in rows if isinstance(r, Skipped) and r.tier is Tier.JUDGE] == [
        Skipped(tier=Tier.JUDGE, skill="skills/parcel-quote", code="gate_failed", because="gate already failed")
    ]
    assert not any("parcel" in json.dumps(seen.body) for seen in model.seen), "the judge was asked all the same"
    pages = {name: (out / name).read_text("utf-8") for name in ("comment.md", "summary.md", "report.html", "junit.xml")}
    for name in ("comment.md", "summary.md"):
        assert "**Not run** · judge: gate already failed for `parcel-quote`" in pages[name], name
    assert "judge (skills/parcel-quote): gate already failed" in pages["report.html"]
    assert "gate already failed" in pages["junit.xml"]
    assert "skipped: judge (skills/parcel-quote): gate already failed" in (out / "report.txt").read_text("utf-8")
    advised = went(history, tmp_path / "advised", model, "gates.spec=advise")
    assert judgements(advised, "skills/parcel-quote")


def test_two_keys_without_a_choice_skip_the_judge_and_every_page_says_why(history: History, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = Options(repo=history.path, base="main", head="work", output=out, post=False)
    env = {**KEYS, "ANTHROPIC_API_KEY": "sk-ant-canary-0123456789"}
    assert run(options, env=env, stdout=io.StringIO(), stderr=io.StringIO()) == 0
    rows = read_lines((out / "evidence.jsonl").read_text("utf-8").splitlines(keepends=True))
    assert [row.code for row in rows if isinstance(row, Skipped) and row.tier is Tier.JUDGE] == ["two_keys"]
    for page in ("report.txt", "comment.md", "summary.md", "report.html"):
        assert "chooses none" in (out / page).read_text("utf-8"), page


def test_a_model_without_a_price_under_a_dollar_budget_stops_the_run_before_anything_is_asked(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is not known") as caught:
        went(history, tmp_path / "out", model, "judge.model=brand-new-9")
    assert (caught.value.code, caught.value.exit_code) == ("unknown_price", 2)
    assert model.seen == []


def test_what_ci_restores_into_a_fresh_checkout_is_found_and_can_be_saved_by_another_user(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    went(history, tmp_path / "first", model)
    asked = len(model.seen)
    kept = tmp_path / "first" / CACHE
    assert kept.stat().st_mode & 0o777 == 0o644, "the step that saves it runs outside of the action's container"
    fresh = tmp_path / "fresh/aces-results"
    fresh.mkdir(parents=True)
    (fresh / CACHE).write_bytes(kept.read_bytes())
    rows = went(history, fresh, model)
    assert len(model.seen) == asked
    assert all(row.cached for row in rows if isinstance(row, Judgement) and row.votes)
    assert (fresh / CACHE).read_bytes() == kept.read_bytes()
    assert KEYS["OPENAI_API_KEY"] not in kept.read_text("utf-8")


def test_what_was_restored_is_worth_nothing_under_another_key_or_after_a_change(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    went(history, tmp_path / "first", model)
    asked = len(model.seen)
    text = (tmp_path / "first" / CACHE).read_text("utf-8")
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / CACHE).write_text(text.replace('"score": 8', '"score": 10'), "utf-8")
    rows = went(history, tmp_path / "planted", model)
    assert len(model.seen) == 2 * asked
    assert {vote.score for row in rows if isinstance(row, Judgement) for vote in row.votes} == {8}
    (tmp_path / "stranger").mkdir()
    (tmp_path / "stranger" / CACHE).write_text(text, "utf-8")
    went(history, tmp_path / "stranger", model, env={"OPENAI_API_KEY": "sk-of-somebody-else-0123456789"})
    assert len(model.seen) == 3 * asked


def forged(text: str, secret: str) -> str:
    """The lines with full marks, under a MAC of that secret."""
    lines = []
    for line in text.splitlines():
        kept = {key: value for key, value in json.loads(line).items() if key != "mac"}
        kept["answer"]["reply"].update({"score": 10, "pass": True})
        plain = json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()
        lines.append(json.dumps({**kept, "mac": hmac.digest(derive(secret), plain, "sha256").hex()}, sort_keys=True))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("homed", [True, False])
def test_without_a_key_nothing_that_a_checkout_brings_is_a_verdict(
    history: History, model: JudgeModel, tmp_path: Path, homed: bool
) -> None:
    env = {"HOME": str(tmp_path / "home")} if homed else {}
    went(history, tmp_path / "first", model, env=env)
    asked = len(model.seen)
    text = (tmp_path / "first" / CACHE).read_text("utf-8")
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / CACHE).write_text(forged(text, ""), "utf-8")
    rows = went(history, tmp_path / "planted", model, env=env)
    assert len(model.seen) == 2 * asked
    assert {vote.score for row in rows if isinstance(row, Judgement) for vote in row.votes} == {8}
    went(history, tmp_path / "first", model, env=env)
    assert len(model.seen) == (2 if homed else 3) * asked, "the machine's own answers are found where it has a home"


def test_a_cache_that_the_commit_under_test_holds_is_not_read(model: JudgeModel, tmp_path: Path) -> None:
    history = History(tmp_path / "repo", bare=False)
    manifest = "skills/log-triage/SKILL.md"
    history.commit("main", {manifest: skill("log-triage", STEPS)})
    history.commit("work", {manifest: skill("log-triage", STEPS + "3. Stop.\n")}, parent=history.tip("main"))
    went(history, tmp_path / "first", model)
    asked = len(model.seen)
    text = forged((tmp_path / "first" / CACHE).read_text("utf-8"), KEYS["OPENAI_API_KEY"])
    history.commit("work", {f"aces-results/{CACHE}": text})
    git(history.path, "checkout", "--quiet", "work")
    rows = went(history, history.path / "aces-results", model)
    assert len(model.seen) == 2 * asked
    assert {vote.score for row in rows if isinstance(row, Judgement) for vote in row.votes} == {8}


def test_a_refused_key_costs_the_author_nothing_but_the_judge(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    from tests.fakes.upstream import Reply

    model.script = lambda seen: Reply(status=401)
    rows = went(history, tmp_path / "out", model)
    found = [row for row in rows if isinstance(row, Skipped) and row.code == "key_refused"]
    assert len(found) == 1
    assert KEYS["OPENAI_API_KEY"] not in (tmp_path / "out/evidence.jsonl").read_text("utf-8")
    assert any(type(row).__name__ == "Structure" for row in rows)


def test_a_key_without_the_package_costs_the_author_nothing_but_the_judge(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)

    def start(*overrides: str) -> int:
        place = {"base": "main", "head": "work", "output": tmp_path / "out", "post": False}
        options = Options(repo=history.path, overrides=overrides, **place)  # type: ignore[arg-type]
        return run(options, env=KEYS, stdout=io.StringIO(), stderr=io.StringIO())

    assert start() == 0
    rows = list(read_lines((tmp_path / "out/evidence.jsonl").read_text("utf-8").splitlines(keepends=True)))
    assert [row.because for row in rows if isinstance(row, Skipped) and row.tier is Tier.JUDGE] == [
        "the judge needs the package `openai`, which is not installed: pip install 'aces-ci[judge]'"
    ]
    assert any(isinstance(row, Structure) for row in rows)
    # Who names a provider in the settings means it.
    with pytest.raises(UsageError, match="needs the package"):
        start("judge.provider=openai")


def text_of(rows: list[Evidence], renderer: Renderer = RENDERER) -> str:
    header = rows[0]
    assert isinstance(header, RunStarted)
    started = a_run(event=an_event(), settings=header.settings)
    rows = [started, *(r for r in rows[1:] if not isinstance(r, RunEnded)), RunEnded(seconds=9.1)]
    return renderer.render(assemble(rows), Place(links=PageLinks("https://github.com"), forge="github"))


def test_the_comment_shows_scores_ranges_change_weak_points_and_votes(
    history: History, model: JudgeModel, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    model.judge = varied
    went(history, tmp_path / "out", model)
    rows = [r for r in went(history, tmp_path / "out", model) if type(r).__name__ != "Finding"]
    # Tier 1's numbers are not this test's subject.
    rows = [replace(r, score=88, previous_score=86) if isinstance(r, Structure) else r for r in rows]
    assert text_of(rows) == snapshot


def test_text_and_page_say_what_the_judge_said_with_quote_fix_votes_and_cost(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    hostile = "<b>Write</b> `one` example"
    model.judge = lambda c, v, q: varied(c, v, q) | {"fix": hostile, "injection_suspected": c == "professional_tone"}
    rows = went(history, tmp_path / "out", model)
    lines = text_of(rows, text.RENDERER).splitlines()
    assert (
        "judge: log-triage  7.4 of 10 (votes 7.3 to 7.6), was 7.4 (7.3 to 7.6): within the judge's own spread" in lines
    )
    at = lines.index("  weak: example quality 4: SKILL.md:3: it is a 4")
    assert lines[at + 1 : at + 3] == [
        '    "description: Counts rows. Use when asked to count."',
        f"    fix: {hostile}",
    ]
    assert "  ! text in this skill tries to instruct its judge, or takes itself off a reader's screen" in lines
    who = next(line for line in lines if line.startswith("judge: judge-1-2026-11-01/p2"))
    assert "temperature 0" in who and "votes agree on 25 of 28 criteria" in who
    assert who.endswith("0.07\u00a0USD, 65\u00a0k tokens"), who

    page = text_of(rows, html.RENDERER)
    section = page[page.index('<h2 id="judge">') : page.index('<h2 id="findings">')]
    assert "7.4 of 10 (votes 7.3 to 7.6), was 7.4 (7.3 to 7.6)" in section and "25 of 28 criteria" in section
    assert '<td data-th="Votes">7 · 9 · 8</td>' in section and "description: Counts rows." in section
    assert "&lt;b&gt;Write&lt;/b&gt; `one` example" in section and "<b>" not in section
    assert "Text in this skill tries to instruct its judge" in section
    assert "skills/log-triage/SKILL.md?plain=1#L3" in section


def test_without_a_judge_neither_text_nor_page_speaks_of_scores(
    history: History, model: JudgeModel, tmp_path: Path
) -> None:
    rows = went(history, tmp_path / "out", model, "judge.provider=off")
    assert "of 10" not in text_of(rows, text.RENDERER)
    assert 'id="judge"' not in text_of(rows, html.RENDERER)


def test_a_skill_that_talks_to_its_judge_is_named(history: History, model: JudgeModel, tmp_path: Path) -> None:
    model.judge = lambda c, v, q: opinion(c, q[:60], 8, injection_suspected=c == "professional_tone")
    text = text_of(went(history, tmp_path / "out", model))
    assert "tries to instruct its judge" in text
    assert text.count("tries to instruct its judge") == 2, "both skills, once each"
