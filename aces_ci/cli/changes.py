"""`aces-ci changes`: which skills differ between the merge base and the head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aces_ci.cli.options import format_option, repo_option

if TYPE_CHECKING:
    from aces_ci.core.change import ChangeSet


@click.command("changes")
@click.option("--base", required=True, metavar="REF", help="What the change is measured against, e.g. origin/main.")
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="The change.")
@format_option("text", "json")
@repo_option
def COMMAND(base: str, head: str, format_: str, repo: Path) -> None:
    """Show which skills change between where HEAD left BASE and HEAD.

    Commits made on BASE since then do not count. Nothing is checked out and no file of the repository runs.
    """
    from aces_ci.changes.compare import compare
    from aces_ci.changes.git import Repository
    from aces_ci.changes.load import named
    from aces_ci.shell.log import inert

    with Repository.open(repo, command="changes") as repository:
        found = compare(repository, repository.resolve(base), repository.resolve(head), base)
        found = named(repository, found)
    if format_ == "json":
        # A runner takes orders that begin with `##[` anywhere in a line; JSON can say `#` another way.
        click.echo(json.dumps(document(found)).replace("##[", "#\\u0023["))
    else:
        click.echo("\n".join(inert(row) for row in lines(found, base)))
    for note in found.notes:
        click.echo(f"note: {note}", err=True)


def document(found: ChangeSet) -> dict[str, object]:
    """The JSON document of `changes --format json`."""
    return {
        "schema_version": 1,
        "merge_base": found.merge_base,
        "head": found.head,
        "skills": [
            {
                "path": change.path,
                "name": change.name,
                "change": change.how.value,
                "previous_path": change.previous_path,
                "parts": [part.value for part in change.parts],
                "files": list(change.files),
                "because": {"kind": change.because.kind.value, "path": change.because.path},
            }
            for change in found.skills
        ],
        "unowned": list(found.unowned),
    }


def lines(found: ChangeSet, base: str) -> list[str]:
    """The text for a terminal: one line a skill."""
    rows = [f"base {found.merge_base[:7]} (merge base with {base}) · head {found.head[:7]}"]
    for change in found.skills:
        was = f" (was {change.previous_path})" if change.previous_path else ""
        parts = ", ".join(part.value for part in change.parts)
        count = f"{len(change.files)} file{'' if len(change.files) == 1 else 's'}"
        shared = change.because.kind.value != "own_file"
        because = f" · {change.because.kind.value.replace('_', ' ')} {change.because.path}" if shared else ""
        rows.append(f"{change.how.value:<9} {change.path}{was} · {parts} · {count}{because}")
    if not found.skills:
        rows.append("no skill changed")
    if found.unowned:
        one = len(found.unowned) == 1
        rows.append(f"{len(found.unowned)} changed file{'' if one else 's'} belong{'s' if one else ''} to no skill")
    return rows
