"""What one push left for the next: believed by its MAC, compared where it can be, and never a verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from aces_ci.compose import metrics
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, Trust
from aces_ci.core.evidence import LastPush, Planned, RunEnded, Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.lift import outcomes, table
from aces_ci.core.live import Word
from aces_ci.core.live_plan import LivePlan, PlannedCase
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, make_live_plan
from aces_ci.core.push_memory import Push, PushMemory
from aces_ci.core.score import Score
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.control import Secrets
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Arm, Flag, Trial
from aces_ci.core.wire import from_line, to_line
from aces_ci.forges._links import PageLinks
from aces_ci.grading import Grades
from aces_ci.ports.renderer import Place
from aces_ci.remembering import charged, memory, refuse_spent, remember, with_spent
from aces_ci.renderers.comment import RENDERER
from aces_ci.shell.evidence_file import EvidenceFile
from aces_ci.shell.files import Folder
from aces_ci.statistics.power import attainable
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.decide import decide
from aces_ci.tiers.push import comparison_of, push_of, recalled
from aces_ci.tiers.strata import slots
from aces_ci.trialling import Access
from tests.builders import BASE, HEAD, SKILL, a_changed_skill, a_comparison, a_run, an_event, flagged

BEFORE = "0be7712" + "0" * 33
CASES = ("case-1", "case-2", "case-3", "case-4")
WHO = Contender(harness="claude-code", version="2.1.332", model="claude-sonnet-5", api=Protocol.MESSAGES, upstream="a")


def plan(text: str, prompts: str = "do it") -> TrialPlan:
    """The same cases; the skill's text differs between pushes."""

    def skill(body: str) -> Skill:
        file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(body), data=body.encode())
        return Skill(
            root=SKILL,
            manifest="SKILL.md",
            text=body,
            frontmatter=None,
            body=body,
            body_line=1,
            files={"SKILL.md": file},
        )

    cases = tuple(Case(id=name, prompt=prompts) for name in CASES)
    lineup = Lineup(target=(skill(text),), previous=(skill("old"),))
    subject = Subject(skill=SKILL, lineup=lineup, cases=cases)
    return make_live_plan([subject], [WHO], Design(looks=(3, 5)), attainable=attainable)


def measured(made: TrialPlan, rates: dict[Arm, float], seed: int) -> tuple[list[Trial], list[Score]]:
    """Trials under the plan's digests, three attempts an arm."""
    rng = Random(seed)
    trials, scores = a_comparison(
        {arm: {case: [float(rng.random() < rate) for _ in range(3)] for case in CASES} for arm, rate in rates.items()}
    )
    digests = {(row.case, row.arm, row.attempt): row.digest for row in made.trials}
    named = {t.digest: digests[(t.case, t.arm, t.attempt)] for t in trials}
    return [replace(t, digest=named[t.digest]) for t in trials], [replace(s, trial=named[s.trial]) for s in scores]


def finding(print_: str) -> Finding:
    return Finding(
        skill=SKILL,
        code="DI012",
        severity=Severity.WARNING,
        category=Category.QUALITY,
        path=f"{SKILL}/SKILL.md",
        line=int(print_[-1]),
        title="t",
        message="m",
        hint="h",
        fingerprint=print_,
    )


RATES = {Arm.WITH_SKILL: 0.6, Arm.PREVIOUS: 0.6, Arm.BASELINE: 0.3}


def left_behind(text: str = "first try", head: str = BEFORE, rates: dict[Arm, float] = RATES) -> Push:
    made = plan(text)
    trials, scores = measured(made, rates, 1)
    summary = summarise(trials, scores, LivePlan(looks=(3, 5)))
    rows = [finding("f1"), finding("f2")]
    return push_of(made.subjects[0], made, trials, scores, rows, summary, repo="acme/s", change=42, head=head)


def test_a_line_comes_back_and_one_that_was_touched_does_not() -> None:
    push = left_behind()
    line = PushMemory("", "key", trust="own").line(push)
    found = PushMemory(line, "key", trust="own")
    assert found.refused == 0 and found.last("acme/s", 42, SKILL, head=HEAD) == json_equal(push)
    raw = json.loads(line)
    raw["spent"] = [0.0, 0.0]
    for text, key, trust in (
        (json.dumps(raw), "key", "own"),
        (line, "another key", "own"),
        (line, "key", "fork"),
        (line[:-9], "key", "own"),
        ('{"mac": 5}', "key", "own"),
        ("[]", "key", "own"),
    ):
        bad = PushMemory(text, key, trust=trust)
        assert bad.refused == 1 and bad.last("acme/s", 42, SKILL, head=HEAD) is None
        assert bad.spent(push.comparison) == (0.0, 0.0)


