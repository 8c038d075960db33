"""A skill's own run policy: what it may ask for, and that it can only ask for less."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.policy_schema import schema
from aces_ci.core.suites.run_policy import NOT_APPLICABLE, Grading, RunPolicy, lowered, read_policy
from aces_ci.tiers.suite_policy import FoundPolicy, policy_of

# Every key of the reference's schema, as its contract lists them.
REFERENCE = {
    "harbor": [
        "task_source", "custom_dockerfile_mode", "base_image_mode", "n_attempts", "pass_threshold", "stop_on_pass",
        "n_concurrent", "max_agents", "max_cases", "timeout_multiplier", "agent_runtime_preflight", "agent_workdir",
        "resources", "runtime_env", "passthrough_env", "pre_agent_setup", "setup_commands", "agents",
    ],
    "skill_workspace": ["mode", "include"],
    "grading": ["mode"],
}  # fmt: skip


def case(name: str, provenance: str = "evals/evals.json#/evals/0") -> Case:
    return Case(id=name, prompt="p", provenance=provenance)


def policy(text: str) -> FoundPolicy:
    data = text.encode()
    file = SkillFile(path="evals/config.yml", kind=FileKind.REGULAR, size=len(data), data=data)
    found = policy_of({file.path: file})
    assert found is not None
    return found


@pytest.mark.parametrize("key", [f"{section}.{name}" for section, names in REFERENCE.items() for name in names])
def test_every_key_of_the_reference_is_understood_or_named_with_a_reason(key: str) -> None:
    section, name = key.split(".")
    good = {"task_source": "auto", "mode": "isolated" if section == "skill_workspace" else "default", "include": []}
    found = read_policy({"schema_version": 1, section: {name: good.get(name, 2)}})
    assert not found.problems
    assert (key in found.not_applicable) == (key in NOT_APPLICABLE)


@pytest.mark.parametrize("skill", ["cudaq-guide", "warp-compile-time-optimizer"])
def test_policies_of_public_skills_load(shared: Path, skill: str) -> None:
    data = (shared / "corpus/NVIDIA__skills/skills" / skill / "evals/config.yml").read_bytes()
    found = policy(data.decode())
    assert not found.errors
    if skill == "cudaq-guide":
        assert (found.policy.attempts, found.policy.native_tasks) == (3, False)
        assert found.policy.grading is Grading.DEFAULT
        assert {"harbor.stop_on_pass", "skill_workspace.mode"} <= set(found.policy.not_applicable)
    else:
        assert found.policy.attempts is None


def test_it_chooses_cases_by_id_glob_and_number_in_their_order() -> None:
    cases = [case("a-1"), case("a-2"), case("b-1"), case("slow")]
    found = policy("cases: [a-*, slow]\nexclude: [a-2]\n").policy
    assert [one.id for one in found.chosen(cases)] == ["a-1", "slow"]
    assert [one.id for one in policy("harbor: {max_cases: 2}\n").policy.chosen(cases)] == ["a-1", "a-2"]
    assert found.chosen(()) == ()


def test_native_tasks_can_be_left_out_or_alone() -> None:
    cases = [case("a"), case("n", "evals/harbor/n/task.toml#")]
    assert [one.id for one in policy("harbor: {task_source: evals_json}").policy.chosen(cases)] == ["a"]
    assert [one.id for one in policy("harbor: {task_source: native_harbor}").policy.chosen(cases)] == ["n"]
    assert len(policy("harbor: {task_source: auto}").policy.chosen(cases)) == 2


@given(
    looks=st.lists(st.integers(1, 50), min_size=1, max_size=5, unique=True).map(sorted),
    attempts=st.none() | st.integers(1, 80),
)
def test_attempts_are_only_ever_lowered(looks: list[int], attempts: int | None) -> None:
    found = lowered(looks, attempts)
    assert found[-1] == min(looks[-1], attempts or looks[-1])
    assert list(found) == sorted(set(found))
    assert set(found) <= {*looks, found[-1]}


@given(st.lists(st.sampled_from(["a", "b", "c"]), unique=True), st.none() | st.integers(1, 4))
def test_no_policy_adds_a_case(names: list[str], most: int | None) -> None:
    cases = tuple(case(name) for name in names)
    assert all(one in cases for one in RunPolicy(max_cases=most, cases=("a", "z")).chosen(cases))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("schema_version: 2\n", "`schema_version` is not 1", 1),
        ("\nattempts: 0\n", "`attempts` is no whole number from 1", 2),
        ("harbor:\n  n_attempts: yes\n", "`harbor.n_attempts` is no whole number from 1", 2),
        ("harbor:\n  colour: red\n", "`harbor.colour` is no key of a run policy", 2),
        ("budget: 5\n", "`budget` is no key of a run policy", 1),
        ("grading:\n  mode: mine\n", "`grading.mode` is none of", 2),
        ("- a\n", "it is no mapping", 1),
        ("a: [\n", "not YAML: ", 2),
        ("", "empty file", 1),
    ],
)
def test_what_cannot_be_used_is_an_error_at_its_line_and_leaves_the_plan_alone(
    text: str, message: str, line: int
) -> None:
    found = policy(text)
    (error,) = found.errors
    assert error.message.startswith(message), error.message
    assert error.line == line
    assert lowered((3, 5, 8), found.policy.attempts) == (3, 5, 8)


def test_graders_may_be_picked_under_either_name() -> None:
    assert policy("graders: custom_only").policy.grading is Grading.CUSTOM_ONLY
    assert policy("grading: {mode: aces_plus_custom}").policy.grading is Grading.DEFAULT_PLUS_CUSTOM


SCHEMA = Draft202012Validator(schema())


@pytest.mark.parametrize(
    "text",
    [
        "schema_version: 1\ncases: [a-*]\nexclude: b\nmax_cases: 3\nattempts: 2\ngraders: custom_only\n",
        "harbor: {n_attempts: 3, task_source: auto, n_concurrent: 2, agents: {codex: {model: m}}}\n",
        "skill_workspace: {mode: group, include: [a]}\ngrading: {mode: aces_default}\nharbor:\n",
        "schema_version: 2\n",
        "attempts: 0\n",
        "attempts: many\n",
        "graders: mine\n",
        "colour: red\n",
        "harbor: {colour: red}\n",
        "grading: {mode: mine}\n",
        "- a\n",
    ],
)
def test_the_published_schema_takes_what_the_reader_takes(text: str) -> None:
    assert SCHEMA.is_valid(yaml.safe_load(text)) is not bool(policy(text).errors)
