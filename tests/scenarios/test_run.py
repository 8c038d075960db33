"""The main job whole: a real repository, a forge that remembers, the texts it posts and the exit code."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.jobs.run import Options, report, run
from tests.fakes.github import BOT, PERSON, READER, FakeGitHub
from tests.git_history import History, Link, git, skill

GOOD = skill("log-triage", "1. List the files once.\n2. Read the newest first.\n")
WRONG_NAME = skill("parcel_quote", "See [rates](references/rates.md).\n")


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "origin")


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with FakeGitHub().running() as fake:
        yield fake


class Runner:
    """One job on one pull request, as a runner would start it."""

    def __init__(self, tmp_path: Path, history: History, github: FakeGitHub) -> None:
        self.tmp_path, self.history, self.github = tmp_path, history, github
        self.out = tmp_path / "results"
        self.log = ""
        self.stdout = ""

    def pull(self, head: str, base: str, *, token: str = "tok", fork: bool = False, **env: str) -> int:
        """`run` on pull request 42."""
        repo: tuple[int, str] = (77, "mira-k/agent-skills") if fork else (500, "acme/agent-skills")
        row = self.github.pull(42, head, base_sha=base, head_repo=repo)
        payload = {
            "action": "synchronize",
            "number": 42,
            "pull_request": row,
            "repository": {"id": 500, "full_name": "acme/agent-skills", "default_branch": "main"},
            "sender": {"login": "mira-k", "id": 1001, "type": "User"},
        }
        return self.event("pull_request", payload, token=token, **env)

    def event(self, name: str, payload: dict[str, Any], *, token: str = "tok", **more: str) -> int:
        """`run` on any event."""
        file = self.tmp_path / "event.json"
        file.write_text(json.dumps(payload), encoding="utf-8")
        summary, output = self.tmp_path / "summary.md", self.tmp_path / "output.txt"
        for path in (summary, output):
            path.write_text("", encoding="utf-8")
        env = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(file),
            "GITHUB_REPOSITORY": "acme/agent-skills",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_RUN_ID": "8101",
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
            "INPUT_GITHUB_TOKEN": token,
            "INPUT_API_URL": self.github.url,
            **more,
        }
        stdout, stderr = io.StringIO(), io.StringIO()
        options = Options(repo=self.history.path, output=self.out)
        code = run(options, env=env, stdout=stdout, stderr=stderr)
        self.log, self.stdout = stderr.getvalue(), stdout.getvalue()
        return code

    @property
    def comments(self) -> list[str]:
        return self.github.bodies(42)

    def json(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.out / "report.json").read_text(encoding="utf-8"))
        return loaded


@pytest.fixture
def runner(tmp_path: Path, history: History, github: FakeGitHub) -> Runner:
    return Runner(tmp_path, history, github)


def broken_pull(history: History) -> tuple[str, str]:
    """(head, base): one new skill against the specification; main moved on by one good one."""
    start = history.commit("main", {"skills/log-triage/SKILL.md": GOOD})
    head = history.commit("work", {"skills/parcel-quote/SKILL.md": WRONG_NAME}, parent=start)
    base = history.commit("main", {"skills/other/SKILL.md": skill("other")})
    return head, base


def test_an_error_against_the_specification_blocks_with_one_comment_and_exit_one(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    assert runner.pull(head, base) == 1
    (comment,) = runner.comments
    marker, heading, *_ = comment.split("\n")
    assert marker == f"<!-- aces-ci:comment v1 key=default head={head} -->"
    assert heading == "### ❌ aces-ci: blocked, 1 error in `parcel-quote`"
    assert "-name: parcel_quote\n+name: parcel-quote" in comment
    assert f"/acme/agent-skills/blob/{head}/skills/parcel-quote/SKILL.md?plain=1#L2" in comment
    assert "other" not in comment, "main's own work is not this change's"
    assert runner.log.splitlines()[-1].startswith("verdict: blocked by gate spec (block, from built-in defaults)")


def test_a_second_push_edits_the_comment_and_the_fixed_skill_passes(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    runner.pull(head, base)
    fixed = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": skill("parcel-quote")})
    assert runner.pull(fixed, base) == 0
    (comment,) = runner.comments
    assert f"head={fixed}" in comment
    assert "aces-ci: passes" in comment
    assert "was **not** tested" in comment


def test_a_change_that_touches_no_skill_leaves_no_comment(runner: Runner) -> None:
    start = runner.history.commit("main", {"skills/log-triage/SKILL.md": GOOD})
    head = runner.history.commit("work", {"README.md": "hello"}, parent=start)
    assert runner.pull(head, start) == 0
    assert runner.comments == []
    assert "no skill changed; 1 changed file belongs to no skill" in (runner.tmp_path / "summary.md").read_text("utf-8")


def test_a_comment_that_stands_there_is_edited_when_no_skill_is_left(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    runner.pull(head, base)
    undone = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": None, "README.md": "hello"})
    assert runner.pull(undone, base) == 0
    (comment,) = runner.comments
    assert "no skill changed" in comment


def test_a_planted_marker_and_another_authors_comment_are_left_alone(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    runner.github.pull(42, head)
    planted = f"<!-- aces-ci:comment v1 key=default head={head} -->\nI am the tool."
    runner.github.comment(42, planted, by=PERSON)
    runner.pull(head, base)
    assert runner.comments[0] == planted
    assert len(runner.comments) == 2


def test_a_comment_beyond_the_first_page_is_found(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    runner.github.pull(42, head)
    for number in range(130):
        runner.github.comment(42, f"note {number}", by=PERSON)
    runner.pull(head, base)
    runner.pull(head, base)
    assert len(runner.comments) == 131


def test_a_fork_that_may_not_write_keeps_verdict_summary_and_reports(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    assert runner.pull(head, base, token="read-only", fork=True) == 1
    assert runner.comments == []
    assert "blocked, 1 error" in (runner.tmp_path / "summary.md").read_text("utf-8")
    assert "notice:" in runner.log
    assert runner.json()["verdict"]["state"] == "blocked"
    assert READER.login == BOT.login, "the refusal comes from rights, not from a name"


def test_gates_are_read_from_the_default_branch_and_a_change_to_them_is_only_shown(runner: Runner) -> None:
    start = runner.history.commit("main", {"aces.yml": "gates: {spec: block}\n"})
    head = runner.history.commit(
        "work",
        {"aces.yml": "gates: {spec: advise}\n", "skills/parcel-quote/SKILL.md": WRONG_NAME},
        parent=start,
    )
    assert runner.pull(head, start) == 1
    assert "takes effect after merge" in runner.comments[0]
    assert f"policy read from main {start[:7]} (default branch tip)" in runner.log


def test_a_policy_that_is_a_link_is_refused_and_never_like_having_none(runner: Runner) -> None:
    files = {"real.yml": "version: 1\n", "aces.yml": Link("real.yml"), "skills/a/SKILL.md": skill("a")}
    base = runner.history.commit("main", files)
    head = runner.history.commit("work", {"skills/a/SKILL.md": skill("a", "more")}, base)
    with pytest.raises(UsageError, match=r"aces\.yml of main is not a regular file"):
        runner.pull(head, base)


def test_the_default_branch_may_turn_a_gate_into_advice(runner: Runner) -> None:
    start = runner.history.commit("main", {"aces.yml": "gates: {spec: advise}\n"})
    head = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": WRONG_NAME}, parent=start)
    assert runner.pull(head, start) == 0


def test_the_gate_on_the_score_blocks_where_the_policy_says_so(runner: Runner) -> None:
    start = runner.history.commit("main", {"aces.yml": "gates: {structural: block}\nstructural: {min_score: 100}\n"})
    head = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": skill("parcel-quote")}, parent=start)
    assert runner.pull(head, start) == 1
    assert "quality score too low" in runner.comments[0]


def test_a_push_a_merge_group_and_a_schedule_are_evaluated_without_a_comment(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    repository = {"id": 500, "full_name": "acme/agent-skills", "default_branch": "main"}
    start = runner.history.commit("side", {"README.md": "x"}, parent=base)
    push = {"before": base, "after": start, "ref": "refs/heads/side", "repository": repository}
    assert runner.event("push", push) == 0
    group = {"merge_group": {"base_sha": base, "head_sha": head, "base_ref": "refs/heads/main"}}
    assert runner.event("merge_group", {**group, "action": "checks_requested", "repository": repository}) == 1
    dispatch = {"repository": repository, "ref": "refs/heads/main", "inputs": {}}
    assert runner.event("workflow_dispatch", dispatch, GITHUB_SHA=base, GITHUB_REF="refs/heads/main") == 0
    schedule = {"repository": repository, "schedule": "0 3 * * *"}
    assert runner.event("schedule", schedule, GITHUB_SHA=base, GITHUB_REF="refs/heads/main") == 0
    assert runner.github.comments == {}
    looked_at = {skill["change"]["path"]: skill["change"]["how"] for skill in runner.json()["skills"]}
    assert looked_at == {"skills/log-triage": "unchanged", "skills/other": "unchanged"}


def test_the_report_from_the_evidence_alone_is_the_same(runner: Runner, tmp_path: Path) -> None:
    head, base = broken_pull(runner.history)
    runner.pull(head, base)
    again = tmp_path / "again"
    out, log = io.StringIO(), io.StringIO()
    code = report([runner.out], Options(repo=tmp_path, output=again, post=False), env={}, stdout=out, stderr=log)
    assert code == 1
    for name in ("comment.md", "report.json", "summary.md", "annotations.json", "evidence.jsonl"):
        assert (again / name).read_bytes() == (runner.out / name).read_bytes(), name


def test_a_terminal_gets_the_number_of_notes_and_with_v_the_notes(runner: Runner, tmp_path: Path) -> None:
    head, base = broken_pull(runner.history)
    runner.pull(head, base)
    kept = (runner.out / "report.txt").read_text("utf-8")
    notes = [line for line in kept.split("\n") if re.match(r"\S+:\d+:\d+: info ", line)]
    assert notes, "the skill has no note to leave out"
    for shown in (False, True):
        out = io.StringIO()
        options = Options(repo=tmp_path, output=tmp_path / "again", post=False, notes=shown)
        report([runner.out], options, env={}, stdout=out, stderr=io.StringIO())
        assert (tmp_path / "again/report.txt").read_text("utf-8") == kept
        assert [line for line in notes if line in out.getvalue()] == (notes if shown else [])
        assert (f"{len(notes)} note" in out.getvalue()) is not shown
        assert ": error " in out.getvalue()


def test_a_secret_of_the_environment_is_in_no_file_and_no_log(runner: Runner) -> None:
    secret = "tok-secret-abcdefgh12345678"
    runner.github.tokens[secret] = BOT
    start = runner.history.commit("main", {"skills/log-triage/SKILL.md": GOOD})
    body = skill(secret, "A name that differs from its folder is quoted in every report.\n")
    head = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": body}, parent=start)
    runner.pull(head, start, token=secret)
    texts = {path: path.read_text("utf-8") for path in runner.out.rglob("*") if path.is_file()}
    written = "\n".join([*texts.values(), runner.log, runner.stdout, *runner.comments])
    assert secret not in written
    assert "[redacted]" in written, "the positive control: the same search finds what replaced it"


def test_outputs_are_words_and_numbers_of_ours(runner: Runner) -> None:
    head, base = broken_pull(runner.history)
    runner.pull(head, base)
    text = (runner.tmp_path / "output.txt").read_text("utf-8")
    assert re.search(r"verdict<<.+\nblocked\n", text) or "verdict=blocked" in text
    assert "ACES_VERDICT=blocked\n" in (runner.out / "aces.env").read_text("utf-8")


def test_a_wrong_key_in_the_policy_is_one_located_error_and_exit_two(runner: Runner) -> None:
    from aces_ci.core.errors import UsageError

    start = runner.history.commit("main", {"aces.yml": "version: 1\nlive:\n  atempts: {looks: [3, 5, 8]}\n"})
    head = runner.history.commit("work", {"skills/parcel-quote/SKILL.md": WRONG_NAME}, parent=start)
    with pytest.raises(UsageError, match=r"aces\.yml:3:3: unknown key `atempts` in `live`") as caught:
        runner.pull(head, start)
    assert "did you mean `attempts`?" in caught.value.text()
    assert caught.value.exit_code == 2


def test_the_log_says_what_is_planned_what_the_text_is_worth_and_what_did_not_run(runner: Runner) -> None:
    start = runner.history.commit("main", {"skills/old/SKILL.md": skill("old"), "README.md": "x"})
    files = {
        "skills/log-triage/SKILL.md": GOOD,
        "skills/parcel-quote/SKILL.md": WRONG_NAME,
        "skills/old/SKILL.md": None,
    }
    head = runner.history.commit("work", files, parent=start)
    runner.pull(head, start)
    log = runner.log.splitlines()
    plan = log.index("plan: structure 2 · judge up to 2 · live up to 2")
    (group,) = (number for number, line in enumerate(log) if line.startswith("::group::"))
    assert re.fullmatch(r"::group::structure: 2 skills, 1 error, \d+ advice \(\d+\.\d s\)", log[group])
    end = log.index("::endgroup::")
    assert plan < group < end
    inside = log[group + 1 : end]
    assert inside[0].startswith("::stop-commands::") and inside[-1] == f"::{inside[0].rpartition(':')[2]}::"
    assert any(re.fullmatch(r"\| parcel-quote: 1 error, \d+ advice, quality \d+ of 100", line) for line in inside)
    assert "| old: removed" in inside
    assert "skipped: judge (this repository has no provider key)" in log[end:]
    assert "skipped: live (no evals/): log-triage, parcel-quote" in log[end:]
    assert not [line for line in log if line.startswith("result:")], "no agent ran"


def test_a_change_without_a_skill_plans_nothing(runner: Runner) -> None:
    start = runner.history.commit("main", {"skills/log-triage/SKILL.md": GOOD})
    head = runner.history.commit("work", {"README.md": "hello"}, parent=start)
    runner.pull(head, start)
    assert "plan:" not in runner.log and "::group::" not in runner.log


def test_a_folder_named_like_a_log_command_is_none_on_a_runner(runner: Runner) -> None:
    start = runner.history.commit("main", {"README.md": "x"})
    head = runner.history.commit("work", {"::warning::pwned/SKILL.md": WRONG_NAME}, parent=start)
    runner.pull(head, start)
    assert "warning: :pwned/SKILL.md" in runner.stdout
    assert not [line for line in runner.stdout.splitlines() if line.lstrip().startswith("::")]


@pytest.mark.parametrize("inside", [False, True], ids=["top", "started below it"])
def test_runs_that_the_change_brings_along_are_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    history = History(tmp_path / "repo", bare=False)
    base = history.commit("main", {"skills/a/SKILL.md": skill("a")})
    history.commit("work", {"skills/a/SKILL.md": skill("a", "more"), "out/evidence.jsonl": ""}, base)
    git(history.path, "checkout", "--quiet", "work")
    monkeypatch.chdir(history.path)
    repo = history.path / "skills" if inside else history.path
    options = Options(repo=repo, base="main", head="work", output=Path("out"), post=False, resume=True)
    with pytest.raises(UsageError, match="the change itself holds files in out/"):
        run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())


def test_lint_of_a_changed_script_tells_new_from_old_and_knows_it_again(runner: Runner) -> None:
    """The second finding was there at the merge base, one line higher."""
    manifest = skill("log-triage", "1. Run `scripts/a.py`.\n")
    old, new = "exec(input())\n", "print(nothing)  # noqa\n"
    base = runner.history.commit(
        "main", {"skills/log-triage/SKILL.md": manifest, "skills/log-triage/scripts/a.py": old}
    )
    head = runner.history.commit("work", {"skills/log-triage/scripts/a.py": new + old}, parent=base)
    runner.pull(head, base)
    rows = [row for row in runner.json()["skills"][0]["findings"] if row["category"] == "lint"]
    assert [(row["message"].split(":")[0], row["line"], row["new"]) for row in rows] == [
        ("ruff F821", 1, True),
        ("ruff S102", 2, False),
    ]
    assert all(row["fingerprint"] for row in rows)
