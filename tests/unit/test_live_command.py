"""`aces-ci live` as a person runs it, without Docker and without a key: processes, and a scripted model on loopback."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from aces_ci.agent_images import environment_of
from aces_ci.changes.worktree import search
from aces_ci.cli.live import COMMAND
from aces_ci.cli.report import COMMAND as REPORT
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import RunStarted
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.exchange import Protocol
from aces_ci.jobs import live_report
from aces_ci.jobs.live import interruptible
from aces_ci.jobs.live import run as live
from aces_ci.jobs.live_order import Wanted, settings_of
from aces_ci.settings.model import Settings
from aces_ci.shell.files import Folder
from aces_ci.shell.zygote import Zygote
from aces_ci.tiers.ask import Asker
from aces_ci.trialling import access, contenders, design_of, limits_of, narrowed
from tests.e2e import live_rig as rig
from tests.fakes.tide_model import script
from tests.fakes.upstream import FakeUpstream, on_a_thread
from tests.unit.test_live_tier import plan

AGENT = rig.ROOT / "aces_ci/sandboxes/images/builtin/agent.py"
SHELL = (
    "ACES_MODEL_URL=$ANTHROPIC_BASE_URL ACES_MODEL_TOKEN=$ANTHROPIC_API_KEY "
    f"exec {sys.executable} -I {AGENT} messages claude-sonnet-5 9"
)
HARNESS = json.dumps([{"name": "command", "model": "claude-sonnet-5", "command": ["sh", "-c", SHELL]}])
SET = ("--set", "live.sandbox.backend=process", "--set", f"live.harnesses={HARNESS}", "--set", "judge.provider=off")


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The scripted model on a thread of its own."""
    with on_a_thread(FakeUpstream(script)) as fake:
        yield fake.url


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose suite checks outcomes by itself."""
    skill = tmp_path / "skills/tide-tally"
    (skill / "scripts").mkdir(parents=True)
    (skill / "evals/files").mkdir(parents=True)
    (skill / "SKILL.md").write_text(rig.SKILL_TEXT)
    (skill / "scripts/tally.py").write_text(rig.SCRIPT)
    (skill / "evals/files/ledger.csv").write_text(rig.LEDGER)
    cases = [
        {
            "id": f"tide-{number}",
            "prompt": "Give me the tide tally of the ledger in ledger.csv. Answer with one line.",
            "files": ["evals/files/ledger.csv"],
            "assertions": [{"type": "output_contains", "value": rig.ANSWER}],
        }
        for number in range(2)
    ]
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "tide-tally", "evals": cases}))
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def run(repo: Path, *words: str) -> Result:
    arguments = ["skills/tide-tally", "-C", str(repo), "--output", str(repo / "out"), *SET, *words]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo)
        return CliRunner().invoke(COMMAND, arguments, standalone_mode=False)


def test_price_progress_and_word_without_docker_or_key(repo: Path, model: str) -> None:
    result = run(repo, "--yes", "--attempts", "3", "--provider-url", model)
    assert result.exception is None, result.output
    assert (
        "2 cases × 3 runs × 2 arms" in result.stderr and "new 12" in result.stderr and "12 of 12 done" in result.stderr
    )
    assert "improved: tide-tally   +100 [" in result.stdout and "look 1 of 1" in result.stdout
    assert "\x1b" not in result.output, "a frame is for terminals"
    looks = [line for line in result.stderr.splitlines() if line.startswith("look 1 of 1: against no skill +100 [")]
    assert len(looks) == 1 and result.stderr.index(looks[0]) > result.stderr.index("12 of 12 done")
    rows = [json.loads(row) for row in (repo / "out/evidence.jsonl").read_text().splitlines()]
    trials = [row for row in rows if row["kind"] == "trial"]
    assert len(trials) == 12 and {row["ending"] for row in trials} == {"finished"}
    checked = {(row["arm"]): [] for row in trials}
    arms = {row["digest"]: row["arm"] for row in trials}
    for row in rows:
        if row["kind"] == "score" and row["metric"].startswith("outcome") and row["value"] is not None:
            checked[arms[row["trial"]]].append(row["value"])
    assert set(checked["with_skill"]) == {1.0} and set(checked["baseline"]) == {0.0}

    assert result.stdout.rstrip().endswith(f"open {repo}/out/report.html")
    assert "tide-tally" in (repo / "out/report.html").read_text()
    told = json.loads((repo / "out/report.json").read_text())["skills"][0]
    assert told["live"]["word"] == "improved" and told["structure"]["conformant"]
    assert report_of(repo / "out", "again")["skills"][0] == told

    seen = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=repo, check=True, capture_output=True)
    assert (seen.stdout, (repo / "out/.gitignore").read_text()) == (b"", "*\n")

    again = run(repo, "--yes", "--attempts", "3", "--provider-url", model)
    assert isinstance(again.exception, UsageError) and "--resume" in (again.exception.do or "")
    resumed = run(repo, "--yes", "--attempts", "3", "--provider-url", model, "--resume")
    assert "reuse 12 · new 0" in resumed.stderr
    assert (repo / "out/evidence.jsonl").read_text().count('"kind": "trial"') == 12


def report_of(folder: Path, output: str) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder.parent)
        made = CliRunner().invoke(REPORT, [str(folder), "--output", output], standalone_mode=False)
    assert made.exception is None, made.output
    loaded: dict[str, Any] = json.loads((folder.parent / output / "report.json").read_text())
    return loaded


def test_a_report_of_an_edited_skill_compares_it_with_the_merge_base_and_of_a_stopped_start_says_so(
    repo: Path, model: str
) -> None:
    manifest = repo / "skills/tide-tally/SKILL.md"
    manifest.write_text(manifest.read_text() + "\nAnswer in one line.\n")
    result = run(repo, "--yes", "--attempts", "3", "--provider-url", model, "--base", "HEAD")
    assert result.exception is None, result.output
    whole = report_of(repo / "out", "whole")
    (told,) = whole["skills"]
    assert told["change"]["how"] == "modified" and told["change"]["parts"] == ["manifest"]
    assert told["live"]["basis"] == "change" and told["live"]["lift"]["estimate"]["point"] == 1.0
    assert whole["event"]["base_ref"] == "HEAD" and whole["policy"]["ref"] == "built-in defaults"
    lines = (repo / "out/evidence.jsonl").read_text().splitlines(keepends=True)
    (repo / "cut").mkdir()
    (repo / "cut/evidence.jsonl").write_text("".join(lines[: len(lines) // 2]))
    assert report_of(repo / "cut", "half")["verdict"]["state"] != whole["verdict"]["state"]


def test_the_first_line_of_a_folder_in_no_repository_says_what_the_command_line_narrowed(tmp_path: Path) -> None:
    planned = plan(looks=(2, 3))
    wanted = Wanted(paths=(), repo=tmp_path)
    with Zygote() as zygote:
        rows = live_report.begun(wanted, settings(), planned, [], {}, zygote, cap=2.0, isolated=False)
        header = next(rows)
    assert isinstance(header, RunStarted)
    assert (header.event.head_sha, header.merge_base, header.policy.sha) == ("0" * 40, "0" * 40, None)
    assert header.event.worktree, "no commit holds what ran"
    assert header.settings["budget"] == {**settings().budget.model_dump(mode="json"), "usd": 2.0}
    live_settings = header.settings["live"]
    assert isinstance(live_settings, dict) and live_settings["attempts"]["looks"] == [2, 3]


CHANGES = {
    "nothing": (lambda skill: None, False),
    "a line": (lambda skill: (skill / "SKILL.md").write_text(rig.SKILL_TEXT + "More.\n"), True),
    "a new file": (lambda skill: (skill / "scripts/more.py").write_text("pass\n"), True),
    "a file less": (lambda skill: (skill / "scripts/tally.py").unlink(), True),
    "a mode": (lambda skill: (skill / "scripts/tally.py").chmod(0o755), True),
    "something beside the skill": (lambda skill: (skill.parent / "notes.txt").write_text("x"), False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_first_line_says_whether_what_runs_is_what_the_commit_holds(repo: Path, change: str) -> None:
    alter, differs = CHANGES[change]
    alter(repo / "skills/tide-tally")
    wanted = Wanted(paths=(Path("skills/tide-tally"),), repo=repo)
    found = search(repo, (repo / "skills/tide-tally",)).found
    with Zygote() as zygote:
        header = next(live_report.begun(wanted, settings(), plan(), found, {}, zygote, cap=None, isolated=False))
    assert isinstance(header, RunStarted)
    assert header.event.worktree is differs


GRADER = """
import json, os, sys
entry = json.load(open(os.environ["HARBOR_ENTRY_JSON"]))
steps = json.load(open(os.environ["HARBOR_ATIF_PATH"]))["steps"]
if entry["id"] == "tide-1":
    sys.exit(4)
