"""Whether what a command reads comes out of the script: printed by the program, and neither thrown away nor counted."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping, Sequence

import re2

from aces_ci.core.scripts.programs.python_calls import dotted, tree
from aces_ci.core.scripts.shell.command import Command, Redirect, Within

_SCREENS = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "/proc/self/fd/1"})
_PRINTERS = frozenset(
    {"cat", "tac", "nl", "less", "more", "most", "bat", "batcat", "view", "fold", "fmt", "cut", "sort", "uniq", "paste"}
    | {"expand", "unexpand", "column", "pr", "tr", "iconv", "strings", "glow", "mdcat", "rich", "dd", "tee"}
)
"""Programs that print what they read, or most of it, whatever their options."""
_CODED = frozenset({"od", "xxd", "hexdump", "base64", "base32", "gzip", "rev"})
"""Programs that print it in a form that a model may or may not read."""
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"})
_EMPTY = re2.compile(r"-[nc]?0+|--(?:lines|bytes)=0+")
_AWK_APART = re2.compile(r"(?s)\b(?:END|BEGIN)\s*\{[^}]*\}")
_READS = frozenset({"read", "read_text", "read_bytes", "readlines", "readline"})
_SAME = frozenset({"strip", "splitlines", "decode", "rstrip", "lstrip", "expandtabs", "format", "join"})
"""Methods after which a text is still that text."""
_NODE_PRINTS = re2.compile(r"console\.\w+\(\s*(?:require\(\s*['\"](?:node:)?fs['\"]\s*\)|fs)\.readFileSync\(")


def printed(command: Command) -> bool | None:
    """Whether the program prints the content of the file that it reads; None where only a run could tell."""
    name = command.name or ""
    if name in _PRINTERS:
        return True
    told = _TELL.get(name)
    if told is not None:
        return told(command)
    if name in _SEARCHERS:
        long = ("--quiet", "--silent", "--files-with-matches", "--files-without-match", "--count", "--files")
        return not command.has("-q", "-l", "-L", "-c", *long)
    if name.startswith(("python", "pypy")):
        return _python(command)
    if name in {"node", "bun", "deno"} and any(_NODE_PRINTS.search(word.shape) for word in command.arguments):
        return True
    return None


def _part(command: Command) -> bool:
    """`head` and `tail`: nothing of it, where no line and no byte is asked for."""
    words = [word.shape for word in command.arguments]
    joined = [f"{word}{following}" for word, following in itertools.pairwise(words) if word in {"-n", "-c"}]
    return not any(_EMPTY.fullmatch(each) for each in (*joined, *words))


def _sed(command: Command) -> bool:
    words = [word.shape for word in command.arguments]
    if command.has("--in-place") or any(word.startswith("-i") for word in words):
        return False
    if not command.has("-n", "--quiet", "--silent"):
        return True
    given = [after for word, after in itertools.pairwise(words) if word in {"-e", "-ne", "--expression"}]
    given += [word.partition("=")[2] for word in words if word.startswith("--expression=")]
    return any("p" in script for script in given or [word.shape for word in command.operands[:1]])


def _awk(command: Command) -> bool:
    program = next((word.shape for word in command.operands), "")
    main = _AWK_APART.sub("", program).strip()
    return bool(main) and ("{" not in main or "print" in main)


def _pandoc(command: Command) -> bool:
    return not command.has("-o", "--output")


_TELL: Mapping[str, Callable[[Command], bool]] = {
    "head": _part, "tail": _part, "sed": _sed, "gsed": _sed, "awk": _awk, "gawk": _awk, "mawk": _awk, "pandoc": _pandoc,
}  # fmt: skip


def _python(command: Command) -> bool | None:
    """Code that prints what it has read; False for code that prints nothing at all."""
    words = [word.shape for word in command.arguments]
    texts = [after for word, after in itertools.pairwise(words) if word == "-c"]
    texts += [each.body for each in command.redirects if each.body]
    for text in texts:
        module = tree(text)
        if module is None:
            continue
        prints = [
            node for node in ast.walk(module)
            if isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] in {"print", "write", "pprint"}
        ]  # fmt: skip
        if any(_whole(each) for node in prints for each in node.args):
            return True
        return None if prints else False
    return None


def _whole(node: ast.expr) -> bool:
    """An expression that is the content of a file, or a piece of it."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _READS:
                return True
            if node.func.attr not in _SAME:
                return False
            node = node.func.value
        else:
            return False


def reaches(command: Command, commands: Sequence[Command]) -> bool | None:
    """Whether the standard output of a command comes out of the script; None where only a run could tell."""
    gone = _redirected(command.redirects)
    if gone is not None:
        return gone
    following = [each for each in commands if each.pipeline == command.pipeline and each.position > command.position]
    if following:
        place = min(each.position for each in following)
        ways = [_through(each, commands) for each in following if each.position == place]
        return True if True in ways else None if None in ways else False
    if command.parent is None:
        return True
    outer = commands[command.parent]
    if Within.SUBSTITUTION in command.within and Within.SUBSTITUTION not in outer.within:
        return _substituted(outer, commands)
    if Within.PROCESS in command.within and Within.PROCESS not in outer.within:
        return None
    return reaches(outer, commands)


def silenced(command: Command, commands: Sequence[Command]) -> bool:
    """Whether what it says on standard error is thrown away, or goes to a file."""
    for each in command.redirects:
        target = each.target.shape if each.target else ""
        if target not in _SCREENS and ((each.writes and each.descriptor == 2) or each.operator in {"&>", "&>>"}):
            return True
    return command.parent is not None and silenced(commands[command.parent], commands)


def _redirected(redirects: Sequence[Redirect]) -> bool | None:
    """False where standard output goes to a file, None where nothing redirects it."""
    for each in reversed(redirects):
        target = each.target.shape if each.target else ""
        if each.operator in {"&>", "&>>"} or (each.descriptor in {None, 1} and each.writes):
            return target in _SCREENS
        if each.operator == ">&" and each.descriptor in {None, 1}:
            return target.isdigit()
    return None


def _through(stage: Command, commands: Sequence[Command]) -> bool | None:
    """Whether a later stage of a pipeline passes on what it gets."""
    name = stage.name or ""
    if name in _CODED or stage.within & {Within.LOOP}:
        passed = None
    elif name == "xargs" or "xargs" in stage.wrappers:
        passed = True if name in {"xargs", "echo", "printf"} else None
    elif printed(stage) is not None:
        passed = printed(stage)
    else:
        passed = False if name in _SWALLOW else None
    return False if passed is False else _least(passed, reaches(stage, commands))


_SWALLOW = frozenset(
    {"wc", "md5sum", "sha1sum", "sha256sum", "sum", "cksum", "true", ":", "false", "test", "file", "echo", "printf"}
    | {"ls", "stat", "pbcopy", "xclip", "wl-copy", "sponge", "cat>", "logger", "git", "read"}
)


def _least(one: bool | None, other: bool | None) -> bool | None:
    return False if False in {one, other} else None if None in {one, other} else True


def _substituted(outer: Command, commands: Sequence[Command]) -> bool | None:
    """`echo "$(cat x)"` prints it, `test -n "$(cat x)"` does not; what becomes of a variable only the run knows."""
    if outer.name in {"echo", "printf"}:
        return reaches(outer, commands)
    if outer.name in {"test", "[", "[[", "exit", "return", "cd", "mkdir"}:
        return False
    if not outer.words:
        names = {f"${name}" for name, _ in outer.assignments} | {f"${{{name}" for name, _ in outer.assignments}
        used = any(name in each.source for each in commands if each.index > outer.index for name in names)
        return None if used else False
    return None
