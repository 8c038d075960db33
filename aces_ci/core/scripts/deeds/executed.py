"""Which files a command runs as a program: itself, what its interpreter is given, what is piped into one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import re2

from aces_ci.core.scripts.programs.python_calls import dotted, shell_calls, tree
from aces_ci.core.scripts.shell.command import Command, Within, Word
from aces_ci.core.scripts.shell.commands import parse
from aces_ci.core.scripts.shell.wrappers import INTERPRETERS, SHELLS

_SOURCE = frozenset({"source", "."})
_MORE = frozenset(
    {"Rscript", "julia", "tsx", "ts-node", "npx", "go", "dotnet", "java", "py", "pypy", "pypy3", "ipython"}
    | {"coverage", "kernprof", "torchrun", "streamlit", "tclsh", "gawk", "awk", "node20", "nodejs"}
)
_VERSIONED = re2.compile(r"(?:python|pypy|ruby|node|perl)[\d.]+")
"""`python3.12` and its like."""
_ASKING = frozenset({"--help", "-h", "--version", "-V", "help"})
_VALUED: Mapping[str, frozenset[str]] = {
    "python": frozenset({"-W", "-X", "-Q", "--check-hash-based-pycs"}),
    "node": frozenset({"-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-C"}),
    "ruby": frozenset({"-r", "-I", "-E", "-K", "-C"}),
    "perl": frozenset({"-I", "-M", "-m"}),
    "shell": frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}),
    "uv": frozenset({"--with", "--python", "-p", "--extra", "--group", "--env-file", "--project", "--directory"}),
    "other": frozenset({"-r", "--require", "--import", "--loader", "-c", "-A", "--tsconfig"}),
}
"""Options that take the next word: it is no script."""
_CLUSTER = re2.compile(r"-[A-Za-z]*c")
_CODED: Mapping[str, frozenset[str]] = {
    "python": frozenset({"-c"}),
    "node": frozenset({"-e", "--eval", "-p", "--print"}),
    "ruby": frozenset({"-e"}),
    "perl": frozenset({"-e", "-E"}),
    "shell": frozenset({"-c"}),
    "uv": frozenset(),
    "other": frozenset({"-e"}),
}
"""Options whose next word is code."""
_NAMING = frozenset({"-f", "-File", "--file", "-jar", "-file"})
_VERBS = frozenset({"run", "exec", "script", "-jar"})
_STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0"})
_RUNNERS = frozenset(
    {"runpy", "pdb", "ipdb", "cProfile", "profile", "trace", "coverage", "debugpy", "pyinstrument", "scalene"}
    | {"viztracer", "memory_profiler", "kernprof", "line_profiler", "IPython", "torch.distributed.run"}
)
"""Modules that run the script or module that they are given."""
_HANDS = frozenset({"cat", "head", "tail", "sed", "tr", "envsubst"})
_LOADERS = frozenset({"spec_from_file_location", "load_source", "SourceFileLoader"})


def executed(command: Command, commands: Sequence[Command] = ()) -> Iterator[str]:
    """Paths that a command runs as a program. `commands` are all of its script, for what is piped into it.

    Asking a program for help runs nothing of what it is for.
    """
    if any(word.text in _ASKING for word in command.arguments):
        return
    first = command.words[0].shape if command.words else ""
    name = command.name or ""
    if name in _SOURCE and command.operands:
        yield command.operands[0].shape
    elif name in INTERPRETERS or name in _MORE or _VERSIONED.fullmatch(name):
        yield from _interpreted(command, _family(name), commands)
    elif name == "eval" or first.startswith(("$(", "`")):
        yield from _substituted(command, commands)
    elif first:
        yield first


def _family(name: str) -> str:
    if name in SHELLS:
        return "shell"
    for family in ("python", "pypy", "node", "ruby", "perl"):
        if name.startswith(family) or (family == "python" and name in {"py", "ipython"}):
            return "python" if family == "pypy" else family
    return "uv" if name == "uv" else "other"


def _interpreted(command: Command, family: str, commands: Sequence[Command]) -> Iterator[str]:
    words = command.arguments
    at = 0
    while at < len(words):
        shape = words[at].shape
        rest = words[at + 1 :]
        if family == "python" and shape == "-m":
            yield from _module(rest)
            return
        if shape in _CODED[family] or (family in {"python", "shell"} and _CLUSTER.fullmatch(shape)):
            yield from _code(rest[0].shape if rest else "", family)
            yield from _substituted(command, commands)
            return
        if shape in _NAMING or shape in _VERBS:
            at += 1
        elif shape in _VALUED[family]:
            at += 2
        elif shape in _STDIN or (family == "shell" and shape == "-s"):
            break
        elif shape[:1] in {"-", "+"}:
            at += 1
        elif shape.startswith(("<(", "$(<")):
            yield from _substituted(command, commands)
            return
        else:
            yield shape
            return
    yield from _standard_input(command, commands, family)


def _standard_input(command: Command, commands: Sequence[Command], family: str) -> Iterator[str]:
    """`< x.py`, a here-document, or what the stage before prints."""
    for redirect in command.redirects:
        if redirect.operator == "<" and redirect.target:
            yield redirect.target.shape
        elif redirect.body:
            yield from _code(redirect.body, family)
    before = [each for each in commands if each.pipeline == command.pipeline and each.position == command.position - 1]
    for each in before:
        if each.name in _HANDS and command.position:
            yield from (word.shape for word in each.operands)
            yield from (item.target.shape for item in each.redirects if item.operator == "<" and item.target)


def _substituted(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """`bash <(cat x)`, `python3 -c "$(cat x)"`, `eval "$(< x)"`: what is read inside the words."""
    for each in commands:
        if each.parent == command.index and each.within & {Within.SUBSTITUTION, Within.PROCESS}:
            if each.name in _HANDS:
                yield from (word.shape for word in each.operands)
            yield from (item.target.shape for item in each.redirects if item.operator == "<" and item.target)


def _module(words: Sequence[Word]) -> Iterator[str]:
    """`python -m package.module`; of a module that runs another, that one."""
    if not words:
        return
    module = words[0].shape
    if module not in _RUNNERS:
        yield from _files_of(module)
        return
    for word in words[1:]:
        if word.shape.endswith(".py"):
            yield word.shape
            return
    bare = [word.shape for word in words[1:] if word.shape[:1] != "-" and word.shape not in _VERBS]
    if bare:
        yield from _files_of(bare[0])


def _files_of(module: str) -> Iterator[str]:
    path = module.replace(".", "/")
    yield f"{path}.py"
    yield f"{path}/__main__.py"


def _code(text: str, family: str) -> Iterator[str]:
    """Files that a piece of code runs: by `runpy`, by `exec`, by an import that is used, by a shell."""
    if family == "shell":
        return  # the reader has its commands
    module = tree(text) if family == "python" else None
    if module is None:
        return
    imported: dict[str, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            imported |= {(each.asname or each.name).split(".")[0]: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _called(node, imported)
    for given, _, _ in shell_calls(text):
        if isinstance(given, str):
            inner = parse(given)
            yield from (path for each in inner for path in executed(each, inner))
        else:
            yield from _argv(given)


def _called(call: ast.Call, imported: Mapping[str, str]) -> Iterator[str]:
    name = dotted(call.func)
    last = name.rsplit(".", 1)[-1]
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    if last in {"run_path", "execfile"} and texts:
        yield texts[0]
    elif last in {"run_module", "import_module", "__import__"} and texts:
        yield from _files_of(texts[0])
    elif last in _LOADERS and len(texts) > 1:
        yield texts[1]
    elif last == "exec":
        yield from _opened(call)
    root = name.split(".", 1)[0]
    if root in imported:
        module = imported[root]
        yield from _files_of(module)
        yield from _files_of(module.rpartition(".")[0] or module)


def _opened(call: ast.Call) -> Iterator[str]:
    """The file in `exec(open('x').read())` or `exec(Path('x').read_text())`."""
    for node in ast.walk(call):
        if isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] in {"open", "Path"} and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value


def _argv(words: Sequence[str]) -> Iterator[str]:
    """An argument list as `subprocess.run` gets it; what only the run knows is its own interpreter."""
    known = ["python3" if word == "$_" else word for word in words[:1]] + list(words[1:])
    inner = tuple(Word(text=word, shape=word, line=1, column=1) for word in known)
    yield from executed(Command(index=0, words=inner))
