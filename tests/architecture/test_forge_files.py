"""Workflows, component and examples: copies are equal, names are known, pins are pins, and nothing skips a gate."""

from __future__ import annotations

import base64
import re
import subprocess
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import yaml

from aces_ci import __version__
from aces_ci.core import push_memory
from aces_ci.core.verdict import State
from aces_ci.judging import CACHE
from aces_ci.settings.inputs import INPUTS
from aces_ci.settings.model import Settings
from tests.fakes.server import Answer, LoopbackServer
from tests.git_history import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
GITHUB = sorted([*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / "examples/github").glob("*.yml")])
GITLAB = sorted((ROOT / "examples/gitlab").glob("*.yml"))
# What the component does not offer: GitLab divides by `parallel`, and its reports have fixed paths.
NOT_OFFERED = {"shard", "output"}
PRIVILEGED = ("forks-live.yml", "forks-environment.yml", "forks-post.yml")
OWN_INPUTS = {"stage", "prefix", "image", "shards", "live"}


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def test_the_catalog_s_copy_is_the_component_byte_for_byte() -> None:
    component = (ROOT / "gitlab-ci-component.yml").read_bytes()
    assert (ROOT / "templates/aces-ci.yml").read_bytes() == component
    assert not (ROOT / "templates/aces-ci.yml").is_symlink()


def test_the_component_offers_the_inputs_of_the_table_and_hands_each_on() -> None:
    header, body = documents(ROOT / "gitlab-ci-component.yml")
    inputs = header["spec"]["inputs"]
    shared = {item.name: item for item in INPUTS if not item.github_only and item.name not in NOT_OFFERED}
    assert set(inputs) == set(shared) | OWN_INPUTS
    for name, item in shared.items():
        assert (inputs[name]["description"], inputs[name]["default"]) == (item.help, item.default)
    variables = body[".$[[ inputs.prefix ]]:job"]["variables"]
    assert {key: value for key, value in variables.items() if key.startswith("INPUT_")} == {
        f"INPUT_{name.upper()}": f"$[[ inputs.{name} ]]" for name in shared
    }


def words(setting: str) -> list[str] | None:
    """What a setting takes where that is a closed list, else None."""
    kind: Any = Settings
    for part in setting.split("."):
        kind = kind.model_fields[part].annotation
    if kind is bool:
        return ["true", "false"]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [member.value for member in kind]
    return list(get_args(kind)) if get_origin(kind) is Literal else None


def test_an_input_of_the_component_is_closed_where_its_setting_is() -> None:
    """GitLab refuses a wrong word when the pipeline is made; "" leaves the setting to the policy."""
    inputs = documents(ROOT / "gitlab-ci-component.yml")[0]["spec"]["inputs"]
    closed = {item.name: found for item in INPUTS if item.setting and (found := words(item.setting))}
    offered = {
        name: entry["options"] for name, entry in inputs.items() if name not in OWN_INPUTS and "options" in entry
    }
    assert offered == {name: ["", *found] for name, found in closed.items() if name in inputs}
    assert {"profile", "comment"} < set(offered)


def test_the_component_leaves_the_user_s_pipeline_alone() -> None:
    body = documents(ROOT / "gitlab-ci-component.yml")[1]
    assert not {"default", "variables", "stages", "workflow", "image", "before_script"} & set(body)
    assert all("$[[ inputs.prefix ]]" in name for name in body)


def test_the_component_asks_for_the_whole_history() -> None:
    body = documents(ROOT / "gitlab-ci-component.yml")[1]
    assert body[".$[[ inputs.prefix ]]:job"]["variables"]["GIT_DEPTH"] == "0"


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.name)
def test_actions_of_others_are_pinned_by_sha_and_say_which_version_that_is(path: Path) -> None:
    for line in path.read_text("utf-8").splitlines():
        found = re.search(r"uses: ([^@\s]+)@(\S+)(.*)", line)
        if found and not found[1].startswith("aces-ci/"):
            assert re.fullmatch("[0-9a-f]{40}", found[2]), line
            assert re.search(r"# v\d+\.\d+\.\d+$", found[3]), line
        elif found:
            assert found[2] == f"v{__version__}", line


