"""`evals create` and its kin from the command line to the files that they write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from os.path import lexists
from pathlib import Path

from aces_ci import __version__, compose
from aces_ci.authoring.create import BUCKETS, Draft, added_to, new_suite, taken, templates
from aces_ci.authoring.grounded import drafted
from aces_ci.authoring.masked import predict
from aces_ci.authoring.scaffold import GITHUB, GITLAB, SETTINGS, files, forge_of
from aces_ci.changes.worktree import Found, search
from aces_ci.core.amount import plural
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.inert import plain
from aces_ci.core.repo_path import join
from aces_ci.core.scan.redact import Redactor
from aces_ci.policy import from_worktree
from aces_ci.settings.inputs import inputs_of, secrets_of
from aces_ci.settings.load import load
from aces_ci.shell.files import Folder
from aces_ci.shell.git import find_git_dir
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.choose_judge import NoJudge
from aces_ci.tiers.suite import read_suite

Say = Callable[[str], None]
BACKUP_LIMIT = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the command line said."""

    path: Path
    full: bool = False
    add: int | None = None
    grounded: bool = False
    dry_run: bool = False
    force: bool = False
    repo: Path = Path()
    output: Path = Path("aces-results")
    config: Path | None = None
    overrides: tuple[str, ...] = ()


def create(order: Order, *, env: Mapping[str, str], out: Say, err: Say) -> int:
    """Draft, show or write. Exit code 0.

    Raises:
        UsageError: PATH is not one skill, a suite is there, or nobody can draft.
    """
    found = one_skill(order.repo, order.path)
    skill = found.skill()
    suite = read_suite(found.files, compose.dialects(), skill_name=skill.name or skill.label)
    if order.add is None:
        # Before a model is paid: the file may be there already.
        new_suite(skill, (), force=order.force)
    kept = () if order.add is None else suite.cases
    count = order.add or (2 * BUCKETS if order.full else BUCKETS)
    cases = templates(skill, count=count, taken=taken(kept))
    if order.grounded:
        with closing(asker_of(order, env)) as asker:
            cases, notes = drafted(skill, cases, asker.ask)
        for note in notes:
            err(plain(note, 300))
    draft = added_to(skill, cases) if order.add is not None else new_suite(skill, cases, force=order.force)
    if order.dry_run:
        out(draft.diff().rstrip("\n"))
        return 0
    write(draft, found, out)
    out(f"{plural(len(draft.added), 'case')} in {join(found.root, draft.path)}")
    out("edit them: put in real inputs and the exact results that you expect; then")
    out(f"next: aces-ci evals validate {found.root}")
    return 0


def write(draft: Draft, found: Found, out: Say) -> None:
    """The file, after a backup of the one that it replaces.

    Raises:
        UsageError: a link stands there, or another file than the one that was read.
    """
    folder = Folder.at(found.top / found.root, cwd=Path.cwd())
    # The bytes, not the text that was made of them: what is no text, or too long to be read as a suite, comes back too.
    old = folder.read(draft.path, limit=BACKUP_LIMIT)
    read = found.files.get(draft.path)
    if read is not None and read.data is not None and read.data != old:
        raise UsageError(f"{draft.path} changed while this ran", code="evals_changed", do="run it again")
    if old is not None:
        backup = next(
            name for number in range(1, 10_000) if not lexists(folder.path / (name := f"{draft.path}.{number}.bak"))
        )
        folder.write(backup, old)
        out(f"kept the old file as {join(found.root, backup)}")
    folder.write(draft.path, draft.text)


def one_skill(repo: Path, path: Path) -> Found:
    """The skill at PATH.

    Raises:
        UsageError: there is none, or more than one.
    """
    found = search(repo, (path,)).found
    if len(found) != 1:
        said = "no skill" if not found else f"{len(found)} skills"
        raise UsageError(f"{path} holds {said}", code="one_skill", do="name one folder that holds SKILL.md")
    return found[0]


