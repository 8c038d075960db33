"""The demonstration's history is what its README says."""

from __future__ import annotations

from pathlib import Path

from aces_ci.changes.compare import compare
from aces_ci.changes.git import Repository
from aces_ci.changes.load import load
from aces_ci.core.change import How
from aces_ci.shell.demo import demo_repository


def test_the_demo_shows_one_bad_new_skill_and_one_good_change_on_a_base_that_moved_on(root: Path) -> None:
    assert "| `demo.stream` |" in (root / "fixtures/repos/README.md").read_text("utf-8")
    with demo_repository() as folder, Repository.open(folder) as repository:
        base, head = repository.resolve("main"), repository.resolve("work")
        found = load(repository, compare(repository, base, head, "main"))
    assert found.merge_base != base, "the base moved on"
    assert [(change.how, change.path) for change in found.skills] == [
        (How.MODIFIED, "skills/log-triage"),
        (How.ADDED, "skills/parcel-quote"),
    ]
    assert found.unowned == ("README.md",)
    triage, quote = found.skills
    assert triage.files == ("skills/log-triage/SKILL.md",), "the reference that main changed is not ours"
    assert quote.after is not None
    lines = quote.after.text.splitlines()
    assert lines[1] == "name: parcel_quote"
    assert lines[2].startswith("description: ") and "Use when" not in lines[2]
    assert lines[40] == "See [rates](references/rates.md)."
    assert set(quote.after.files) == {"SKILL.md", "scripts/quote.py"}
    assert "quote.py" not in quote.after.text
    assert all(change.after is not None and not change.after.problems for change in found.skills)