def json_equal(push: Push) -> Push:
    """As JSON gives it back: lists for tuples."""
    return Push(**json.loads(json.dumps({name: getattr(push, name) for name in Push.__slots__})))


def test_only_the_last_other_commit_of_this_change_and_skill_is_the_last_push() -> None:
    older = replace(left_behind(), head="1" * 40)
    memory = PushMemory("", "k", trust="own")
    text = "\n".join(map(memory.line, (older, left_behind(), replace(left_behind(), head=HEAD))))
    found = PushMemory(text, "k", trust="own")
    last = found.last("acme/s", 42, SKILL, head=HEAD)
    assert last is not None and last.head == BEFORE
    assert found.last("acme/s", 43, SKILL, head=HEAD) is None
    assert found.last("acme/other", 42, SKILL, head=HEAD) is None
    assert found.last("acme/s", None, SKILL, head=HEAD) is None


def test_the_comment_says_what_moved_with_an_interval_and_which_findings_went() -> None:
    push, made = left_behind(), plan("second try")
    trials, scores = measured(made, {**RATES, Arm.WITH_SKILL: 1.0}, 2)
    last = recalled(push, made.subjects[0], made, scores)
    assert {case for case, *_ in last.outcomes} == set(CASES)
    assert from_line(to_line(last)) == last
    lines = [
        a_run(),
        a_changed_skill(),
        Structure(skill=SKILL, conformant=True, score=90),
        finding("f2"),
        finding("f3"),
        *trials,
        *scores,
        last,
        RunEnded(),
    ]
    report = assemble(lines)
    since = report.skills[0].live.since if report.skills[0].live else None
    assert since is not None and since.outcome is not None and (since.fixed, since.new) == (1, 1)
    before = [sum(values) / len(values) for *_, values in last.outcomes]
    assert since.outcome.point == pytest.approx(1.0 - sum(before) / 4)
    assert since.outcome.low < since.outcome.point < since.outcome.high + 1e-9
    text = RENDERER.render(report, Place(links=PageLinks("https://github.com"), forge="github"))
    (row,) = [line for line in text.split("\n") if line.startswith("**Since the last push**")]
    assert row.startswith(f"**Since the last push** (`{BEFORE[:7]}`) · outcome +")
    assert row.endswith("], 1 finding fixed, 1 new\\") and "[" in row


def test_runs_that_are_spoilt_are_compared_with_no_earlier_push() -> None:
    push, made = left_behind(), plan("second try")
    trials, scores = measured(made, RATES, 2)
    last = recalled(push, made.subjects[0], made, scores)
    spoilt = flagged(trials, Arm.WITH_SKILL, Flag.TAMPERED)
    live = assemble([a_run(), a_changed_skill(), *spoilt, *scores, last, RunEnded()]).skills[0].live
    assert live is not None and live.since is not None
    assert live.since.outcome is None and "model never gave" in live.since.because


def test_a_case_that_was_changed_is_not_compared_and_the_reason_stands_there() -> None:
    push, made = left_behind(), plan("second try", prompts="do something else")
    trials, scores = measured(made, RATES, 2)
    last = recalled(push, made.subjects[0], made, scores)
    assert last.outcomes == ()
    other_judge = [replace(score, method="another/judge") for score in measured(plan("x"), RATES, 2)[1]]
    assert recalled(push, plan("x").subjects[0], plan("x"), other_judge).outcomes == ()
    report = assemble([a_run(), a_changed_skill(), *trials, *scores, last, RunEnded()])
    text = RENDERER.render(report, Place(links=PageLinks("https://github.com"), forge="github"))
    said = "no outcome: no case that both pushes ran with the same agent and judge, 2 findings fixed, none new"
    assert f"· {said}" in text


@pytest.mark.parametrize(("spent", "refused"), [(0.0, False), (0.02, False), (0.025, True)])
def test_a_rerun_that_no_boundary_is_left_for_is_refused_before_it_costs_anything(spent: float, refused: bool) -> None:
    row = Planned(skill=SKILL, cases={case: {} for case in CASES}, spent=(spent, spent))
    if not refused:
        refuse_spent([row], plan("first try"))
        return
    with pytest.raises(UsageError, match="used up the error"):
        refuse_spent([row], plan("first try"))
    refuse_spent([replace(row, side="head")], plan("first try"))


