"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from aces_ci import plugins

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "aces_ci").rglob("*.py"))
LIMIT = 300
# Names that say nothing of what lives there.
NAMELESS = {"utils", "helpers", "common", "base", "manager", "service", "misc"}
PLEAS = re.compile(r"keep (this )?in sync|for now|legacy|backwards? compat|\bhack\b|\bTODO\b|\bFIXME\b|\bXXX\b", re.I)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_is_one_thing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LIMIT
    assert path.stem not in NAMELESS
    comments = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    assert [comment for comment in comments if PLEAS.search(comment)] == []
    tree = ast.parse(text)
    assert ast.get_docstring(tree), "a module says what it is for"
    if path.name == "__init__.py" and path.parent.name != "aces_ci":
        assert len(tree.body) == 1, "a package holds a docstring only"


def family(name: str, folder: Path) -> ModuleType:
    """A package of plug-ins as the import system knows one."""
    package = ModuleType(name)
    package.__path__ = paths = [str(folder)]
    package.__spec__ = ModuleSpec(name, None, is_package=True)
    package.__spec__.submodule_search_locations = paths
    return package


def test_two_plug_ins_with_one_name_are_an_error_at_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    package = family("aces_ci.doubles", tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("class P:\n    code = 'AB001'\nRULE = P\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "aces_ci.doubles", package)
    with pytest.raises(RuntimeError, match="two plug-ins of doubles are called AB001"):
        plugins.load("doubles", "RULE", "code")


def test_a_module_of_a_family_without_its_constant_is_an_error_at_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import sys

    package = family("aces_ci.empties", tmp_path)
    (tmp_path / "three.py").write_text("", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "aces_ci.empties", package)
    with pytest.raises(RuntimeError, match="has no RULE"):
        plugins.load("empties", "RULE", "code")


def test_no_word_of_the_code_leads_to_a_page_that_is_not_here() -> None:
    rules = set(re.findall(r"^\| (\d+) \|", (ROOT / "docs/trust.md").read_text("utf-8"), re.MULTILINE))
    missing = set()
    for path in (*MODULES, ROOT / "aces_ci/ARCHITECTURE.md"):
        text = path.read_text(encoding="utf-8")
        for page in re.findall(r"(?<!/)\b(?:docs|design)/[\w-]+\.md\b", text):
            missing |= {(path.name, page)} - ({(path.name, page)} if (ROOT / page).exists() else set())
        missing |= {(path.name, rule) for rule in re.findall(r"trust\.md`? rule (\d+)", text) if rule not in rules}
    assert missing == set()


def test_the_page_on_trust_names_places_that_exist() -> None:
    text = (ROOT / "docs/trust.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "aces_ci" / name).exists() and not (ROOT / name).exists()] == []
    links = re.findall(r"\]\(([\w-]+\.md)", text)
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_the_page_draws_the_arrows_that_are_checked() -> None:
    text = (ROOT / "aces_ci/ARCHITECTURE.md").read_text("utf-8")
    (drawn,) = re.findall(r"^```\n(cli -> .*?)```", text, re.MULTILINE | re.DOTALL)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = contracts[0]["layers"]
    assert [" ".join(layer.split()) for layer in drawn.split("->")] == layers
