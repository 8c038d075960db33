"""The baseline file on disk: read, first written, and shrunk; never grown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from aces_ci import __version__
from aces_ci.changes.owner import manifest_in
from aces_ci.changes.worktree import DiskTree
from aces_ci.cli._check.examine import Examined
from aces_ci.core.amount import plural
from aces_ci.core.errors import UsageError
from aces_ci.core.reading.checkup import Checkup
from aces_ci.core.reading.known_findings import FILE, LIMIT, Known, dump, load, recorded
from aces_ci.core.rule import Profile
from aces_ci.shell.files import Folder, read_bounded
from aces_ci.shell.git import top_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What the file holds, and what is to become of it."""

    path: Path | None
    known: Known
    write: bool
    update: bool
    root: Path

    @classmethod
    def at(cls, given: Path | None, repo: Path, *, setting: str | None = None, write: bool, update: bool) -> Baseline:
        """The file `given` below `repo`, that of the settings, or `.aces-baseline.json` where it exists or is needed.

        The last two lie where `run` reads them, at the top of the checkout, from whatever folder the command is given.

        Raises:
            UsageError: a named file is missing or broken, or `--write-baseline` would replace one.
        """
        named, repo = (given, repo) if given is not None else (setting, top_of(repo))
        path = repo / (named or FILE)
        if write:
            if path.exists():
                raise UsageError(
                    f"{path} exists, and a baseline may only shrink",
                    code="baseline_exists",
                    path=str(path),
                    do="use --update-baseline to take out what is fixed; to start over, delete the file",
                )
            return cls(path=path, known=Known(), write=True, update=False, root=repo)
        if not path.exists():
            if named is not None or update:
                do = "write it first: aces-ci check --write-baseline"
                raise UsageError(f"there is no baseline file {path}", code="no_baseline", path=str(path), do=do)
            return cls(path=None, known=Known(), write=False, update=False, root=repo)
        text = read_bounded(path, limit=LIMIT).decode("utf-8", "replace")
        return cls(path=path, known=load(text, str(named or FILE)), write=False, update=update, root=repo)

    def settle(self, examined: Sequence[Examined], profile: Profile, *, seconds: float, ignoring: bool) -> Checkup:
        """Write what was asked for, and sum up.

        A score without some rules (`ignoring`) is none that a skill could be held to afterwards, so it raises none.
        """
        findings = [finding for entry in examined for finding in entry.everything]
        scores = {entry.skill.root: entry.checked.structure.score for entry in examined}
        gone = self._gone({entry.found.top for entry in examined} or {self.root})
        unasked = {**dict.fromkeys(gone, frozenset[str]()), **{entry.skill.root: entry.unasked for entry in examined}}
        fixed = self.known.gone(findings, unasked)
        if self.path is not None and self.write:
            self._save(recorded(findings, scores))
            click.echo(f"written: {self.path} with {plural(len(findings), 'finding')}", err=True)
        elif self.path is not None and self.update:
            held = {} if ignoring else scores
            self._save(self.known.shrunk(findings, {**held, **dict.fromkeys(gone)}, unasked))
            click.echo(f"written: {self.path} without {plural(fixed, 'fixed finding')}", err=True)
        elif fixed:
            are = "is" if fixed == 1 else "are"
            what = f"{plural(fixed, 'finding')} of the baseline {are} fixed"
            click.echo(f"note: {what}; to take out what is fixed: --update-baseline", err=True)
        return Checkup(
            version=__version__,
            profile=profile,
            skills=tuple(entry.checked for entry in examined),
            seconds=seconds,
            known=sum(entry.known for entry in examined),
            fixed=fixed,
        )

    def _gone(self, tops: Collection[Path]) -> list[str]:
        """Skills of the file that are none any more: whoever brings one back brings its findings as well.

        Where the named folders lie in several checkouts nobody can tell whose the paths are.
        """
        if len(tops) != 1:
            return []
        tree = DiskTree(next(iter(tops)))
        return [skill for skill in {*self.known.findings, *self.known.scores} if manifest_in(tree, skill) is None]

    def _save(self, known: Known) -> None:
        assert self.path is not None
        Folder.at(self.path.resolve().parent, cwd=self.root.resolve()).write(self.path.name, dump(known))