def test_the_same_comparison_starts_from_the_alpha_that_its_first_run_spent() -> None:
    """A rerun whose trials are gone: three tries of .025 would be .073."""
    made = plan("first try")
    push = left_behind()
    assert push.spent[0] > 0 and push.comparison == comparison_of(made, SKILL)
    memory = PushMemory(PushMemory("", "k", trust="own").line(push), "k", trust="own")
    row = with_spent(Planned(skill=SKILL, cases={case: {} for case in CASES}), made, memory)
    assert row.spent == pytest.approx(push.spent)
    assert with_spent(Planned(skill=SKILL), plan("second try"), memory).spent == (0.0, 0.0), "another question"
    assert charged(LivePlan(), [row]).spent == pytest.approx(push.spent)
    trials, scores = measured(made, RATES, 3)
    again = assemble([a_run(), a_changed_skill(), row, *trials, *scores, RunEnded()]).skills[0].live
    fresh = assemble([a_run(), a_changed_skill(), *trials, *scores, RunEnded()]).skills[0].live
    assert again is not None and fresh is not None
    assert again.spent[0] >= push.spent[0] and again.spent[0] >= fresh.spent[0]
    assert any("spent by an earlier run" in note for note in again.notes)


def test_asking_again_until_luck_comes_keeps_the_promise() -> None:
    """Ten reruns of identical arms, the trials of each lost: without the carried alpha luck would come to some."""
    runs, hit, naive = 40, 0, 0
    for seed in range(runs):
        rng, spent, found, plain = Random(seed), (0.0, 0.0), False, False
        for _ in range(10):
            drawn = {
                arm: {case: [float(rng.random() < 0.5) for _ in range(8)] for case in CASES}
                for arm in (Arm.WITH_SKILL, Arm.PREVIOUS)
            }
            trials, scores = a_comparison(drawn)
            held, values = slots(trials, 8), outcomes(trials, table(scores))
            carried = decide(held, scores, values, LivePlan(looks=(8,), spent=spent))
            fresh = decide(held, scores, values, LivePlan(looks=(8,)))
            assert carried.main is not None
            found = found or carried.word is Word.REGRESSED
            plain = plain or fresh.word is Word.REGRESSED
            spent = (carried.main.looks.spent.lower, carried.main.looks.spent.higher)
        hit, naive = hit + found, naive + plain
    assert hit / runs <= 0.025 + 3 * (0.025 * 0.975 / runs) ** 0.5
    assert naive > hit


def test_a_push_without_a_skill_line_is_refused() -> None:
    with pytest.raises(UsageError, match="no line that says how the skill changed"):
        assemble([a_run(merge_base=BASE), LastPush(skill=SKILL, head=BEFORE), RunEnded()])


def test_a_run_leaves_a_line_for_the_next_push_and_a_fork_leaves_none(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "out", cwd=tmp_path)
    folder.claim()
    sink = EvidenceFile(folder)
    sink.add(finding("f1"))
    reach = Access(upstreams=(), secrets=Secrets(keys={"anthropic": "key"}))

    def one(text: str, event: Event) -> None:
        made = plan(text)
        trials, scores = measured(made, RATES, 5)
        analysis = LivePlan(looks=(3, 5), cases=dict.fromkeys(CASES, PlannedCase()))
        grades = Grades(made, analysis, metrics(), None, folder, sink)
        grades.trials.update({trial.digest: trial for trial in trials})
        grades.scores.update({score.trial: [score] for score in scores})
        remember(event, made, grades, analysis, memory(folder, reach, event, lambda path: False), folder, sink)

    one("first try", an_event(head_sha=BEFORE))
    assert not [row for row in sink.read() if isinstance(row, LastPush)], "there was no push before"
    one("second try", an_event())
    (last,) = [row for row in sink.read() if isinstance(row, LastPush)]
    assert last.head == BEFORE and len(last.outcomes) == 4 and last.findings == ("DI012:f1",)
    kept = (tmp_path / "out" / "pushes.jsonl").read_bytes()
    assert len(kept.splitlines()) == 2
    one("third try", an_event(trust=Trust.FORK, head_sha="2" * 40))
    one("no change request", an_event(change_request=None))
    assert (tmp_path / "out" / "pushes.jsonl").read_bytes() == kept
    event = an_event(head_sha="3" * 40)
    own, planted = (memory(folder, reach, event, lambda _, brought=brought: brought) for brought in (False, True))
    assert own.last(event.repo, event.change_request, SKILL, head=event.head_sha) is not None
    assert planted.last(event.repo, event.change_request, SKILL, head=event.head_sha) is None
