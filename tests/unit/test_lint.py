"""Script lint: real ruff and shellcheck on bytes, blind to the skill's own configuration."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.script_fixes import RUFF as RUFF_FIXES
from aces_ci.core.reading.script_fixes import advised
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.ports.runner import Completed
from aces_ci.shell.process import run
from aces_ci.tiers.lint import MAX_SCRIPT, MAX_SCRIPTS, RUFF, Script, check, lint, scripts, told_apart

PYTHON = b"import subprocess\nprint(nothing)\nsubprocess.run('x ' + str(1), shell=True)\n"
RUFF_SELECT = RUFF[RUFF.index("--select") + 1]
SHELL = b"#!/usr/bin/env bash\nrm -rf $DIR/*\necho $a\necho $b\n"


def real(argv: Sequence[str], stdin: bytes) -> Completed:
    return run(argv, stdin=stdin)


def script(data: bytes, path: str = "skills/x/scripts/a.py", dialect: str = "python") -> Script:
    return Script(skill="skills/x", path=path, data=data, dialect=dialect)


def skill(**files: bytes) -> Skill:
    named = {name.replace("__", "/").replace("_dot_", "."): data for name, data in files.items()}
    return Skill(
        root="skills/x",
        manifest="SKILL.md",
        text="",
        frontmatter=None,
        body="",
        body_line=1,
        files={
            path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(data), data=data) for path, data in named.items()
        },
    )


def test_ruff_names_real_faults_at_their_lines() -> None:
    found = lint([script(PYTHON)], real)
    assert [(f.code, f.line, f.severity) for f in found] == [
        ("LI002", 2, Severity.WARNING),
        ("LI002", 3, Severity.WARNING),
    ]
    assert "F821" in found[0].message
    assert all(f.category is Category.LINT and f.path == "skills/x/scripts/a.py" for f in found)


@pytest.mark.parametrize("caught", ["except Exception", "except"])
@pytest.mark.parametrize(("way", "rule"), [("pass", "S110"), ("continue", "S112")])
def test_an_exception_that_is_passed_over_is_a_note(caught: str, way: str, rule: str) -> None:
    text = f"for name in ('a', 'b'):\n    try:\n        print(open(name).read())\n    {caught}:\n        {way}\n"
    (found,) = lint([script(text.encode())], real)
    assert (found.code, found.line, found.severity) == ("LI002", 4, Severity.INFO)
    assert found.message.startswith(f"ruff {rule}: ")
    assert lint([script(text.replace(caught, "except OSError").encode())], real) == ()


def test_shellcheck_folds_one_habit_into_one_finding() -> None:
    found = lint([script(SHELL, "skills/x/a.sh", "bash")], real)
    by_rule = {f.message.split(":")[0].removeprefix("shellcheck "): f for f in found}
    assert by_rule["SC2115"].severity is Severity.WARNING
    assert by_rule["SC2086"].severity is Severity.INFO
    assert "2 more places" in by_rule["SC2086"].message


@pytest.mark.parametrize(
    ("data", "path", "dialect"),
    [(b"def f(:\n", "a.py", "python"), (b"if then\n", "a.sh", "bash")],
)
def test_a_script_that_does_not_parse_is_said_so(data: bytes, path: str, dialect: str) -> None:
    assert "LI001" in {f.code for f in lint([script(data, path, dialect)], real)}


def test_the_newest_python_is_no_syntax_error() -> None:
    assert lint([script(b"type X = int\nprint(f'{'a'}')\nmatch 1:\n    case _:\n        pass\n")], real) == ()


def test_severity_is_never_more_than_a_warning() -> None:
    found = lint([script(b"exec(input())\neval(input())\n"), script(b"if then", "a.sh", "sh")], real)
    assert found
    assert {f.severity for f in found} <= {Severity.WARNING, Severity.INFO}


def test_scripts_are_chosen_by_name_or_first_line_and_by_what_changed() -> None:
    files = skill(
        a_dot_py=b"",
        tool=b"#!/usr/bin/env -S uv run python3\n",
        run=b"#!/bin/sh\n",
        z_dot_sh=b"#!/bin/zsh\n",
        plain_dot_sh=b"echo\n",
        readme_dot_md=b"x",
    )
    assert [(s.path, s.dialect) for s in scripts(files)] == [
        ("skills/x/a.py", "python"),
        ("skills/x/plain.sh", "bash"),
        ("skills/x/run", "sh"),
    ]
    assert [s.path for s in scripts(files, only={"run"})] == ["skills/x/run"]


def test_configuration_beside_the_script_decides_nothing(tmp_path: Path) -> None:
    """The positive control first: without our switches the same files do silence both linters."""
    settings = ['exclude = ["*"]', "[lint]", 'ignore = ["ALL"]', "[lint.per-file-ignores]", '"*" = ["ALL"]', ""]
    (tmp_path / "ruff.toml").write_text("\n".join(settings), encoding="utf-8")
    (tmp_path / ".shellcheckrc").write_text("disable=all\n", encoding="utf-8")
    env = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def here(argv: Sequence[str], stdin: bytes) -> Completed:
        return run(argv, stdin=stdin, cwd=tmp_path, env=env)

    def trusting(argv: Sequence[str], stdin: bytes) -> Completed:
        return here([word for word in argv if word not in {"--isolated", "--norc", "--select", RUFF_SELECT}], stdin)

    files = [script(PYTHON), script(SHELL, "a.sh", "bash")]
    assert {f.path for f in lint(files, trusting)} == set()
    assert {f.path for f in lint(files, here)} == {"skills/x/scripts/a.py", "a.sh"}


@pytest.mark.parametrize(
    ("data", "path", "dialect"),
    [
        (b"print(nothing)  # noqa\n", "a.py", "python"),
        (b"# ruff: noqa\n# flake8: noqa\nprint(nothing)\n", "a.py", "python"),
        (b"#!/bin/bash\n# shellcheck disable=all\nrm -rf $DIR/*\n", "a.sh", "bash"),
        (b"#!/bin/bash\n# shellcheck shell=bash disable=SC2086,SC2115\nrm -rf $DIR/*\n", "a.sh", "bash"),
    ],
)
def test_a_comment_for_a_linter_silences_none_of_ours(data: bytes, path: str, dialect: str) -> None:
    assert {f.code for f in lint([script(data, path, dialect)], real)} & {"LI002", "LI003"}


@pytest.mark.parametrize(
    ("data", "path", "dialect", "left"),
    [
        (b"print(nothing)  # aces-ignore LI002: given by the host\nprint(other)\n", "a.py", "python", ["F821"]),
        (b"print(nothing)  # aces-ignore LI002: given by the host\n", "a.py", "python", []),
        (b"print(nothing)  # aces-ignore LI002\n", "a.py", "python", ["F821"]),
        (b"#!/bin/bash\n# aces-ignore-file LI003: legacy\nrm -rf $DIR/*\n", "a.sh", "bash", []),
    ],
)
def test_an_ignore_with_a_reason_sets_a_finding_of_lint_aside(
    data: bytes, path: str, dialect: str, left: list[str]
) -> None:
    found = lint([script(data, path, dialect)], real)
    assert [f.message.split()[1].rstrip(":") for f in found] == left


def test_a_finding_keeps_its_identity_where_lines_move_and_is_told_new_or_old() -> None:
    before = lint([script(PYTHON)], real)
    moved = lint([script(b"\n# first\n\n" + PYTHON)], real)
    assert [f.fingerprint for f in moved] == [f.fingerprint for f in before]
    assert len({f.fingerprint for f in before}) == 2 and all(f.fingerprint for f in before)
    assert [f.line for f in moved] == [f.line + 3 for f in before]
    more = lint([script(PYTHON + b"eval(input())\n")], real)
    assert {f.message.split(":")[0]: f.new for f in told_apart(more, before)} == {
        "ruff F821": False,
        "ruff S602": False,
        "ruff S307": True,
    }


@pytest.mark.parametrize(
    ("answer", "because"),
    [
        (
            Completed(exit_code=None, stdout=b"", stderr=b"", missing=True),
            "scripts not linted: ruff is not installed (pip install 'aces-ci[lint]')",
        ),
        (Completed(exit_code=None, stdout=b"", stderr=b"", timed_out=True), "did not finish"),
        (Completed(exit_code=2, stdout=b"", stderr=b"boom"), "exit code 2"),
        (Completed(exit_code=1, stdout=b"[{}]", stderr=b""), "no readable answer"),
        (Completed(exit_code=1, stdout=b"\xff", stderr=b""), "no readable answer"),
    ],
)
def test_what_could_not_be_linted_is_said(answer: Completed, because: str) -> None:
    done = check([script(PYTHON)], lambda argv, stdin: answer)
    found, skipped = done.findings, done.skipped
    assert found == ()
    assert [because in s.because for s in skipped] == [True]
    assert skipped[0].skill == "skills/x"


def test_too_long_and_too_many_are_said() -> None:
    quiet = Completed(exit_code=0, stdout=b"[]", stderr=b"")
    long = check([script(b"#" * (MAX_SCRIPT + 1))], lambda argv, stdin: quiet).skipped
    many = check([script(b"")] * (MAX_SCRIPTS + 1), lambda argv, stdin: quiet).skipped
    assert "longer than" in long[0].because
    assert "more than" in many[0].because


def test_a_script_of_another_encoding_is_said_to_be_one() -> None:
    done = check([script(b'# -*- coding: latin-1 -*-\nprint("\xe9", y)\n')], real)
    assert done.findings == () and "is not UTF-8, and ruff reads nothing else" in done.skipped[0].because


def test_a_hostile_message_is_carried_as_text() -> None:
    entry = {
        "code": "F821", "message": "Undefined name `@all`", "location": {"row": 1, "column": 1},
        "end_location": {"row": 1, "column": 2}, "fix": None,
    }  # fmt: skip
    answer = Completed(exit_code=1, stdout=json.dumps([entry]).encode(), stderr=b"")
    (finding,) = lint([script(b"x")], lambda argv, stdin: answer)
    assert "`@all`" in finding.message


def test_every_fault_that_ruff_can_be_asked_for_here_has_a_fix_of_its_own() -> None:
    done = run(("ruff", "rule", "--all", "--output-format", "json"), stdin=b"")
    wanted = (*RUFF_SELECT.split(","), *RUFF[RUFF.index("--extend-select") + 1].split(","))
    dropped = RUFF[RUFF.index("--ignore") + 1].split(",")
    asked = {
        row["code"]
        for row in json.loads(done.stdout)
        if (code := row.get("code"))
        and code not in dropped
        and any(code.startswith(each) and (each[-1].isdigit() or code[len(each)].isdigit()) for each in wanted)
        and "Preview" not in str(row.get("status"))
    }
    assert len(asked) > 90 and asked - set(RUFF_FIXES) == set()


def test_a_fix_of_script_lint_says_what_to_write_and_not_where_to_read() -> None:
    found = lint([script(b"#!/bin/bash\ncd $1\nlocal x=$(date)\nread y\n", "a.sh", "bash"), script(PYTHON)], real)
    fixes = {f.message.split(":")[0]: f.hint for f in found}
    assert fixes["shellcheck SC2164"] == "write: cd $1 || exit"
    assert fixes["shellcheck SC2086"] == 'write: cd "$1"'
    assert fixes["shellcheck SC2162"] == "write `read -r`"
    assert fixes["ruff F821"] == "define or import `nothing` before this line, or correct its spelling"
    assert not [hint for hint in fixes.values() if hint.startswith("see ")]
    assert all(f.title.startswith(f.message.split(":")[0]) and len(f.title) <= 60 for f in found)
    assert advised("shellcheck", "SC9999", "Odd thing.") == (
        "write the line as https://www.shellcheck.net/wiki/SC9999 shows"
    )


def test_what_a_script_sources_is_no_fault_and_what_a_shell_reads_does_parse() -> None:
    found = lint([script(b'#!/bin/bash\n. "$1/lib.sh"\n. ./other.sh\necho "$a[1]"\n', "a.sh", "bash")], real)
    assert [(f.code, f.message.split(":")[0]) for f in found if "SC1" in f.message] == [("LI003", "shellcheck SC1087")]


def test_an_option_of_typer_is_no_call_in_a_default() -> None:
    text = b"import time\nimport typer\ndef f(a=typer.Option(1), b=time.time()):\n    print(a, b)\n"
    (found,) = lint([script(text)], real)
    assert "B008" in found.message and "time.time" in found.message
