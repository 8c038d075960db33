"""The live tier over the fake sandbox: what is run, what is written, what is never paid twice."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections import Counter
from collections.abc import Sequence

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.errors import UsageError
from aces_ci.core.plan import Contender, Design, PlannedTrial, Subject, TrialPlan, make_live_plan
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.book import Book, Payment
from aces_ci.core.spending.control import ArmSlot, Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.price import Price, bound
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.staging import Injection, Lineup
from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.core.trial import Arm, Ending, Flag
from aces_ci.plugins import load
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import AT_ONCE, End, Job, Limits, Program, Ran, SandboxLost, Turn
from aces_ci.statistics.power import attainable
from aces_ci.tiers import live
from aces_ci.tiers.purse import Purse
from aces_ci.tiers.schedule import Budget, Rations
from aces_ci.trialling import plannable
from tests.e2e.live_rig import MemorySink
from tests.fakes.sandbox import FakeSandbox, FakeSession, Loss, World

BODY = "Read the gauge, then write the level to gauge.txt with two decimals, never more."
HARNESSES: dict[str, Harness] = {item.name: item for item in load("harnesses", "HARNESS", "name")}  # type: ignore[attr-defined,misc]


def skill(body: str = BODY, name: str = "read-gauge", **files: str) -> Skill:
    texts = {
        "SKILL.md": f"---\nname: {name}\ndescription: Reads a {name}. Use when a level is asked for.\n---\n\n{body}\n"
    }
    texts |= {"evals/evals.json": "{}", "results/old.json": "{}", **files}
    loaded = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
    }
    return parse_skill(root=f"skills/{name}", files=loaded)


def cases(count: int = 2) -> tuple[Case, ...]:
    return tuple(Case(id=f"case-{n}", prompt=f"Do task {n}.") for n in range(count))


def contender(**changes: object) -> Contender:
    fields: dict[str, object] = {
        "harness": "command",
        "version": "1",
        "model": "claude-sonnet-5",
        "api": Protocol.MESSAGES,
        "upstream": "u",
        "image": "sha256:x",
        "command": ("agent",),
        "price": Price(model="*", input=3000, output=15000, cache_read=300, cache_write=3750),
        **changes,
    }
    return Contender(**fields)  # type: ignore[arg-type]


def plan(
    lineup: Lineup | None = None,
    *,
    count: int = 2,
    contenders: Sequence[Contender] = (),
    done: Sequence[str] = (),
    **design: object,
) -> TrialPlan:
    fields: dict[str, object] = {
        "arms": (Arm.WITH_SKILL, Arm.BASELINE),
        "looks": (1, 2),
        "workers": 2,
        "mode": "group",
        **design,
    }
    subject = Subject(skill="skills/read-gauge", lineup=lineup or Lineup(target=(skill(),)), cases=cases(count))
    return make_live_plan(
        [subject],
        contenders or [contender()],
        Design(**fields),  # type: ignore[arg-type]
        attainable=lambda *_: True,
        done=done,
    )


def obedient(world: World) -> int:
    world.ask()
    world.workspace["answer.txt"] = b"42"
    world.out += b"done\n"
    return 0


def run(
    agent: object, chosen: TrialPlan, sink: MemorySink | None = None, **options: object
) -> tuple[live.Ended, MemorySink, FakeSandbox]:
    sink = sink or MemorySink()
    sandbox = agent if isinstance(agent, FakeSandbox) else FakeSandbox(agent)  # type: ignore[arg-type]
    prepare = options.pop("prepare", None)
    if prepare is not None:
        sandbox.prepare = prepare  # type: ignore[assignment]
    means = live.Means(
        sandbox=sandbox,
        harnesses=HARNESSES,
        program=Program(image="g", command=("g",)),
        secrets=Secrets(keys={"u": "key-of-the-provider"}),
        upstreams=(Upstream(name="u", base_url="https://api.example", protocols=(Protocol.MESSAGES,)),),
        limits=options.pop("limits", Limits(seconds=5)),  # type: ignore[arg-type]
        budget=options.pop("budget", Budget()),  # type: ignore[arg-type]
        purse=options.pop("purse", None) or Purse(None),  # type: ignore[arg-type]
    )
    return live.run(chosen, means, sink, run_id="r", **options), sink, sandbox  # type: ignore[arg-type]


def test_every_planned_trial_becomes_one_line_with_its_files() -> None:
    chosen = plan()
    ended, sink, _ = run(obedient, chosen)
    assert ended == live.Ended(look=2, started=8, paid_micros=800)
    assert {trial.digest for trial in sink.trials} == {trial.digest for trial in chosen.trials}
    assert len(sink.trials) == 8 and all(trial.ending is Ending.FINISHED for trial in sink.trials)
    one = sink.trials[0]
    assert sink.below(one, "workspace") == {"answer.txt": b"42"}
    assert sink.files[f"trials/{one.digest}/harness.log"] == b"done\n"
    assert [item.trial for item in sink.exchanges(one)] == [one.digest]
    assert (one.usage.usd_micros, one.resolved_model, one.tools) == (100, "claude-sonnet-5", "t" * 64)


def test_only_the_targets_files_differ_between_the_arms() -> None:
    lineup = Lineup(target=(skill(),), previous=(skill(BODY + " Old."),), support=(skill("Count.", "count-gulls"),))
    chosen = plan(lineup, count=1, arms=tuple(Arm), looks=(1,), mode="group")
    _, _, sandbox = run(obedient, chosen)
    jobs = {order.arm: job for job, order in zip(sandbox.sessions[0].jobs, _armed(sandbox), strict=True)}
    staged = {arm: {file.path for file in job.home} for arm, job in jobs.items()}
    neighbour = {".agents/skills/count-gulls/SKILL.md"}
    assert staged[Arm.BASELINE] == neighbour
    assert staged[Arm.WITH_SKILL] == staged[Arm.PREVIOUS] == {".agents/skills/read-gauge/SKILL.md", *neighbour}
    text = {arm: [f.data for f in job.home if "read-gauge" in f.path] for arm, job in jobs.items()}
    assert b"Old." in text[Arm.PREVIOUS][0] and b"Old." not in text[Arm.WITH_SKILL][0]
    same = ("command", "workspace", "stdin", "image", "limits", "keep_home")
    assert all(getattr(job, name) == getattr(jobs[Arm.BASELINE], name) for job in jobs.values() for name in same)


def _armed(sandbox: FakeSandbox) -> list[ArmSlot]:
    return [order for order in sandbox.sessions[0].gateway.received if isinstance(order, ArmSlot)]


def test_one_worker_keeps_jobs_and_orders_in_step() -> None:
    chosen = plan(workers=1)
    _, _, sandbox = run(obedient, chosen)
    assert [order.trial for order in _armed(sandbox)] == [trial.digest for trial in chosen.trials]
    assert len({order.token for order in _armed(sandbox)}) == len(chosen.trials)


def test_the_arm_check_promises_what_the_arm_is() -> None:
    previous = skill("Another way to read the gauge, with a lens and a lamp.")
    chosen = plan(Lineup(target=(skill(),), previous=(previous,)), count=1, arms=tuple(Arm), looks=(1,))
    _, _, sandbox = run(obedient, chosen)
    by_arm = {order.arm: order.expectation for order in _armed(sandbox)}
    assert by_arm[Arm.BASELINE].listed == () and "read-gauge" in by_arm[Arm.BASELINE].unlisted
    assert any(BODY[:40] in text for text in by_arm[Arm.BASELINE].absent)
    assert "read-gauge" in by_arm[Arm.WITH_SKILL].listed
    assert not any(BODY[:40] in text for text in by_arm[Arm.WITH_SKILL].absent)
    assert any("lens" in text for text in by_arm[Arm.WITH_SKILL].absent)
    assert any(BODY[:40] in text for text in by_arm[Arm.PREVIOUS].absent)


def test_a_task_that_names_the_skill_promises_nothing_by_the_name() -> None:
    case = Case(id="named", prompt="Use read-gauge on this.")
    subject = Subject(skill="skills/read-gauge", lineup=Lineup(target=(skill(),)), cases=(case,))
    design = Design(arms=(Arm.WITH_SKILL, Arm.BASELINE), looks=(1,), workers=1)
    chosen = make_live_plan([subject], [contender()], design, attainable=lambda *_: True)
    _, _, sandbox = run(obedient, chosen)
    by_arm = {order.arm: order.expectation for order in _armed(sandbox)}
    assert by_arm[Arm.BASELINE].unlisted == () and by_arm[Arm.BASELINE].absent
    assert "read-gauge" not in by_arm[Arm.WITH_SKILL].listed and by_arm[Arm.WITH_SKILL].listed


def test_a_neighbour_that_is_called_alike_promises_nothing_for_the_target() -> None:
    """`read-gauge` stands in `read-gauge-log` too: only its description tells whether it was listed."""
    lineup = Lineup(target=(skill(),), support=(skill("Count.", "read-gauge-log"),))
    _, _, sandbox = run(obedient, plan(lineup, count=1, looks=(1,), workers=1))
    by_arm = {order.arm: order.expectation for order in _armed(sandbox)}
    assert by_arm[Arm.WITH_SKILL].listed == ("Reads a read-gauge. Use when a level is asked for.",)
    assert by_arm[Arm.BASELINE].unlisted == () and by_arm[Arm.BASELINE].absent


def test_preloading_puts_the_body_into_the_prompt_of_the_skill_arm_alone() -> None:
    chosen = plan(count=1, looks=(1,), workers=1, injection=Injection.PRELOADED)
    _, _, sandbox = run(obedient, chosen)
    prompts = {order.arm: job.stdin for job, order in zip(sandbox.sessions[0].jobs, _armed(sandbox), strict=True)}
    assert prompts[Arm.BASELINE] == b"Do task 0."
    assert prompts[Arm.WITH_SKILL].endswith(b"Do task 0.") and BODY.encode() in prompts[Arm.WITH_SKILL]


def test_finished_trials_are_not_run_again() -> None:
    chosen = plan()
    _, first, _ = run(obedient, chosen)
    done = {trial.digest: trial for trial in first.trials}
    ended, second, sandbox = run(obedient, chosen, done=done)
    assert (ended.look, second.lines, sandbox.sessions) == (2, [], [])
    part = dict(list(done.items())[:5])
    _, third, _ = run(obedient, chosen, done=part)
    assert {trial.digest for trial in third.trials} == set(done) - set(part)


def test_a_trial_that_infrastructure_lost_is_tried_again_on_resume() -> None:
    chosen = plan(count=1, looks=(1,))
    _, first, _ = run(obedient, chosen)
    lost = dataclasses.replace(first.trials[0], ending=Ending.INFRA_FAILED)
    done = {lost.digest: lost, first.trials[1].digest: first.trials[1]}
    _, second, _ = run(obedient, chosen, done=done)
    assert [trial.digest for trial in second.trials] == [lost.digest]


def test_a_decided_look_is_the_last() -> None:
    asked: list[int] = []

    def decided(look: int) -> str | None:
        asked.append(look)
        return "decided: regressed"

    ended, sink, _ = run(obedient, plan(), decided=decided)
    assert (ended.stopped, ended.look, asked) == ("decided: regressed", 1, [1])
    assert Counter(trial.attempt for trial in sink.trials) == {1: 4}


def test_nothing_is_asked_before_a_look_is_complete() -> None:
    seen: list[int] = []
    sink = MemorySink()
    run(obedient, plan(), sink, decided=lambda look: seen.append(len(sink.trials)))  # type: ignore[func-returns-value]
    assert seen == [4, 8]


def test_an_interrupt_keeps_what_is_done_and_writes_nothing_half() -> None:
    stop = threading.Event()

    def agent(world: World) -> int:
        if world.job.stdin == b"Do task 1.":
            stop.set()
            time.sleep(0.2)
        return obedient(world)

    ended, sink, _ = run(agent, plan(workers=1, looks=(1,)), stop=stop)
    assert ended.stopped == "it was interrupted"
    assert all(trial.ending is Ending.FINISHED for trial in sink.trials) and len(sink.trials) < 4


def test_infrastructure_is_retried_once_and_then_missing() -> None:
    count = Counter[str]()

    def agent(world: World) -> int:
        order = world.gateway.armed[f"s{world.job.slot}"]
        count[order.trial] += 1
        if order.arm is Arm.BASELINE:
            raise Loss("the Docker daemon did not answer")
        if count[order.trial] == 1:
            raise Loss("a hiccup")
        return obedient(world)

    _, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1))
    by_arm = {trial.arm: trial for trial in sink.trials}
    assert by_arm[Arm.WITH_SKILL].ending is Ending.FINISHED
    assert by_arm[Arm.WITH_SKILL].because == "tried 2 times"
    assert by_arm[Arm.BASELINE].ending is Ending.INFRA_FAILED
    assert by_arm[Arm.BASELINE].because == "the Docker daemon did not answer; tried 2 times"


def test_a_provider_that_is_down_ends_the_run_and_not_the_money() -> None:
    started: list[str] = []

    def agent(world: World) -> int:
        started.append(world.token)
        raise Loss("down")

    ended, sink, _ = run(agent, plan(count=9, workers=1))
    assert "lost to infrastructure" in ended.stopped
    assert len(sink.trials) == live.LOST_IN_A_ROW
    assert len(started) == live.LOST_IN_A_ROW * (1 + live.INFRA_RETRIES), "none starts before the last loss is known"


@pytest.mark.parametrize(
    ("agent", "ending", "clause"),
    [
        (lambda world: 3, Ending.AGENT_FAILED, "exited with 3"),
        (lambda world: 137, Ending.AGENT_FAILED, "killed"),
        (lambda world: world.stop.wait(9) or 0, Ending.TIMED_OUT, "longer than"),
        (lambda world: world.out.extend(b"x" * 200_000) or 0, Ending.AGENT_FAILED, "output"),
    ],
)
def test_nothing_inside_the_sandbox_is_infrastructure(agent: object, ending: Ending, clause: str) -> None:
    limits = Limits(seconds=0.3, log_bytes=100_000)
    _, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1), limits=limits)
    assert {trial.ending for trial in sink.trials} == {ending}
    assert all(clause in trial.because and not trial.missing for trial in sink.trials)


def test_the_gateways_record_may_call_it_infrastructure() -> None:
    def agent(world: World) -> int:
        world.gateway.infra[world.gateway.armed[f"s{world.job.slot}"].trial] = "the provider answered 529 five times"
        return 1

    _, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1))
    assert {trial.ending for trial in sink.trials} == {Ending.INFRA_FAILED}
    assert all("529" in trial.because for trial in sink.trials)


def test_an_agent_that_never_heard_from_a_model_is_lost_to_the_provider_though_it_left_in_good_order() -> None:
    def agent(world: World) -> int:
        world.gateway.infra[world.gateway.armed[f"s{world.job.slot}"].trial] = "the provider could not be reached"
        return 0

    _, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1))
    assert {(trial.ending, trial.missing) for trial in sink.trials} == {(Ending.INFRA_FAILED, True)}
    assert all("could not be reached" in trial.because for trial in sink.trials)


def test_a_broken_arm_is_contaminated() -> None:
    chosen = plan(count=1, looks=(1,))
    _, sink, _ = run(
        obedient, chosen, prepare=lambda session: session.gateway.unfair.update(t.digest for t in chosen.trials)
    )
    assert {trial.flags for trial in sink.trials} == {(Flag.CONTAMINATED,)}


def test_a_gateway_that_dies_ends_the_run_without_a_word_on_the_trial() -> None:
    def agent(world: World) -> int:
        world.gateway.gone = True
        return 0

    ended, sink, _ = run(agent, plan(workers=1))
    assert ended.stopped == "the gateway ended" and sink.trials == []


def test_a_gateway_that_never_comes_is_an_error_before_any_trial() -> None:
    def prepare(session: FakeSession) -> None:
        session.gateway.gone = True

    with pytest.raises(SandboxLost):
        run(obedient, plan(), prepare=prepare)


def paid(micros: int) -> Book:
    return Book([Payment(trial="t", attempt="a", number=1, micros=micros, settled=True)])


@pytest.mark.parametrize("model", ["claude-sonnet-5", "claude-opus-5", "gpt-5.5"])
def test_the_default_budget_lets_a_request_of_a_real_agent_out_whatever_the_number_of_trials(model: str) -> None:
    """Claude Code asks for 32,000 tokens with 60 kB of prompt and tools; all of it is set aside before it goes out."""
    price = price_of(model)
    assert price is not None
    chosen = plan(count=6, looks=(3, 5, 8), contenders=[contender(model=model, price=price)])
    budget = Budget.beside(Purse(10_000_000), None, judged=True)
    caps = Rations(budget, chosen).caps(chosen.trials[0])
    assert len(caps) == 3
    assert min(cap.usd_micros for cap in caps) >= bound(price, 62_000, 32_000)
    assert max(cap.usd_micros for cap in caps) == 8_000_000, "the run's own cap holds"


def test_caps_are_equal_for_the_arms_and_shrink_by_what_was_spent() -> None:
    budget = Budget(usd_micros=1_000_000)
    _, _, sandbox = run(obedient, plan(workers=1), budget=budget, book=paid(400_000))
    caps = {order.arm: sorted(cap.usd_micros for cap in order.caps) for order in _armed(sandbox)}
    assert caps[Arm.WITH_SKILL] == caps[Arm.BASELINE]
    assert max(caps[Arm.BASELINE]) == 600_000
    scopes = {cap.scope.split(":")[0] for order in _armed(sandbox) for cap in order.caps}
    assert scopes == {"run", "arm", "trial"}


def test_a_spent_budget_starts_nothing_more() -> None:
    def dear(world: World) -> int:
        world.ask(tokens=300_000)
        return 0

    ended, sink, _ = run(dear, plan(workers=1), budget=Budget(usd_micros=800_000))
    assert "0.80 USD is spent" in ended.stopped and len(sink.trials) == 3


def test_what_agents_at_work_have_set_aside_does_not_end_the_run() -> None:
    """Both set aside more than the budget, at the same time, and pay a third of it."""
    together = threading.Barrier(2)
    billed: list[int] = []

    def agent(world: World) -> int:
        def bill(trial: str, micros: int) -> None:
            billed.append(micros)
            if len(billed) <= 2:
                together.wait(10)

        world.provider = bill
        world.ask(tokens=100_000)
        return 0

    ended, sink, _ = run(agent, plan(count=2), budget=Budget(usd_micros=850_000))
    assert (ended.stopped, ended.paid_micros, len(sink.trials)) == ("", 800_000, 8)


def test_no_more_agents_run_at_once_than_there_are_workers_though_more_are_made_ready() -> None:
    at_work: list[int] = []
    now = 0
    lock = threading.Lock()

    def agent(world: World) -> int:
        nonlocal now
        with lock:
            now += 1
            at_work.append(now)
        time.sleep(0.03)
        with lock:
            now -= 1
        return obedient(world)

    ready = 0

    class Waiting(FakeSession):
        def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
            nonlocal ready
            ready = max(ready, len(self.gateway.armed))
            assert f"s{job.slot}" not in self.gateway.armed, "its token lives before the agent does"
            return super().run(job, stop, turn)

    def as_waiting(session: FakeSession) -> None:
        session.__class__ = Waiting

    _, sink, sandbox = run(agent, plan(count=6), prepare=as_waiting)
    assert len(sink.trials) == 24 and max(at_work) == 2
    assert {job.slot for job in sandbox.sessions[0].jobs} == {0, 1, 2, 3}


def test_a_sandbox_that_need_not_stage_ahead_has_as_many_slots_as_workers() -> None:
    sandbox = FakeSandbox(obedient, stages_ahead=False)
    _, sink, _ = run(sandbox, plan(count=3))
    assert len(sink.trials) == 12 and {job.slot for job in sandbox.sessions[0].jobs} == {0, 1}


def test_a_loss_whose_second_chance_is_refused_is_still_written_down() -> None:
    stop = threading.Event()

    def agent(world: World) -> int:
        stop.set()
        raise Loss("the Docker daemon did not answer")

    _, sink, _ = run(agent, plan(count=1, looks=(1,), workers=1), stop=stop)
    assert [(trial.ending, trial.because) for trial in sink.trials] == [
        (Ending.INFRA_FAILED, "the Docker daemon did not answer")
    ]


def test_a_trial_that_never_got_its_turn_keeps_what_an_earlier_start_wrote() -> None:
    stop = threading.Event()
    chosen = plan(count=1, looks=(1,), workers=1)
    second = chosen.trials[1]
    sink = MemorySink()
    sink.keep({f"trials/{second.digest}/exchanges.jsonl": b"of the start that was killed"})

    def agent(world: World) -> int:
        stop.set()
        return 0

    run(
        agent,
        chosen,
        sink,
        stop=stop,
        book=Book([Payment(trial=second.digest, attempt="a", number=1, micros=1, settled=True)]),
    )
    assert sink.files[f"trials/{second.digest}/exchanges.jsonl"] == b"of the start that was killed"


def test_a_trial_that_could_not_be_staged_arms_no_slot() -> None:
    class Broken(FakeSession):
        def run(self, job: Job, stop: threading.Event, turn: Turn = AT_ONCE) -> Ran:
            return Ran(end=End.NOT_STARTED, because="no space left on device")

    def as_broken(session: FakeSession) -> None:
        session.__class__ = Broken

    _, sink, sandbox = run(obedient, plan(count=1, looks=(1,), workers=1), prepare=as_broken)
    assert {trial.ending for trial in sink.trials} == {Ending.INFRA_FAILED} and len(sink.trials) == 2
    assert not any(isinstance(order, ArmSlot) for order in sandbox.sessions[0].gateway.received)


def test_the_key_goes_to_the_gateway_and_nowhere_else() -> None:
    _, sink, sandbox = run(obedient, plan())
    key = "key-of-the-provider"
    assert any(key in repr(getattr(order, "keys", "")) for order in sandbox.sessions[0].gateway.received)
    assert key not in repr(sandbox.sessions[0].jobs) + repr(sink.lines) + repr(sink.files)


def test_progress_tells_start_and_end_of_each() -> None:
    told: list[live.Progress] = []
    run(obedient, plan(count=1, looks=(1,), workers=1), on_progress=told.append)
    assert [item.trial is None for item in told] == [True, True, False, False], "one is written while the next runs"


# -- the plan ----------------------------------------------------------------------------------------------


def digests(chosen: TrialPlan) -> dict[tuple[Arm, str, int], str]:
    return {(t.arm, t.case, t.attempt): t.digest for t in chosen.trials}


def test_a_changed_skill_leaves_the_baselines_trials_valid() -> None:
    before, after = digests(plan()), digests(plan(Lineup(target=(skill("Something else."),))))
    for key in before:
        assert (before[key] == after[key]) == (key[0] is Arm.BASELINE)


def test_answers_and_checks_change_no_trial() -> None:
    """They belong to the grade: a better check must not cost a second run of the agents."""
    assert digests(plan()) == digests(plan(Lineup(target=(skill(**{"evals/evals.json": '{"new": 1}'}),))))


@pytest.mark.parametrize(
    "change",
    [
        {"contenders": [contender(model="other")]},
        {"contenders": [contender(version="2")]},
        {"contenders": [contender(image="sha256:y")]},
        {"contenders": [contender(command=("other",))]},
        {"limits": {"seconds": 9.0}},
        {"injection": Injection.PRELOADED},
        {"mode": "isolated"},
        {"turns": 5},
    ],
)
def test_what_can_change_a_result_changes_every_digest(change: dict[str, object]) -> None:
    assert not set(digests(plan()).values()) & set(digests(plan(**change)).values())  # type: ignore[arg-type]


def test_fixtures_and_neighbours_change_the_digest() -> None:
    base = digests(plan())
    lineup = Lineup(target=(skill(),), support=(skill("x", "other"),))
    assert not set(base.values()) & set(digests(plan(lineup)).values())


def test_the_arms_are_interleaved_by_a_seed() -> None:
    one, again, other = plan(count=6, seed=1), plan(count=6, seed=1), plan(count=6, seed=2)
    assert one.trials == again.trials != other.trials
    for cut in range(len(one.trials)):
        started = Counter(trial.attempt for trial in one.trials[:cut])
        assert len([n for n, amount in started.items() if amount % 12]) <= 1, (
            "an attempt begins when the last is through"
        )
    first = [trial.arm for trial in one.trials[:12]]
    assert first != sorted(first) and Counter(first) == {Arm.WITH_SKILL: 6, Arm.BASELINE: 6}


def test_attempts_belong_to_the_look_that_needs_them() -> None:
    chosen = plan(looks=(3, 5, 8), count=1)
    stages = {trial.attempt: trial.stage for trial in chosen.trials}
    assert stages == {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 3, 7: 3, 8: 3}


def test_previous_is_run_only_where_it_differs() -> None:
    arms = tuple(Arm)
    assert {t.arm for t in plan(arms=arms).trials} == {Arm.WITH_SKILL, Arm.BASELINE}
    same = Lineup(target=(skill(),), previous=(skill(**{"evals/new.json": "1"}),))
    assert {t.arm for t in plan(same, arms=arms).trials} == {Arm.WITH_SKILL, Arm.BASELINE}
    differs = Lineup(target=(skill(),), previous=(skill("Old."),))
    assert {t.arm for t in plan(differs, arms=arms).trials} == set(Arm)


def test_the_forecast_prices_only_what_is_new() -> None:
    whole = plan()
    part = plan(done=[trial.digest for trial in whole.trials[:6]])
    assert (part.forecast.trials, part.forecast.reused, part.forecast.new) == (8, 6, 2)
    assert part.forecast.usd_micros is not None and whole.forecast.usd_micros == 4 * part.forecast.usd_micros
    assert plan(contenders=[contender(price=None)]).forecast.usd_micros is None


def real(count: int, looks: tuple[int, ...], skills: int = 1) -> TrialPlan:
    subjects = [
        Subject(skill=f"skills/s{n}", lineup=Lineup(target=(skill(),)), cases=cases(count)) for n in range(skills)
    ]
    return make_live_plan(subjects, [contender()], Design(looks=looks), attainable=attainable)


def test_a_plan_that_can_never_decide_is_refused_before_money_is_spent() -> None:
    with pytest.raises(UsageError, match="can never reach a verdict") as told:
        real(4, (1,))
    assert "nothing was spent" in (told.value.why or "")
    assert real(4, (3, 5, 8)).trials and real(6, (1,)).trials
    with pytest.raises(UsageError):
        real(6, (1,), skills=2)


@pytest.mark.parametrize(
    ("arms", "previous", "match"),
    [
        ((Arm.WITH_SKILL,), (), "`with_skill` alone would run"),
        ((Arm.BASELINE,), (), "`baseline` alone would run"),
        ((Arm.PREVIOUS, Arm.BASELINE), (), "`baseline` alone would run"),
        ((Arm.WITH_SKILL, Arm.PREVIOUS), (), "`with_skill` alone would run"),
        ((Arm.WITH_SKILL, Arm.PREVIOUS), (skill(),), "`with_skill` alone would run"),
        ((), (), "no arm would run"),
    ],
)
def test_a_plan_without_anything_to_compare_is_refused_before_money_is_spent(
    arms: tuple[Arm, ...], previous: tuple[Skill, ...], match: str
) -> None:
    with pytest.raises(UsageError, match=match) as told:
        plan(Lineup(target=(skill(),), previous=previous), arms=arms)
    assert told.value.code == "no_comparison" and told.value.do


def test_a_skill_that_cannot_be_planned_keeps_no_other_from_running() -> None:
    lineup = Lineup(target=(skill(),))
    good = Subject(skill="skills/good", lineup=lineup, cases=cases(8))
    few = Subject(skill="skills/few", lineup=lineup, cases=cases(1))
    design, left = Design(looks=(1,)), []
    kept = plannable([few, good], [contender()], design, lambda *row: left.append(row))
    assert kept == [good]
    assert [(subject.skill, error.code) for subject, error in left] == [("skills/few", "never_a_verdict")]
    left.clear()
    assert plannable([few], [contender()], design, lambda *row: left.append(row)) == [few] and not left


@pytest.mark.parametrize(
    ("cases_", "contenders", "match"),
    [
        ((), [contender()], "no evaluation case"),
        (cases(1) * 2, [contender()], "two cases"),
        (cases(1), [], "no harness"),
    ],
)
def test_what_cannot_be_planned_is_named(cases_: tuple[Case, ...], contenders: list[Contender], match: str) -> None:
    subject = Subject(skill="skills/x", lineup=Lineup(target=(skill(),)), cases=cases_)
    with pytest.raises(UsageError, match=match):
        make_live_plan([subject], contenders, Design(), attainable=lambda *_: True)


# -- staging ----------------------------------------------------------------------------------------------


def test_evals_results_and_git_are_never_staged() -> None:
    chosen = plan(Lineup(target=(skill(**{"scripts/a.py": "1", ".git/config": "x"}),)), count=1, looks=(1,), workers=1)
    _, _, sandbox = run(obedient, chosen)
    staged = {file.path for job in sandbox.sessions[0].jobs for file in job.home}
    assert staged == {".agents/skills/read-gauge/SKILL.md", ".agents/skills/read-gauge/scripts/a.py"}


@pytest.mark.parametrize("kind", [FileKind.SYMLINK, FileKind.SUBMODULE, FileKind.LFS, FileKind.OVERSIZE])
def test_what_is_no_plain_file_is_refused_with_its_place(kind: FileKind) -> None:
    odd = skill()
    files = {**odd.files, "scripts/odd": SkillFile(path="scripts/odd", kind=kind, size=1)}
    lineup = Lineup(target=(dataclasses.replace(odd, files=files),))
    with pytest.raises(UsageError, match="skills/read-gauge/scripts/odd is"):
        plan(lineup)


def test_two_skills_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two skills are called"):
        plan(Lineup(target=(skill(),), support=(skill("Other."),)))


@pytest.mark.parametrize("target", ["../out.txt", "/etc/passwd", ".git/hooks/pre-commit", ""])
def test_a_fixture_stays_in_the_workspace(target: str) -> None:
    case = Case(id="c", prompt="p", files=(CaseFile(source="", target=target, content="x"),))
    subject = Subject(skill="skills/x", lineup=Lineup(target=(skill(),)), cases=(case,))
    with pytest.raises(UsageError, match="does not lie in the workspace"):
        make_live_plan([subject], [contender()], Design(looks=(1,)), attainable=lambda *_: True)


def test_a_missing_fixture_is_named_before_the_first_trial() -> None:
    case = Case(id="c", prompt="p", files=(CaseFile(source="evals/files/gone.csv", target="gone.csv"),))
    subject = Subject(skill="skills/x", lineup=Lineup(target=(skill(),)), cases=(case,))
    with pytest.raises(UsageError, match=r"gone\.csv' is missing"):
        make_live_plan([subject], [contender()], Design(looks=(1,)), attainable=lambda *_: True)


def test_a_bundle_is_staged_whole_in_one_arm() -> None:
    lineup = Lineup(target=(skill(), skill("Two.", "second")))
    chosen = plan(lineup, count=1, looks=(1,), workers=1)
    _, _, sandbox = run(obedient, chosen)
    by_arm = {
        order.arm: {f.path.split("/")[2] for f in job.home}
        for job, order in zip(sandbox.sessions[0].jobs, _armed(sandbox), strict=True)
    }
    assert by_arm == {Arm.WITH_SKILL: {"read-gauge", "second"}, Arm.BASELINE: set()}


def test_a_planned_trial_is_plain_data() -> None:
    trial: PlannedTrial = plan().trials[0]
    assert json.loads(json.dumps(dataclasses.asdict(trial)))["digest"] == trial.digest