def test_the_component_and_its_examples_name_this_version() -> None:
    for path in (ROOT / "gitlab-ci-component.yml", *GITLAB):
        named = re.findall(r"aces-ci(?:/aces-ci)*[:@](\d+\.\d+\.\d+)", path.read_text("utf-8"))
        assert set(named) == {__version__}, path


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.name)
def test_every_checkout_has_the_history_and_keeps_no_credentials(path: Path) -> None:
    for job in documents(path)[0]["jobs"].values():
        for step in job.get("steps", ()):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"] == {"fetch-depth": 0, "persist-credentials": False}


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.name)
def test_inputs_that_are_passed_exist(path: Path) -> None:
    known = {item.name for item in INPUTS}
    for job in documents(path)[0]["jobs"].values():
        for step in job.get("steps", ()):
            if step.get("uses", "").startswith("aces-ci/aces-ci@"):
                assert set(step.get("with", {})) <= known


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.name)
def test_no_workflow_can_leave_a_required_check_waiting_for_ever(path: Path) -> None:
    triggers = documents(path)[0][True]  # YAML 1.1 reads the key `on` as true
    for trigger in triggers.values():
        assert not isinstance(trigger, dict) or not {"paths", "paths-ignore"} & set(trigger)
    if "pull_request" in triggers and path.parent.name == "github":
        assert "merge_group" in triggers, "a merge queue would wait for a check that never reports"


def test_the_report_job_always_runs_and_alone_comments() -> None:
    jobs = documents(ROOT / ".github/workflows/evaluate.yml")[0]["jobs"]
    assert jobs["report"]["if"] == "${{ always() }}"
    ours = {
        name: [step for step in job["steps"] if step.get("uses", "").startswith("aces-ci/")]
        for name, job in jobs.items()
    }
    assert [step["with"]["command"] for step in ours["plan"]] == ["plan"]
    assert all("shard" in step["with"] for step in ours["shard"]), "a shard writes evidence only"
    # The planning job uses an approval up, which is a write; what reads and judges the change may not write.
    writers = {name for name, job in jobs.items() if "write" in job["permissions"].values()}
    assert writers == {"plan", "report"}
    assert "secrets." not in str(jobs["plan"]) + str(jobs["report"]), "the keys are where the money is spent"
    assert jobs["shard"]["strategy"]["fail-fast"] is False


def test_the_poster_sees_no_code_of_the_fork() -> None:
    for path in (ROOT / ".github/workflows/publish.yml", ROOT / "examples/github/forks-post.yml"):
        text = path.read_text("utf-8")
        assert "uses: actions/" not in text
        assert not re.search(r"(?m)^\s*(- )?run:", text)
        assert "secrets" not in text