leaked = [name for name in os.environ if "KEY" in name or "TOKEN" in name or name.startswith("ANTHROPIC")]
reply = {"overall": 0.5, "custom_metrics": {"leaked": len(leaked), "told": bool(steps) * 1}}
json.dump(reply, open(os.environ["HARBOR_REWARD_JSON"], "w"))
"""


def test_the_skills_own_grader_scores_every_run_beside_the_metrics(repo: Path, model: str) -> None:
    evals = repo / "skills/tide-tally/evals"
    (evals / "config.yml").write_text("schema_version: 1\ngrading:\n  mode: default_plus_custom\n")
    assert "has no grader" in refused(run(repo, "--yes", "--attempts", "3", "--provider-url", model))
    (evals / "grader.py").write_text(GRADER)
    result = run(repo, "--yes", "--attempts", "3", "--provider-url", model)
    assert result.exception is None, result.output
    rows = [json.loads(row) for row in (repo / "out/evidence.jsonl").read_text().splitlines()]
    cases = {row["digest"]: row["case"] for row in rows if row["kind"] == "trial"}
    told: dict[tuple[str, str], list[float | None]] = {}
    for row in rows:
        if row["kind"] == "score" and row["metric"].startswith(("custom.", "outcome_checks")):
            told.setdefault((cases[row["trial"]], row["metric"]), []).append(row["value"])
    assert told["tide-0", "custom.overall"] == [0.5] * 6
    assert told["tide-0", "custom.leaked"] == [0.0] * 6 and told["tide-0", "custom.told"] == [1.0] * 6
    assert told["tide-1", "custom.overall"] == [None] * 6, "a crash is an error, never a zero"
    assert sorted(told["tide-1", "outcome_checks"]) == [0.0] * 3 + [1.0] * 3, "and does not touch the metrics"
    (evals / "grader.py").write_text(GRADER + "# other\n")
    assert "changed" in refused(run(repo, "--yes", "--attempts", "3", "--provider-url", model, "--resume"))


def test_the_skills_own_policy_chooses_cases_and_lowers_attempts_and_a_raise_is_refused_aloud(
    repo: Path, model: str
) -> None:
    policy = repo / "skills/tide-tally/evals/config.yml"
    policy.write_text("schema_version: 1\nattempts: 3\nskill_workspace: {mode: group}\n")
    result = run(repo, "--yes", "--attempts", "5", "--provider-url", model)
    assert result.exception is None, result.output
    rows = [json.loads(row) for row in (repo / "out/evidence.jsonl").read_text().splitlines()]
    trials = [row for row in rows if row["kind"] == "trial"]
    assert {(row["attempt"], row["mode"]) for row in trials} == {(number, "isolated") for number in (1, 2, 3)}
    assert "config.yml: not applied here: skill_workspace.mode" in result.stderr
    policy.write_text("schema_version: 1\nattempts: 9\ncases: [tide-1]\n")
    said = refused(run(repo, "--yes", "--attempts", "1", "--provider-url", model, "--output", str(repo / "more")))
    assert "can never reach a verdict" in said
    policy.write_text("schema_version: 1\nattempts: 9\n")
    result = run(repo, "--yes", "--attempts", "3", "--provider-url", model, "--output", str(repo / "more"))
    assert "evals/config.yml:2: asks for 9 attempts; a skill cannot raise the 3 of the plan" in result.stderr
    assert "new 12" in result.stderr


def refused(result: Result) -> str:
    assert isinstance(result.exception, UsageError), result.output
    return result.exception.message


def test_without_a_terminal_money_needs_a_word(repo: Path, model: str) -> None:
    assert "spends money" in refused(run(repo, "--attempts", "3", "--provider-url", model))
    assert not (repo / "out/evidence.jsonl").exists()


def test_a_second_start_in_the_same_folder_is_refused_before_anything_is_read_or_spent(repo: Path, model: str) -> None:
    with Folder.at("out", cwd=repo).held():
        result = run(repo, "--yes", "--attempts", "3", "--provider-url", model)
    assert isinstance(result.exception, UsageError) and result.exception.code == "output_busy"
    assert not (repo / "out/evidence.jsonl").exists()


@pytest.mark.parametrize("cap", [None, 2.0])
def test_at_a_terminal_it_asks_once_the_price_is_told_and_a_cap_is_no_answer(
    repo: Path, model: str, cap: float | None
) -> None:
    told: list[str] = []
    asked: list[tuple[str, bool]] = []

    def confirm(question: str) -> bool:
        asked.append((question, any("at most $" in line for line in told)))
        return False

    wanted = Wanted(
        paths=(repo / "skills/tide-tally",),
        repo=repo,
        output=repo / "out",
        attempts=3,
        provider_url=model,
        overrides=SET[1::2],
        max_usd=cap,
    )
    assert live(wanted, env={}, out=told.append, err=told.append, confirm=confirm) == 2
    assert told[-1] == "not started; nothing was spent", "no error: somebody chose so"
    assert asked == [("Start?", True)]
    assert not (repo / "out/evidence.jsonl").exists()


ONE, TWO = ({"name": "claude-code", "model": "a"}, {"name": "codex", "model": "b"})


@pytest.mark.parametrize(
    ("configured", "words", "runs"),
    [
        ([ONE], {"model": "c"}, [("claude-code", "c")]),
        ([ONE, TWO], {"harness": "codex"}, [("codex", "b")]),
        ([ONE, TWO], {"harness": "codex", "model": "c"}, [("codex", "c")]),
        ([ONE], {"harness": "builtin", "model": "c"}, [("builtin", "c")]),
        ([ONE, TWO], {"model": "c"}, "--model does not say whose"),
        ([ONE], {"harness": "codex"}, "which model shall codex run with?"),
    ],
)
def test_the_model_of_the_command_line_is_the_one_that_is_paid(
    configured: list[dict[str, str]], words: dict[str, str], runs: list[tuple[str, str]] | str, tmp_path: Path
) -> None:
    wanted = Wanted(paths=(), repo=tmp_path, overrides=(f"live.harnesses={json.dumps(configured)}",), **words)  # type: ignore[arg-type]
    if isinstance(runs, str):
        with pytest.raises(UsageError, match=re.escape(runs)):
            settings_of(wanted, {})
    else:
        assert [(row.name, row.model) for row in settings_of(wanted, {}).live.harnesses] == runs
    assert {f"--{name}": (value,) for name, value in words.items()}.items() <= wanted.again().items()


def test_a_skill_may_be_called_by_its_name_and_its_configured_program_keeps_its_command(repo: Path, model: str) -> None:
    words = ["tide-tally", "-C", str(repo), "--output", str(repo / "out"), *SET, "--provider-url", model]
    result = CliRunner().invoke(
        COMMAND, [*words, "--model", "claude-opus-4-5", "--attempts", "3"], standalone_mode=False
    )
    assert "spends money" in refused(result)
    assert "tide-tally · 2 cases" in result.stderr and "· claude-opus-4-5" in result.stderr
    assert "no isolation: network and files of this machine are open" in result.stderr


def test_a_server_of_ones_own_asks_for_the_judges_model_with_the_whole_command(repo: Path, model: str) -> None:
    unjudged = [word.replace("judge.provider=off", "judge.votes=2") for word in SET]
    words = ["tide-tally", "-C", str(repo), "--output", str(repo / "out"), *unjudged, "--provider-url", model]
    result = CliRunner().invoke(COMMAND, [*words, "--yes"], standalone_mode=False)
    assert "None is named for the judge" in refused(result)
    assert isinstance(result.exception, UsageError)
    do = result.exception.do or ""
    assert do.startswith("aces-ci live tide-tally --provider-url http://127.0.0.1:") and do.endswith(
        "--set judge.model=NAME"
    )
    again = CliRunner().invoke(COMMAND, shlex.split(do.replace("NAME", "claude-sonnet-5"))[2:], standalone_mode=False)
    assert "spends money" in refused(again)


def test_the_judge_is_closed_where_nothing_starts_and_after_a_run(
    repo: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Asker] = []
    monkeypatch.setattr(Asker, "close", lambda self: closed.append(self))
    judged = ("--set", "judge.provider=compatible", "--set", "judge.model=claude-sonnet-5", "--provider-url", model)
    assert "spends money" in refused(run(repo, "--attempts", "3", *judged))
    assert len(closed) == 1
    ran = run(repo, "--attempts", "3", "--yes", *judged)
    assert ran.exception is None, ran.output
    assert len(closed) == 2
    for asker in closed:
        asker.provider.close()


def test_ctrl_c_once_asks_to_stop_and_twice_waits_for_nothing() -> None:
    stop, told = threading.Event(), []  # type: ignore[var-annotated]
    # A job in the background is started with Ctrl-C ignored; what was there before has to be there again.
    before = signal.getsignal(signal.SIGINT)
    with interruptible(stop, told):
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(5)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
    assert signal.getsignal(signal.SIGINT) is before
    assert told == [signal.SIGINT, signal.SIGTERM, signal.SIGINT]


def test_a_plan_that_cannot_decide_is_refused(repo: Path, model: str) -> None:
    assert "can never reach a verdict" in refused(run(repo, "--yes", "--attempts", "1", "--provider-url", model))


@pytest.mark.parametrize("arms", ["with_skill", "with_skill,previous"])
def test_arms_without_anything_to_compare_are_refused_before_money_is_spent(repo: Path, model: str, arms: str) -> None:
    said = refused(run(repo, "--yes", "--attempts", "3", "--provider-url", model, "--arms", arms))
    assert "`with_skill` alone would run" in said
    assert not (repo / "out/spending.jsonl").exists()


def test_outcomes_that_nobody_can_score_are_refused(repo: Path, model: str) -> None:
    suite = repo / "skills/tide-tally/evals/evals.json"
    document = json.loads(suite.read_text())
    for case in document["evals"]:
        del case["assertions"]
        case["expected_output"] = "a tally"
    suite.write_text(json.dumps(document))
    assert "no outcome could be scored" in refused(run(repo, "--yes", "--attempts", "3", "--provider-url", model))


def test_no_key_and_no_server_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ACES_PROVIDER_URL"):
        monkeypatch.delenv(name, raising=False)
    assert "no provider key" in refused(run(repo, "--yes"))


def with_environment(name: str, **files: str) -> Skill:
    skill = rig.tide_skill()
    more = {
        f"evals/environment/{path}": SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in files.items()
    }
    from dataclasses import replace

    return replace(skill, root=f"skills/{name}", files={**skill.files, **more})


def test_images_are_prepared_without_a_skill_and_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(COMMAND, ["--pull-only", *SET])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == ["gateway: a process of this installation", "command: process:builtin"]
    assert CliRunner().invoke(COMMAND, [*SET]).exit_code == 2, "all else needs a skill"


def test_an_environment_is_for_trusted_changes_alone() -> None:
    skill = with_environment("a", Dockerfile="FROM x")
    assert [file.path for file in environment_of([skill], Trust.OWN)] == ["Dockerfile"]
    with pytest.raises(UsageError, match="cannot be used") as told:
        environment_of([skill], Trust.FORK)
    assert "trusted" in (told.value.why or "")


@pytest.mark.parametrize("name", ["docker-compose.yaml", "compose.yml", "mcp.json", "sidecars/db/Dockerfile"])
def test_services_beside_the_agent_are_not_run_in_silence(name: str) -> None:
    with pytest.raises(UsageError) as told:
        environment_of([with_environment("a", Dockerfile="FROM x", **{name: "x"})], Trust.OWN)
    assert "not run yet" in (told.value.why or "")


def test_skills_of_one_run_share_an_environment_or_have_none() -> None:
    one, other = with_environment("a", Dockerfile="FROM x"), with_environment("b")
    with pytest.raises(UsageError):
        environment_of([one, other], Trust.OWN)
    assert environment_of([other], Trust.OWN) == ()


def settings(**changes: object) -> Settings:
    return Settings.model_validate({"version": 1, "live": {"sandbox": changes}})


def test_a_fork_is_never_run_without_isolation() -> None:
    with pytest.raises(UsageError, match="without isolation"):
        design_of(settings(backend="process"), Trust.FORK)
    assert design_of(settings(backend="process")).looks == (3, 5, 8)
    assert design_of(settings(backend="docker"), Trust.FORK).trust is Trust.FORK


def test_limits_come_from_the_policy_and_are_part_of_the_design() -> None:
    chosen = settings(memory="512m", timeout=30, cpus=1)
    assert (limits_of(chosen).memory_bytes, limits_of(chosen).seconds) == (512 << 20, 30.0)
    assert design_of(chosen).limits["memory_bytes"] == 512 << 20


@pytest.mark.parametrize(
    ("url", "inside", "base", "insecure"),
    [
        ("http://localhost:11434/v1", True, "http://host.docker.internal:11434", True),
        ("http://127.0.0.1:8080/", False, "http://127.0.0.1:8080", True),
        ("https://models.example/api/v1", True, "https://models.example/api", False),
    ],
)
def test_a_server_of_ones_own_is_found_from_where_the_gateway_stands(
    url: str, inside: bool, base: str, insecure: bool
) -> None:
    found = access({"OPENAI_API_KEY": "sk-own-server-key"}, url, in_container=inside)
    assert [(item.base_url, item.insecure) for item in found.upstreams] == [(base, insecure)]
    assert found.secrets.keys == {"own": "sk-own-server-key"}
    assert "sk-own-server-key" not in repr(found.upstreams)


def test_providers_follow_from_the_keys_that_are_there() -> None:
    found = access({"OPENAI_API_KEY": "sk-0123456789"}, None, in_container=True)
    assert [item.name for item in found.upstreams] == ["openai"]
    assert found.for_api(rig.harnesses()["claude-code"].apis) is None
    assert found.for_api(rig.harnesses()["builtin"].apis) == (Protocol.CHAT, "openai")
    with pytest.raises(UsageError, match="no provider here speaks what claude-code speaks"):
        contenders(settings(), rig.harnesses(), found, {})


def test_a_narrowed_plan_never_has_a_higher_cap() -> None:
    design = design_of(settings())
    assert narrowed(design, attempts=4).looks == (3, 4)
    assert narrowed(design, attempts=50).looks == (3, 5, 8)
    assert [arm.value for arm in narrowed(design, attempts=None, arms=["baseline"]).arms] == ["baseline"]
    with pytest.raises(UsageError, match="there is no arm `with_skil`"):
        narrowed(design, attempts=None, arms=["with_skil", "baseline"])
