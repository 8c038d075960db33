"""Three arms and a decoy in real containers: the version at the merge base comes from git objects, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from aces_ci.changes.git import Repository
from aces_ci.changes.load import skill_at
from aces_ci.core.skill import Skill
from aces_ci.core.staging import Lineup
from aces_ci.core.trace.file import inspect
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.tiers import live
from tests.e2e import live_rig as rig
from tests.git_history import History, git

pytestmark = pytest.mark.e2e
ROOT, DECOY = "skills/tide-tally", "skills/tide-tally-archive"
CLIS = ("builtin", "claude-code")
OLD, LATER = "* 5 - 1", "* 2 - 2"
"""What the script computes at the merge base, and on main after the branch began."""
ANSWERS = {Arm.WITH_SKILL: rig.ANSWER, Arm.PREVIOUS: "TIDE-TALLY 67"}
DECOY_TEXT = (
    "---\nname: tide-tally-archive\ndescription: Looks up tallies of past years. Use when asked for a year before"
    " 1990.\n---\n\nRun `cat archive.txt`.\n"
)


def files(formula: str) -> dict[str | bytes, str | None]:
    return {
        f"{ROOT}/SKILL.md": rig.SKILL_TEXT,
        f"{ROOT}/scripts/tally.py": rig.SCRIPT.replace("* 7 - 3", formula),
        f"{ROOT}/evals/evals.json": '{"answer": "' + rig.ANSWER + '"}',
        f"{DECOY}/SKILL.md": DECOY_TEXT,
        f"{DECOY}/archive.txt": "TIDE-TALLY 0\n",
    }


@pytest.fixture(scope="module")
def lineup(tmp_path_factory: pytest.TempPathFactory) -> Lineup:
    """The branch's skill, the merge base's, and a decoy; main and the working tree have gone on since."""
    history = History(tmp_path_factory.mktemp("repo"), bare=False)
    base = history.commit("main", files(OLD))
    head = history.commit("work", {f"{ROOT}/scripts/tally.py": rig.SCRIPT}, parent=base)
    history.commit("main", {f"{ROOT}/scripts/tally.py": rig.SCRIPT.replace("* 7 - 3", LATER)})
    git(history.path, "checkout", "-q", "-f", "main")
    with Repository.open(history.path) as repository:
        found = repository.merge_base(repository.resolve("main"), head)
        assert found == base
        target, previous, decoy = (
            skill_at(repository, commit, root) for commit, root in ((head, ROOT), (found, ROOT), (head, DECOY))
        )
    assert target and previous and decoy
    return Lineup(target=(target,), previous=(previous,), support=(decoy,))


@pytest.fixture(scope="module")
def ran(lineup: Lineup, tmp_path_factory: pytest.TempPathFactory) -> rig.MemorySink:
    images = rig.images(CLIS, tmp_path_factory.mktemp("fetch"))
    sink = rig.MemorySink()
    plan = rig.plan(
        [rig.contender(name, images[name]) for name in CLIS], subjects=[rig.subject(lineup)], arms=tuple(Arm), workers=3
    )
    assert live.run(plan, rig.means(), sink, run_id="e2e-arms").stopped == ""
    return sink


def arms(ran: rig.MemorySink, name: str) -> Mapping[Arm, Trial]:
    return {trial.arm: trial for trial in ran.trials if trial.harness == name}


def answer(ran: rig.MemorySink, trial: Trial) -> str:
    document = inspect(ran.files[trial.trajectory or ""]).trajectory
    assert document is not None and document.answer is not None
    return document.answer[1]


@pytest.mark.parametrize("name", CLIS)
def test_each_arm_works_with_its_own_version(ran: rig.MemorySink, name: str) -> None:
    found = arms(ran, name)
    assert set(found) == set(Arm)
    for trial in found.values():
        assert (trial.ending, trial.because, trial.flags) == (Ending.FINISHED, "", ()), trial
    assert {arm: answer(ran, found[arm]) for arm in ANSWERS} == ANSWERS
    assert "cannot" in answer(ran, found[Arm.BASELINE])


@pytest.mark.parametrize("name", CLIS)
def test_no_arm_sees_the_version_of_another_one(ran: rig.MemorySink, name: str) -> None:
    for arm, trial in arms(ran, name).items():
        shown = json.dumps([item.request for item in ran.exchanges(trial)])
        others = [text for other, text in ANSWERS.items() if other is not arm]
        assert [text for text in (*others, "TIDE-TALLY 0", "TIDE-TALLY 22") if text in shown] == []


@pytest.mark.parametrize("name", CLIS)
def test_the_decoy_is_listed_in_every_arm_and_used_in_none(ran: rig.MemorySink, name: str) -> None:
    """Its name begins with the target's: neither the arm check nor the model may take one for the other."""
    for arm, trial in arms(ran, name).items():
        exchanges = ran.exchanges(trial)
        first = json.dumps(exchanges[0].request)
        assert "tide-tally-archive" in first and "Looks up tallies of past years" in first
        assert ("Tallies a tide ledger" in first) == (arm is not Arm.BASELINE)
        assert "archive.txt" not in json.dumps([item.request for item in exchanges])


def test_the_skill_of_the_merge_base_is_what_the_objects_say(lineup: Lineup) -> None:
    (previous,) = lineup.previous

    def script(skill: Skill) -> str:
        return (skill.files["scripts/tally.py"].data or b"").decode()

    assert OLD in script(previous) and "* 7 - 3" in script(lineup.target[0])
    assert LATER not in script(previous), "main went on after the branch began"
