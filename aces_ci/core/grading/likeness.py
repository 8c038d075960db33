"""What a call is a try at, so that a later try at the same can be told from another deed of the same program.

A deed is a program with what it is asked to do: a subcommand (`git push`), a script (`fill.py`), or what it works on
(`pdftotext form.pdf`). One deed has several spellings: `pytest` is `python3 -m pytest`, `npm test` is `npx jest`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import re2

from aces_ci.core.scripts.deeds.executed import executed
from aces_ci.core.scripts.shell.command import Command, Word
from aces_ci.core.trace import complaints, fates
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.named_paths import paths_in
from aces_ci.core.trace.outcome import acting
from aces_ci.core.trace.printed import body
from aces_ci.core.trace.tools import Deed

Trait = tuple[str, ...]
"""Kind, then what it names; equal traits are one deed."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BY_VERB = _words(
    "git gh glab hub docker podman kubectl helm terraform aws gcloud az npm pnpm yarn bun pip uv poetry pipenv conda"
    " mamba cargo go rustup dotnet mvn gradle gradlew make just task rake bundle gem composer apt apk dnf yum brew nox"
    " systemctl service hatch pdm rye tox invoke alembic flask django-admin ansible vault heroku fly vercel netlify"
    " firebase wrangler supabase deno openssl kustomize skaffold buf sqlx prisma dvc bazel cmake ninja"
)
"""Programs of which the first operand says what is done."""
_GROUPED = _words("gh glab aws gcloud az doctl heroku")
"""Programs of which the first operand only says about what: the second says what is done."""
_GROUPS = frozenset(
    {("docker", "compose"), ("docker", "image"), ("docker", "container"), ("docker", "buildx"), ("git", "remote")}
    | {("git", "stash"), ("git", "submodule"), ("git", "worktree"), ("git", "lfs"), ("kubectl", "config")}
    | {("uv", "tool"), ("cargo", "xtask"), ("poetry", "self")}
)
_SAME = {"pip3": "pip", "nodejs": "node", "py": "python", "gmake": "make", "apt-get": "apt", "fgrep": "grep"}
_RUNS = frozenset({"run", "exec", "run-script", "x", "dlx"})
_TASKS: Mapping[str, str] = {
    **dict.fromkeys(_words("jest vitest mocha ava tap jasmine playwright cypress karma qunit uvu t tst"), "test"),
    **dict.fromkeys(_words("eslint standard xo biome"), "lint"),
    **dict.fromkeys(_words("tsc vite webpack rollup esbuild next parcel tsup swc"), "build"),
    **dict.fromkeys(_words("prettier fmt"), "format"),
    **dict.fromkeys(_words("i add ci"), "install"),
}
"""What a project's task and the program that it usually starts have in common."""
_TESTERS = _words("pytest py.test unittest tox nox rspec phpunit ctest mypy ruff black flake8 pylint")
"""Programs of which every use in a project is the same deed, on more of it or less."""
_NODE_RUNNERS = frozenset({"npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"})
_FRONT = _words("cd echo printf set export true : exit sleep source . test [ [[")
"""What goes before a deed and is none of its own."""
_FILTERS = _words("head tail grep tee sort uniq wc cat less sed awk cut tr jq")
_VALUED = _words("-C -c -f --file -n --namespace --prefix --project --context -H --host --manifest-path -F --filter")
"""Options before a subcommand that take the next word."""
_URL = re2.compile(r"^[a-z][a-z0-9+.-]*://([^/:?#]+)")
_ANY, _BARE = "*", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """What a failed call tried (`wanted`), what one that worked did (`offered`): alike where they share a trait."""

    wanted: frozenset[Trait]
    offered: frozenset[Trait]


def likeness(action: Action) -> Likeness:
    """Of one call. Shell calls are known by the commands that failed, or may have worked."""
    if action.deed is Deed.SHELL:
        return _shell(action)
    if action.deed is Deed.SKILL and action.skill:
        traits = frozenset({("file", "SKILL.md")})
    elif paths := paths_in(action.arguments):
        traits = frozenset(("file", posixpath.basename(path)) for path in paths)
    else:
        traits = frozenset({("tool", action.tool)})
    return Likeness(wanted=traits, offered=traits)


def _shell(action: Action) -> Likeness:
    commands = acting(action.commands)
    known = fates.of(action)
    good = [each for each in commands if known[each.index].ran is not False and known[each.index].ended is not False]
    blamed = _blamed(action, commands, [known[each.index].ended for each in commands])
    return Likeness(
        wanted=frozenset(trait for each in blamed for trait in _wanted(each, action.commands)),
        offered=frozenset(trait for each in good for trait in _offered(each, action.commands)),
    )