def asker_of(order: Order, env: Mapping[str, str]) -> Asker:
    """Who drafts.

    Raises:
        UsageError: nobody can.
    """
    settings = load(
        policy=from_worktree(order.repo, order.config),
        policy_origin="(working tree)",
        env=env,
        inputs=inputs_of(env, settings_only=True),
        overrides=order.overrides,
    ).settings
    folder = Folder.at(order.output, cwd=Path.cwd(), redact=Redactor(secrets_of(env)).redact)
    asker = compose.bench(env, folder).asker(settings, Trust.OWN)
    if isinstance(asker, NoJudge):
        raise UsageError(f"nobody can answer: {asker.because}", code=asker.code, do=asker.do)
    return asker


def masked(order: Order, *, env: Mapping[str, str], as_json: bool, out: Say) -> int:
    """Predict for each item whether it would be met without the skill. Exit code 0.

    Raises:
        UsageError: PATH is not one skill, has no case, or nobody can answer.
    """
    found = one_skill(order.repo, order.path)
    skill = found.skill()
    suite = read_suite(found.files, compose.dialects(), skill_name=skill.name or skill.label)
    if not suite.cases:
        raise UsageError(f"{found.root} has no case", code="no_case", do=f"aces-ci evals create {found.root}")
    with closing(asker_of(order, env)) as asker:
        rows = predict(suite.cases, asker.ask)
    if as_json:
        items = [asdict(row) for row in rows]
        out(json.dumps({"schema_version": 1, "judge": asker.provider.model, "items": items}))
        return 0
    for row in rows:
        word = {"yes": "met anyway", "no": "needs the skill", "unsure": "unsure", None: "unanswered"}[row.verdict]
        out(f"{word:<16} {plain(row.case, 60)} {row.item}: {plain(row.text, 120)}")
        out(f"                 {plain(row.reason, 200)}")
    told = sum(row.verdict == "yes" for row in rows)
    out(f"{told} of {len(rows)} items would be met without the skill: a prediction of {asker.provider.model}")
    return 0


def init(repo: Path, *, forge: str, evals: bool, dry_run: bool, out: Say) -> int:
    """Scaffold a repository. Nothing that is there is touched. Exit code 0.

    Raises:
        UsageError: REPO is no checkout.
    """
    place = find_git_dir(repo.resolve())
    if place is None:
        raise UsageError(f"{repo} is no git repository", code="no_repository", do="git init, or name one with -C")
    top = place[1]
    present = frozenset(
        path for path in (SETTINGS, GITHUB, GITLAB, ".github/") if (top / path).exists() or (top / path).is_symlink()
    )
    chosen = forge_of(_remote(place[0]), present) if forge == "auto" else forge
    folder = Folder.at(top, cwd=Path.cwd())
    for path, text in files(forge=chosen, version=__version__).items():
        if path in present:
            out(f"kept     {path}")
            if path == GITLAB and "aces-ci" not in (top / path).read_text("utf-8", "replace"):
                out("         add to it: " + text.splitlines()[-1].strip())
            continue
        if not dry_run:
            folder.write(path, text)
        out(f"{'would write' if dry_run else 'wrote   '} {path}")
    if evals:
        _first_suite(top, dry_run, out)
    out("next: aces-ci check, then commit; aces-ci doctor says what judge and live need")
    return 0


def _first_suite(top: Path, dry_run: bool, out: Say) -> None:
    """For the first skill that has none."""
    for found in search(top, ()).found:
        skill = found.skill()
        if read_suite(found.files, compose.dialects(), skill_name=skill.name or skill.label).files:
            continue
        draft = new_suite(skill, templates(skill, count=BUCKETS), force=False)
        if not dry_run:
            write(draft, found, out)
        shown = join(found.root, draft.path)
        out(f"{'would write' if dry_run else 'wrote   '} {shown} ({plural(len(draft.added), 'case')}: edit them)")
        return


def _remote(git_dir: Path) -> str:
    """The URL lines of the repository's configuration."""
    try:
        text = (git_dir / "config").read_bytes()[:65536].decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(line for line in text.splitlines() if line.strip().startswith("url"))
