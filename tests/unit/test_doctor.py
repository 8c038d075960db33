"""What `doctor` says about a repository and a machine, and what its last line counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner

from aces_ci.agent_images import IMAGE
from aces_ci.cli.doctor import COMMAND
from aces_ci.jobs.readiness import examine, verdict
from aces_ci.jobs.readiness_agents import agent_rows, gateway_row
from aces_ci.jobs.readiness_row import Row
from aces_ci.ports.sandbox import ImageRequest
from aces_ci.sandboxes._docker import images
from aces_ci.settings.load import load
from tests.git_history import History, git, skill
from tests.unit.test_image_lookup import Engine

FAIL_KEY = Row(state="fail", what="key", needed_by=("judge", "live"))
FAIL_DOCKER = Row(state="fail", what="docker", needed_by=("live",))
FAIL_GIT = Row(state="fail", what="git", needed_by=("structural", "judge", "live"))
NO_DAEMON = {"DOCKER_HOST": "tcp://127.0.0.1:9"}
"""Nothing listens there, so that a machine with Docker and one without see the same."""
OK = Row(state="ok", what="git", needed_by=("structural",))
WARN = Row(state="warn", what="evals")
KEY = Row(state="ok", what="provider", untried=("judge", "live"))


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([OK, WARN], "Ready for: structure, judge and live."),
        ([OK, KEY], "Ready for: structure, judge and live. What judge and live rest on is set, not tried."),
        (
            [OK, KEY, FAIL_DOCKER],
            "Ready for: structure and judge. For live: fix 1 item above. What judge rests on is set, not tried.",
        ),
        ([OK, FAIL_KEY], "Ready for: structure. For judge and live: fix 1 item above."),
        ([OK, FAIL_DOCKER], "Ready for: structure and judge. For live: fix 1 item above."),
        (
            [OK, FAIL_KEY, FAIL_DOCKER],
            "Ready for: structure. For judge: fix 1 item above. For live: fix 2 items above.",
        ),
        ([FAIL_GIT], "Ready for: nothing yet. For structure, judge and live: fix 1 item above."),
    ],
)
def test_the_last_line_says_what_is_ready_and_what_to_mend(rows: list[Row], line: str) -> None:
    assert verdict(rows) == line


def starting(rows: list[Row], word: str) -> Row:
    (row,) = (row for row in rows if row.what.startswith(word))
    return row


@pytest.fixture
def origin(tmp_path: Path) -> History:
    """A branch that left main three commits ago."""
    made = History(tmp_path / "origin", bare=False)
    base = made.commit("main", {"log-triage/SKILL.md": skill("log-triage")})
    for number in range(3):
        made.commit("work", {"note.txt": str(number)}, base if number == 0 else None)
    git(made.path, "symbolic-ref", "HEAD", "refs/heads/main")
    git(made.path, "config", "uploadpack.allowAnySHA1InWant", "true")
    return made


def shallow(origin: History, to: Path) -> Path:
    git(origin.path, "clone", "--quiet", "--depth=1", "--branch=work", origin.path.as_uri(), str(to))
    return to


def seen(repo: Path, *, env: dict[str, str] | None = None, overrides: tuple[str, ...] = ()) -> list[Row]:
    return examine(repo, None, overrides, None, env=NO_DAEMON | (env or {}))


def test_a_shallow_clone_whose_merge_base_can_be_fetched_is_no_fault(origin: History, tmp_path: Path) -> None:
    row = starting(seen(shallow(origin, tmp_path / "clone")), "git")
    assert (row.state, row.what) == ("ok", "git: shallow clone, merge base with the default branch found")


def test_a_shallow_clone_without_a_way_to_the_merge_base_stops_every_tier(origin: History, tmp_path: Path) -> None:
    clone = shallow(origin, tmp_path / "clone")
    git(clone, "fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    origin.path.rename(tmp_path / "gone")
    rows = seen(clone)
    row = starting(rows, "cannot find where this branch left")
    assert row.state == "fail"
    assert row.stops("structural")
    assert "fetch-depth: 0" in row.do
    assert "fix" in verdict(rows)


def test_a_full_history_is_ok(origin: History) -> None:
    assert starting(seen(origin.path), "git").what == "git: full history, merge base with the default branch found"


@pytest.mark.parametrize(
    ("env", "overrides"),
    [
        ({"ACES_JUDGE_BASE_URL": "http://localhost:11434/v1"}, ()),
        ({}, ("judge.base_url=http://localhost:11434/v1",)),
        ({"INPUT_PROVIDER_URL": "http://localhost:11434/v1"}, ()),
    ],
)
def test_a_server_of_ones_own_counts_wherever_it_is_named(
    env: dict[str, str], overrides: tuple[str, ...], origin: History
) -> None:
    row = starting(seen(origin.path, env=env, overrides=overrides), "provider")
    assert (row.state, "localhost:11434" in row.what) == ("ok", True)


def test_without_one_the_variable_that_really_is_read_is_named(origin: History) -> None:
    assert "ACES_JUDGE_BASE_URL" in starting(seen(origin.path), "provider key").what


def test_an_error_of_the_environment_is_an_error_of_the_settings(origin: History) -> None:
    rows = seen(origin.path, env={"ACES_GATES_SPEC": "blok"})
    row = starting(rows, "`gates.spec` must be one of")
    assert (row.state, row.stops("structural")) == ("fail", True)


def test_a_misnamed_file_is_a_warning(origin: History) -> None:
    (origin.path / "aces.yaml").write_text("version: 1\n")
    assert starting(seen(origin.path), "aces.yaml is not read").state == "warn"


def test_the_last_line_is_printed_and_json_has_none(origin: History, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ACES_JUDGE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    text = CliRunner().invoke(COMMAND, ["--repo", str(origin.path)], standalone_mode=False)
    assert text.stdout.splitlines()[-1].startswith("Ready for: structure. For judge")
    shown = CliRunner().invoke(COMMAND, ["--repo", str(origin.path), "--format", "json"], standalone_mode=False)
    loaded: dict[str, Any] = json.loads(shown.stdout)
    assert loaded["checks"]


def test_a_key_that_is_set_is_not_said_to_work(origin: History) -> None:
    rows = seen(origin.path, env={"OPENAI_API_KEY": "sk-nobody-tried-it"})
    assert starting(rows, "provider").what == "provider: OPENAI_API_KEY is set, not tried"
    assert "set, not tried" in verdict(rows) and "sk-nobody" not in "".join(row.text() for row in rows)


@pytest.mark.parametrize(
    ("env", "do"),
    [
        ({}, "export ANTHROPIC_API_KEY=..."),
        ({"GITHUB_ACTIONS": "true"}, "gh secret set ANTHROPIC_API_KEY"),
        ({"GITLAB_CI": "true"}, "add ANTHROPIC_API_KEY as a masked variable"),
    ],
)
def test_how_a_key_is_set_depends_on_where_one_stands(env: dict[str, str], do: str, origin: History) -> None:
    assert starting(seen(origin.path, env=env), "provider key").do.startswith(do)


def test_skills_without_evals_are_named_and_do_not_speak_for_those_with(origin: History) -> None:
    (origin.path / "log-triage").mkdir()
    (origin.path / "log-triage/SKILL.md").write_text(skill("log-triage"))
    alone = starting(seen(origin.path), "evals: ")
    assert (alone.state, alone.what) == ("fail", "evals: log-triage has none, live will skip it")
    assert alone.stops("live") and not alone.stops("judge")
    for name, file in (("with", "evals/evals.json"), ("other", "notes.md")):
        path = origin.path / name / file
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        (origin.path / name / "SKILL.md").write_text(skill(name))
    rows = [(row.state, row.what) for row in seen(origin.path) if row.what.startswith("evals: ")]
    assert rows == [("ok", "evals: with"), ("warn", "evals: log-triage, other have none, live will skip them")]


@pytest.mark.parametrize(
    ("env", "here", "states"),
    [
        ({}, [], ["fail"]),
        ({}, ["ACES"], ["ok"]),
        ({"ACES_IMAGE": "mine:1"}, ["ACES"], ["fail"]),
        ({"ACES_IMAGE": "mine:1"}, ["mine:1"], ["ok"]),
        ({"GITHUB_ACTIONS": "true"}, [], []),
    ],
)
def test_a_gateway_whose_image_is_missing_stops_live(env: dict[str, str], here: list[str], states: list[str]) -> None:
    rows = list(gateway_row(env, [IMAGE if name == "ACES" else name for name in here]))
    assert [row.state for row in rows] == states
    assert [row.stops("live") for row in rows] == [state == "fail" for state in states]
    assert all(row.do for row in rows if row.state == "fail")


def test_agents_without_a_sandbox_need_no_docker_and_that_is_told(origin: History) -> None:
    rows = seen(origin.path, overrides=("live.sandbox.backend=process",))
    assert starting(rows, "sandbox").so.startswith("no isolation")
    assert not [row for row in rows if row.what.startswith("docker")]


AGENTS = ", ".join(f"{{name: {name}, model: m{at}}}" for at, name in enumerate(("codex", "codex", "builtin", "odd")))


def agents(here: list[str] | None, *overrides: str, env: dict[str, str] | None = None) -> dict[str, list[Row]]:
    """Rows by the agent that they are about."""
    found: dict[str, list[Row]] = {}
    for row in agent_rows(load(overrides=overrides or (f"live.harnesses=[{AGENTS}]",)).settings, env or {}, here):
        assert row.what.startswith("agent ")
        found.setdefault(row.what.split()[1].rstrip(":"), []).append(row)
    return found


def test_each_agent_is_told_once_with_what_its_image_would_be_built_on() -> None:
    found = agents(["python:3.11-slim-bookworm"])
    assert set(found) == {"codex", "builtin", "odd"}
    (codex,), (builtin,), (odd,) = found["codex"], found["builtin"], found["odd"]
    assert (codex.state, codex.do) == ("warn", "aces-ci live --pull-only")
    assert codex.what.startswith("agent codex: image aces-ci/codex:") and codex.what.endswith(" is not here")
    assert "node:22-bookworm-slim (to be pulled) and python:3.11-slim-bookworm (here)" in codex.so
    assert builtin.so.endswith("builds it on python:3.11-slim-bookworm (here)")
    assert odd.stops("live") and not builtin.stops("live")


def test_an_image_that_is_here_is_found_by_the_name_that_a_run_gives_it() -> None:
    name = agents([])["codex"][0].what.split()[3]
    assert agents([name])["codex"][0].what == f"agent codex: image {name} is here"
    engine = Engine()
    images.ensure(cast(Any, engine), ImageRequest(recipe="codex"))
    assert list(engine.images) == [name]


def test_images_to_build_on_that_the_environment_names_are_told() -> None:
    env = {"ACES_SANDBOX_BASE": "mirror/base:1", "ACES_SANDBOX_FETCH": "mirror/node:1"}
    assert "mirror/node:1 (to be pulled) and mirror/base:1 (to be pulled)" in agents([], env=env)["codex"][0].so


def test_without_docker_nobody_can_tell(origin: History) -> None:
    (row,) = (row for row in seen(origin.path) if row.what.startswith("agent claude-code"))
    assert row.state == "warn"
    assert row.what.startswith("agent claude-code: cannot tell without Docker whether image aces-ci/claude-code:")


@pytest.mark.parametrize(("program", "state"), [("python3", "ok"), ("no-such-agent", "fail")])
def test_without_images_the_agents_program_is_looked_for(program: str, state: str) -> None:
    settings = (f"live.harnesses=[{{name: command, model: m, command: [{program}]}}]", "live.sandbox.backend=process")
    (row,) = agents(None, *settings)["command"]
    assert (row.state, row.stops("live")) == (state, state == "fail")
    assert program in row.what and bool(row.do) == (state == "fail")