def _blamed(action: Action, commands: Sequence[Command], ended: Sequence[bool | None]) -> list[Command]:
    """The commands that failed: those known to, those that complain, else what the line was for: its last pipeline."""
    text = body(action.output)
    failed = [each for each, end in zip(commands, ended, strict=True) if end is False and each.name not in _FRONT]
    complaining = [each for each in commands if complaints.by(text, each)]
    own = [each for each in commands if each.name not in _FRONT] or list(commands)
    last = [each for each in own if own and each.pipeline == own[-1].pipeline]
    working = [each for each in last if each.name not in _FILTERS] or last
    return complaining or failed or working


def _wanted(command: Command, commands: Sequence[Command]) -> Iterator[Trait]:
    deed, targets, exact = _deed(command, commands)
    if exact:
        yield deed
    elif targets:
        yield from ((*deed, target) for target in targets)
        yield (*deed, _BARE)
    else:
        yield (*deed, _ANY)
    yield from _read(command, targets)


def _offered(command: Command, commands: Sequence[Command]) -> Iterator[Trait]:
    deed, targets, exact = _deed(command, commands)
    if exact:
        yield deed
    else:
        yield from ((*deed, target) for target in targets or (_BARE,))
        yield (*deed, _ANY)
    yield from _read(command, targets)


def _read(command: Command, targets: Sequence[str]) -> Iterator[Trait]:
    """A file that is looked at by a shell is the file that a tool reads."""
    if command.name in _FILTERS:
        yield from (("file", target) for target in targets)


def _deed(command: Command, commands: Sequence[Command]) -> tuple[Trait, Sequence[str], bool]:
    """(what is done, what it is done to, whether the first says it all)."""
    name = _plain(command.name or "?")
    words = command.operands
    module = _module(command)
    if module is not None:
        name, words = _plain(module[0]), module[1]
    if name in _NODE_RUNNERS:
        return ("deed", "node", _task(words)), (), True
    by_verb = name in _BY_VERB
    if module is None and not (by_verb and words[:1] and words[0].shape != "run"):
        scripts = [
            base for path in executed(command, commands) if "." in (base := posixpath.basename(path)) or "/" in path
        ]
        if scripts:
            return ("script", scripts[0]), (), True
    if name in _TESTERS:
        return ("deed", name), (), True
    if by_verb:
        return _verb(name, command.arguments if module is None else words), (), True
    targets = [_target(word.shape) for word in words]
    return ("deed", name), targets, False


def _plain(name: str) -> str:
    known = _SAME.get(name, name)
    return known.rstrip("0123456789.") if known.startswith(("python", "pypy", "pip")) else known


def _module(command: Command) -> tuple[str, tuple[Word, ...]] | None:
    """`python3 -m pytest x` is `pytest x`."""
    name = command.name or ""
    if not name.startswith(("python", "pypy", "py")) or name.startswith("pytest"):
        return None
    for at, word in enumerate(command.arguments):
        if word.shape == "-m" and at + 1 < len(command.arguments):
            rest = command.arguments[at + 2 :]
            return command.arguments[at + 1].shape, tuple(each for each in rest if each.shape[:1] != "-")
        if word.shape[:1] != "-":
            break
    return None


def _verb(program: str, words: Sequence[Word]) -> Trait:
    """(program, subcommand), of a group of them the member as well; `uv pip` is `pip`."""
    said: list[str] = []
    skipped = False
    for word in words:
        if skipped or word.shape[:1] == "-" or "=" in word.shape:
            skipped = not skipped and word.shape in _VALUED
        else:
            said.append(word.shape)
    if program == "uv" and said[:1] == ["pip"]:
        program, said = "pip", said[1:]
    grouped = program in _GROUPED or (program, said[0] if said else "") in _GROUPS
    return ("deed", program, *(said[: 2 if grouped else 1] or [_BARE]))


def _task(words: Sequence[Word]) -> str:
    names = [word.shape for word in words if word.shape not in _RUNS]
    name = names[0].partition("@")[0].partition(":")[0] if names else ""
    return _TASKS.get(name, name)


def _target(shape: str) -> str:
    """A file's own name, wherever it is looked for; of an address its host."""
    found = _URL.match(shape)
    return found.group(1) if found else posixpath.basename(shape.rstrip("/")) or shape
