"""The 17 real change cases, each repository rebuilt in the same shape with contents of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.core.change import ChangeSet, How
from tests.git_history import Content, History, Link, Script, Submodule

CASES = Path(__file__).resolve().parents[2] / "../shared/cases/change_cases.json"
ROWS: list[dict[str, Any]] = json.loads(CASES.read_text("utf-8"))["cases"]


def _content(seed: str) -> str:
    return "".join(f"{seed} line {number}\n" for number in range(12))


def _pairs_that_resemble(case: dict[str, Any]) -> dict[str, str]:
    """New path -> old path, where the real files were similar, which the object ids alone do not tell."""
    rows = [row.split("\t") for row in case["tree"]["raw"]]
    gone = [path for head, path in rows if head.endswith("D")]
    new = [path for head, path in rows if head.endswith("A")]
    moved = {pair["new"]: pair["old"] for pair in case["renamed"]}
    found = {}
    for path in new:
        folder, _, name = path.rpartition("/")
        old = f"{moved[folder]}/{name}" if folder in moved else None
        folded = next((lost for lost in gone if lost.endswith(f"/{name.removesuffix('.md')}/SKILL.md")), None)
        if (source := old or folded) in gone and source is not None:
            found[path] = source
    return found


def _rebuilt(case: dict[str, Any], path: Path) -> tuple[History, str, str]:
    tree = case["tree"]
    before: dict[str, Content] = {name: _content(name) for name in tree["skill_files_at_merge_base"]}
    before.update({name: Link(str(target)) for name, target in dict(tree["symlinks_at_head"]).items()})
    before.update({name: Submodule() for name in tree["gitlinks_at_head"]})
    after: dict[str, Content | None] = {}
    similar = _pairs_that_resemble(case)
    for row in tree["raw"]:
        head, name = row.split("\t")
        old_mode, new_mode, old, new, status = head[1:].split(" ")
        if status == "A":
            before.pop(name, None)
        else:
            before[name] = _made(old_mode, old)
        after[name] = None if status == "D" else _made(new_mode, new)
        if name in similar and status == "A":
            source = next(r for r in tree["raw"] if r.endswith(f"\t{similar[name]}")).split(" ")[2]
            extra = "" if source == new else f"{new}\n"
            after[name] = _content(source) + extra
    history = History(path)
    start = history.commit("main", before)
    # Deletions first: a submodule may become a folder of the same name.
    steps: list[dict[str | bytes, Content | None]] = [
        {name: None for name, content in after.items() if content is None},
        {name: content for name, content in after.items() if content is not None},
    ]
    head = history.commits("change", steps, parent=start)[-1]
    base = start
    if case["commits_behind"]:
        steps = [{"elsewhere.txt": f"{n}\n"} for n in range(case["commits_behind"])]
        steps[0] = {"skills/of-somebody-else/SKILL.md": _content("else"), tree["skill_files_at_merge_base"][0]: "x"}
        base = history.commits("main", steps)[-1]
    return history, base, head


def _made(mode: str, oid: str) -> Content:
    if mode == "120000":
        return Link(oid)
    if mode == "160000":
        return Submodule(oid)
    return Script(_content(oid)) if mode == "100755" else _content(oid)


def _of(found: ChangeSet, how: How) -> set[str]:
    return {change.path for change in found.skills if change.how is how}


@pytest.mark.parametrize("case", ROWS, ids=[row["id"] for row in ROWS])
def test_the_changed_skills_of_a_real_change(case: dict[str, Any], tmp_path: Path) -> None:
    history, base, head = _rebuilt(case, tmp_path / "repo.git")
    with Repository.open(history.path) as repository:
        found = compare(repository, base, head)
    moves = {(pair["old"], pair["new"]) for pair in case["renamed"]}
    expected = case["expected"]
    either = set(case.get("ambiguous", ()))
    assert {(c.previous_path, c.path) for c in found.skills if c.how is How.RENAMED} == moves
    assert _of(found, How.ADDED) == set(expected["added"]) - {new for _, new in moves}
    assert _of(found, How.DELETED) == set(expected["deleted"]) - {old for old, _ in moves}
    assert _of(found, How.MODIFIED) - either == set(expected["modified"])
    paths = [change.path for change in found.skills]
    assert len(paths) == len(set(paths)), "one entry a skill"
    if not either:
        assert len(found.unowned) == case["paths_owned_by_no_skill"]
        assert set(case["unowned_sample"]) <= set(found.unowned)


def test_the_cases_are_all_there() -> None:
    assert [row["id"] for row in ROWS] == [f"CC{number:02}" for number in range(1, 18)]
