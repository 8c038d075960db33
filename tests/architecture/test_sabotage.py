"""Each import contract is broken once, in a copy of the tree, to see it caught."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SABOTAGE = {
    "a tier imports a harness": (
        "tiers/lint.py",
        "from aces_ci.harnesses.codex import HARNESS\n",
        "Only compose knows",
    ),
    "a rule imports a tier": (
        "rules/sp004_name_differs_from_directory.py",
        "from aces_ci.tiers import lint\n",
        "The tree reads",
    ),
    "a rule imports its neighbour": (
        "rules/sp004_name_differs_from_directory.py",
        "from aces_ci.rules.sp001_frontmatter_unreadable import RULE as OTHER\n",
        "another plug-in",
    ),
    "the core starts a process": ("core/event.py", "import subprocess\n", "do no I/O"),
    "a room for everything": ("utils/__init__.py", '"""Everything."""\n', "The tree reads"),
    "who reads words of a shell asks what is dangerous": (
        "core/scripts/shell/words.py",
        "from aces_ci.core.scripts import danger\n",
        "The reading of scripts",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("sabotage")
    shutil.copytree(ROOT / "aces_ci", target / "aces_ci", ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def contracts(folder: Path) -> str:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    return done.stdout + done.stderr


def test_every_contract_is_broken_once_below() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert [c["name"] for c in contracts if not any(part in c["name"] for _, _, part in SABOTAGE.values())] == []


def test_as_it_is_every_contract_holds(copy: Path) -> None:
    assert "0 broken" in contracts(copy)


@pytest.mark.parametrize("name", SABOTAGE)
def test_a_broken_arrow_is_caught(copy: Path, name: str) -> None:
    where, text, contract = SABOTAGE[name]
    path = copy / "aces_ci" / where
    before = path.read_text("utf-8") if path.exists() else None
    path.parent.mkdir(exist_ok=True)
    first = "from __future__ import annotations\n"
    path.write_text(before.replace(first, first + text) if before else text, "utf-8")
    try:
        said = contracts(copy)
    finally:
        if before is None:
            shutil.rmtree(path.parent)
        else:
            path.write_text(before, "utf-8")
    broken = [line for line in said.splitlines() if "BROKEN" in line]
    assert any(contract in line for line in broken), said[-2000:]
