"""`aces-ci judge` as a person meets it: the text, the document, exit codes, a recording and its replay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from aces_ci.cli._calibrate.judge import COMMAND as CALIBRATE
from aces_ci.core.errors import UsageError
from aces_ci.jobs.judge import Wanted, calibrated, judge
from tests.fakes.judge_model import JudgeModel, opinion
from tests.git_history import History, git
from tests.judge.bench import TEXT

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def model() -> Iterator[JudgeModel]:
    with JudgeModel().running() as running:
        yield running


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    folder = tmp_path / "skills/log-triage"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(TEXT, "utf-8")
    return tmp_path


def ran(skills: Path, *overrides: str, env: dict[str, str] | None = None, **more: Any) -> tuple[str, list[str]]:
    """stdout and stderr of one `judge` on all skills."""
    out: list[str] = []
    err: list[str] = []
    wanted = Wanted(paths=(skills / "skills",), repo=skills, output=skills / "out", overrides=overrides, **more)
    assert judge(wanted, env=env or {}, out=out.append, err=err.append) == 0
    return "\n".join(out), err


def test_a_skill_is_judged_recorded_and_replayed_without_a_server(model: JudgeModel, skills: Path) -> None:
    said = {"example_quality": 2}
    model.judge = lambda criterion, vote, quote: opinion(criterion, quote[:60], said.get(criterion, 8))
    server = (f"judge.base_url={model.url}/v1", "judge.model=judge-1", "budget.usd=null")
    text, err = ran(skills, *server, record=skills / "answers.jsonl")
    assert "7.3 of 10 (votes 7.3 to 7.3)" in text
    assert "weak: example quality 2: SKILL.md:3: it is a 2" in text
    assert "18 calls, 0 answers reused" in text and "price unknown" in text
    assert "not tested" in text
    assert err == ["judging skills/log-triage (head)"] or err == ["judging log-triage (head)"]
    again, _ = ran(skills, "judge.provider=recorded", f"judge.recordings={skills / 'answers.jsonl'}", as_json=True)
    document = json.loads(again)
    assert document["skills"][0]["score"]["score"] == pytest.approx(22 / 3)
    assert document["cost"] == {"usd_micros": 0, "calls": 18, "reused": 0, "errors": 0}
    assert len(model.seen) == 18
    (skills / "skills/log-triage/SKILL.md").write_text(TEXT + "More.\n", "utf-8")
    with pytest.raises(UsageError, match="hold no answer"):
        ran(skills, "judge.provider=recorded", f"judge.recordings={skills / 'answers.jsonl'}")


def test_with_a_base_only_what_differs_is_judged_on_both_sides(model: JudgeModel, tmp_path: Path) -> None:
    history = History(tmp_path, bare=False)
    history.commit(
        "main", {"skills/log-triage/SKILL.md": TEXT, "skills/idle/SKILL.md": TEXT.replace("log-triage", "idle")}
    )
    git(tmp_path, "checkout", "--quiet", "main")
    git(tmp_path, "checkout", "--quiet", "-b", "work")
    (tmp_path / "skills/log-triage/SKILL.md").write_text(TEXT + "3. Stop where none is there.\n", "utf-8")
    server = (f"judge.base_url={model.url}/v1", "judge.model=judge-1", "budget.usd=null")
    text, _ = ran(tmp_path, *server, base="main", as_json=True)
    document = json.loads(text)
    assert [row["path"] for row in document["skills"]] == ["skills/log-triage"]
    assert document["skills"][0]["change"] == "within the judge's own spread"
    assert len(model.seen) == 2 * 2 * 9


def test_calibration_prints_rates_and_what_is_missing_to_the_bar(model: JudgeModel, skills: Path) -> None:
    labels = skills / "labels.jsonl"
    rows = [
        {"skill": "skills/log-triage", "criterion": name, "pass": True}
        for name in ("example_quality", "scope_definition")
    ]
    labels.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    arguments = [str(labels), "--provider-url", f"{model.url}/v1", "--output", str(skills / "out")]
    arguments += ["--set", "judge.model=judge-1", "--set", "budget.usd=null"]
    done = CliRunner().invoke(CALIBRATE, arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "agreement  2 of 2" in done.output and "false pass no such item" in done.output
    assert "moved by padding     0 of 2" in done.output
    assert "informs and never gates" in done.output
    assert len(model.seen) == 4 * 2 * 2, "plain and three perturbations"


def label(skill: object) -> str:
    return json.dumps({"skill": str(skill), "criterion": "example_quality", "pass": True})


@pytest.mark.parametrize("other", ["absolute", "link", "copy"])
def test_a_skill_that_is_labelled_under_two_names_is_refused_before_anything_is_asked(other: str, skills: Path) -> None:
    own = skills / "skills/log-triage"
    names = {"absolute": own, "link": skills / "linked", "copy": skills / "skills/copied"}
    (skills / "linked").symlink_to(own)
    (skills / "skills/copied").mkdir()
    (skills / "skills/copied/SKILL.md").write_text(TEXT, "utf-8")
    (skills / "labels.jsonl").write_text(f"{label('skills/log-triage')}\n{label(names[other])}\n", "utf-8")
    with pytest.raises(UsageError) as caught:
        calibrated(skills / "labels.jsonl", Wanted(paths=(), output=skills / "out"), env={}, perturb=False)
    assert caught.value.exit_code == 2 and caught.value.code in ("label", "no_skill")
    assert "same skill" in caught.value.message or other == "link", "links are never followed"


@pytest.mark.parametrize(("text", "code"), [("", "no_labels"), ("\n \n", "no_labels"), ("\ufeff{}", "label")])
def test_a_file_without_labels_is_refused(text: str, code: str, skills: Path) -> None:
    (skills / "labels.jsonl").write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        calibrated(skills / "labels.jsonl", Wanted(paths=(), output=skills / "out"), env={}, perturb=False)
    assert caught.value.code == code


def test_a_mark_of_byte_order_in_front_of_the_labels_is_no_part_of_them(model: JudgeModel, skills: Path) -> None:
    (skills / "labels.jsonl").write_text(f"\ufeff{label('./skills/log-triage')}\r\n", "utf-8")
    overrides = (f"judge.base_url={model.url}/v1", "judge.model=judge-1", "budget.usd=null")
    wanted = Wanted(paths=(), output=skills / "out", overrides=overrides)
    assert calibrated(skills / "labels.jsonl", wanted, env={}, perturb=False).answered == 1


@pytest.mark.parametrize(
    ("env", "code"),
    [({}, "no_key"), ({"ANTHROPIC_API_KEY": "sk-ant-01234567", "OPENAI_API_KEY": "sk-01234567"}, "two_keys")],
)
def test_without_exactly_one_judge_the_command_is_a_usage_error(skills: Path, env: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        ran(skills, env=env)
    assert (caught.value.code, caught.value.exit_code) == (code, 2)
    assert caught.value.do


def test_check_imports_no_sdk_and_no_provider(skills: Path) -> None:
    program = (
        "import sys\nfrom aces_ci.cli.main import main\n"
        "try:\n    main(['check', sys.argv[1]])\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.split('.')[0] in {'anthropic', 'openai', 'httpx2', 'jsonschema'}"
        " or name.startswith('aces_ci.providers')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(skills / "skills")],
        capture_output=True, text=True, timeout=120, cwd=ROOT, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