def test_no_fork_code_meets_a_secret() -> None:
    for path in GITHUB:
        document = documents(path)[0]
        if path.name not in PRIVILEGED:
            assert "pull_request_target" not in str(document[True])
    forks = documents(ROOT / "examples/github/forks.yml")[0]
    assert forks["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in forks["jobs"].values())
    assert "secrets" not in str(forks)


@pytest.mark.parametrize("name", PRIVILEGED)
def test_a_job_with_a_secret_has_of_the_fork_git_objects_and_no_files(name: str) -> None:
    """What it checks out is the default branch, and no expression of the fork's making reaches a shell."""
    (job,) = documents(ROOT / "examples/github" / name)[0]["jobs"].values()
    steps = job.get("steps", [])
    for step in steps:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert set(step["with"]) == {"fetch-depth", "persist-credentials"}, "no `ref`, no `repository`"
        assert "${{" not in step.get("run", "")
    runs = [step["run"] for step in steps if "run" in step]
    assert runs in ([], [FETCH])


FETCH = """\
auth=$(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)
echo "::add-mask::$auth"
export HEADER="Authorization: Basic $auth"
git --config-env="http.$URL.extraheader=HEADER" fetch --no-tags "$URL" "refs/pull/$NUMBER/head"
"""


def test_the_one_fetch_of_a_fork_s_objects_is_the_same_everywhere_and_works_in_a_private_repository() -> None:
    places = (
        ".github/workflows/evaluate.yml",
        "examples/github/forks-live.yml",
        "examples/github/forks-environment.yml",
    )
    steps = [
        step
        for place in places
        for job in documents(ROOT / place)[0]["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    assert len(steps) == 5
    for step in steps:
        assert step["run"] == FETCH
        assert step["env"]["TOKEN"] == "${{ github.token }}", "in no argument, no file, and no later step"


def test_the_job_that_waits_for_a_review_names_the_environment_it_waits_in() -> None:
    (job,) = documents(ROOT / "examples/github/forks-environment.yml")[0]["jobs"].values()
    passed = [step["with"]["environment"] for step in job["steps"] if step.get("uses", "").startswith("aces-ci/")]
    assert passed == [job["environment"]]
    assert job["permissions"]["actions"] == "read", "else the review cannot be read"


def test_the_comment_names_the_budget_that_the_job_which_measures_forks_has() -> None:
    (poster,) = documents(ROOT / "examples/github/forks-post.yml")[0]["jobs"].values()
    for name in ("forks-live.yml", "forks-environment.yml"):
        (job,) = documents(ROOT / "examples/github" / name)[0]["jobs"].values()
        (ours,) = [step for step in job["steps"] if step.get("uses", "").startswith("aces-ci/")]
        assert ours["with"]["budget_usd"] == poster["with"]["budget_usd"]


def test_that_fetch_shows_the_token_to_its_own_server_and_in_no_argument(tmp_path: Path) -> None:
    server = LoopbackServer()
    server.route("GET", "/o/r/info/refs", lambda request: Answer(status=404, body={}))
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True, env=ENVIRONMENT)
    with server.running():
        told = {"URL": f"{server.url}/o/r", "NUMBER": "42", "TOKEN": "ghs_canary"}
        done = subprocess.run(
            ["bash", "-xec", FETCH],
            cwd=tmp_path,
            env={**ENVIRONMENT, **told},
            capture_output=True,
            text=True,
            timeout=60,
        )
    (asked,) = {item.request.headers.get("authorization") for item in server.exchanges}
    assert base64.b64decode((asked or "").removeprefix("Basic ")) == b"x-access-token:ghs_canary"
    (command,) = [row for row in done.stderr.splitlines() if row.startswith("+ git ")]
    assert command.endswith(f"fetch --no-tags {told['URL']} refs/pull/42/head")
    assert asked not in command and "canary" not in command
    assert done.stdout.startswith("::add-mask::")


CACHE_ACTIONS = ("actions/cache/restore", "actions/cache/save")
KEPT = f"aces-results/{CACHE}"
"""Where a run keeps what its judge answered, with the output folder of the action and of the component."""


@pytest.mark.parametrize("name", ["judge.yml", "live-on-label.yml"])
def test_what_a_judge_answered_is_restored_before_the_run_and_saved_after_it_only_by_own_branches(name: str) -> None:
    (job,) = documents(ROOT / "examples/github" / name)[0]["jobs"].values()
    used = [step.get("uses", "").partition("@")[0] for step in job["steps"]]
    ours, restoring, saving = (used.index(action) for action in ("aces-ci/aces-ci", *CACHE_ACTIONS))
    assert restoring < ours < saving
    restore, save = job["steps"][restoring], job["steps"][saving]
    assert restore["with"]["path"] == save["with"]["path"], "else the one never finds what the other saved"
    kept = [KEPT, f"{Path(KEPT).parent}/{push_memory.NAME}"] if name.startswith("live") else [KEPT]
    assert save["with"]["path"].split() == kept
    assert save["with"]["key"] == restore["with"]["key"]
    assert save["with"]["key"].startswith(restore["with"]["restore-keys"])
    assert "github.run_id" in save["with"]["key"], "a key that is there already is not saved again"
    assert "github.event.pull_request.head.repo.id == github.repository_id" in save["if"]
    assert "!cancelled()" in save["if"], "also where a gate blocked"


def test_no_example_for_forks_saves_what_its_run_has_seen() -> None:
    for path in (ROOT / "examples/github").glob("forks*.yml"):
        assert CACHE_ACTIONS[1] not in path.read_text("utf-8") and "actions/cache@" not in path.read_text("utf-8")


def test_the_component_restores_what_a_judge_answered_and_saves_nothing_of_a_fork() -> None:
    body = documents(ROOT / "gitlab-ci-component.yml")[1]
    assert body[".$[[ inputs.prefix ]]:job"]["variables"]["ACES_CACHE"] == "pull-push"
    shard, whole = body["$[[ inputs.prefix ]]:shard"]["cache"], body[".$[[ inputs.prefix ]]:job"]["cache"]
    names = (CACHE, push_memory.NAME)
    assert [row["paths"] for row in whole] == [[f"{Path(KEPT).parent}/{kept}" for kept in names]]
    assert [row["paths"] for row in shard] == [[f"aces-shards/$CI_NODE_INDEX/{kept}" for kept in names]]
    for row in (*shard, *whole):
        assert (row["policy"], row["when"]) == ("$ACES_CACHE", "always")
        assert row["key"].endswith("$CI_COMMIT_REF_SLUG") and row["fallback_keys"][0].endswith("$CI_DEFAULT_BRANCH")
    for name in ("$[[ inputs.prefix ]]:shard", "$[[ inputs.prefix ]]", "$[[ inputs.prefix ]]:live"):
        rules = body[name]["rules"]
        fork = next(at for at, rule in enumerate(rules) if "SOURCE_PROJECT_ID !=" in rule["if"])
        assert rules[fork]["variables"] == {"ACES_CACHE": "pull"}
        assert not any("merge_request_event" in rule["if"] for rule in rules[:fork]), "no earlier rule takes a fork"


def test_every_linter_is_content() -> None:
    done = subprocess.run(["tools/lint-config"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("ok ") == 7


def test_the_readme_leads_to_every_kind_of_example_on_both_forges() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    linked = set(re.findall(r"\((examples/[^)]+\.yml)\)", text))
    assert [name for name in linked if not (ROOT / name).exists()] == []
    kinds = {"minimal": "minimal", "judge": "judge", "live-on-label": "live", "nightly": "nightly"}
    wanted = {f"examples/github/{name}.yml" for name in kinds} | {
        f"examples/gitlab/{name}.yml" for name in kinds.values()
    }
    assert wanted | {"examples/gitlab/forks.yml"} <= linked
    assert "(docs/forks.md)" in text


def test_the_action_names_every_verdict_that_there_is() -> None:
    told = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["outputs"]["verdict"]["description"]
    assert set(re.findall(r"\w+", told)) - {"or"} == {state.value for state in State}


def test_the_readme_shows_the_minimal_files_and_its_commands_install_what_they_need() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for forge in ("github", "gitlab"):
        (shown,) = [
            block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if block.startswith(f"# .{forge}")
        ]
        minimal = (ROOT / f"examples/{forge}/minimal.yml").read_text("utf-8")
        assert yaml.safe_load(shown) == yaml.safe_load(minimal)
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
    bare = re.compile(r"^uvx aces-ci(?:@\S+)? (?:live|judge|gateway)\b.*", re.MULTILINE)
    assert {name: bare.findall(text) for name, text in pages.items() if bare.search(text)} == {}


def test_the_pages_name_every_input_of_the_component_and_link_to_what_is_there() -> None:
    text = (ROOT / "docs/gitlab.md").read_text("utf-8")
    header = documents(ROOT / "gitlab-ci-component.yml")[0]
    assert [name for name in header["spec"]["inputs"] if f"`{name}`" not in text] == []
    for page in ("github", "gitlab", "forks"):
        source = (ROOT / f"docs/{page}.md").read_text("utf-8")
        for target in re.findall(r"\]\(([^)#]+)", source):
            if "://" not in target:
                assert (ROOT / "docs" / target).exists(), f"{page}.md: {target}"
    shown = {path.name for path in (ROOT / "examples/github").iterdir()}
    told = "".join((ROOT / f"docs/{page}.md").read_text("utf-8") for page in ("github", "forks"))
    assert [name for name in shown if name not in told] == []
