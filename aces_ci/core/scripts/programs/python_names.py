"""What the names in a Python text stand for: modules, texts and paths, as far as they are written out."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping

MAX_VALUES = 16
"""Texts that one expression may stand for."""
MAX_TEXT = 20_000
MAX_DEPTH = 40
_LISTS = frozenset({"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"})
_BELOW = frozenset({"iterdir", "glob", "rglob", "walk"})
_SAME = frozenset(
    {"os.path.expanduser", "os.path.expandvars", "os.path.abspath", "os.path.realpath", "os.path.normpath",
     "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "str", "os.fspath", "list", "sorted", "set", "tuple",
     "reversed", "iter"}
)  # fmt: skip
"""Functions whose value points where their first argument points."""
_SAME_METHODS = frozenset({"expanduser", "resolve", "absolute", "as_posix", "strip", "format", "splitlines", "split"})
_FIXED: Mapping[str, str] = {
    "pathlib.Path.home": "~",
    "os.getcwd": ".",
    "pathlib.Path.cwd": ".",
    **dict.fromkeys(("tempfile.mkdtemp", "tempfile.gettempdir", "tempfile.mkstemp", "tempfile.mktemp"), "$TMPDIR/x"),
}


class Names:
    """The names of one module. A name that is assigned twice stands for either."""

    def __init__(self, module: ast.Module) -> None:
        self._modules: dict[str, str] = {}
        self._values: dict[str, tuple[str, ...]] = {}
        self._local = dict(_local(module))
        for node in ast.walk(module):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._modules[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self._modules[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        self._returned = dict(_returned(module))
        nodes = list(ast.walk(module))  # outer before inner, so that a loop finds what it goes over
        for node in nodes:
            self._bind(node)
        if any(f"{name}()" in self._values for name in self._returned.values()):
            for node in nodes:  # what a function gives back is known now
                self._bind(node)

    def called(self, function: ast.expr) -> str:
        """`shutil.rmtree` for whatever names it is reached by, or "" for what is no chain of names."""
        parts: list[str] = []
        while isinstance(function, ast.Attribute):
            parts.append(function.attr)
            function = function.value
        if isinstance(function, ast.Name):
            first = self._modules.get(function.id, function.id)
        elif isinstance(function, ast.Call) and function.args:
            # Asked for once: asked for twice at each link, a chain of thirty calls never ends.
            maker = self.called(function.func)
            if maker == "getattr" and len(function.args) > 1:
                first = ".".join([self.called(function.args[0]), *self.texts(function.args[1])[:1]])
            elif maker in _IMPORTS:
                first = next(iter(self.texts(function.args[0])), "")
            else:
                return ""
        else:
            return ""
        return ".".join([first, *reversed(parts)]) if first else ""

    def texts(self, node: ast.expr, depth: int = 0) -> tuple[str, ...]:
        """The texts or paths that an expression may stand for; empty where only the run knows."""
        if depth > MAX_DEPTH:
            return ()
        if isinstance(node, ast.Constant):
            return (node.value,) if isinstance(node.value, str) and len(node.value) <= MAX_TEXT else ()
        if isinstance(node, ast.Attribute) and node.attr == "executable" and self.called(node) == "sys.executable":
            return ("python3",)
        if isinstance(node, ast.Attribute) and node.attr == "path":  # of what `os.scandir` yields
            return self.texts(node.value, depth + 1)
        if isinstance(node, ast.Name):
            return self._values.get(self._local.get(node, node.id), ())
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return _few(text for element in node.elts for text in self.texts(element, depth + 1))
        if isinstance(node, ast.JoinedStr):
            parts = [self.texts(p.value if isinstance(p, ast.FormattedValue) else p, depth + 1) for p in node.values]
            return _joined(parts, "")
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
            sides = [self.texts(node.left, depth + 1), self.texts(node.right, depth + 1)]
            return _joined(sides, "" if isinstance(node.op, ast.Add) else "/")
        if isinstance(node, ast.Subscript) and self.called(node.value) == "os.environ":
            return _few(f"${name}" for name in self.texts(node.slice, depth + 1))
        return self._call(node, depth) if isinstance(node, ast.Call) else ()

    def _call(self, node: ast.Call, depth: int) -> tuple[str, ...]:
        name = self.called(node.func)
        arguments = [self.texts(each, depth + 1) for each in node.args]
        if name == "os.path.join" or (name in {"pathlib.Path", "pathlib.PurePath"} and len(arguments) > 1):
            return _joined(arguments, "/")
        if name in _FIXED:
            return (_FIXED[name],)
        if name in {"os.getenv", "os.environ.get"} and arguments:
            return _few(f"${text}" for text in arguments[0])
        if name in _LISTS and arguments:
            return _few(text if "*" in text else f"{text.rstrip('/')}/*" for text in arguments[0])
        if name in _SAME and arguments:
            return arguments[0]
        if f"{name}()" in self._values:
            return self._values[f"{name}()"]
        return self._method(node.func, arguments, depth) if isinstance(node.func, ast.Attribute) else ()

    def _method(self, function: ast.Attribute, arguments: list[tuple[str, ...]], depth: int) -> tuple[str, ...]:
        on = self.texts(function.value, depth + 1)
        if function.attr in _BELOW:
            return _few(f"{text.rstrip('/')}/{_pattern(arguments)}" for text in on)
        if function.attr in _SAME_METHODS:
            return on
        return _joined([on, *arguments], "/") if function.attr == "joinpath" else ()

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._add(target, self.texts(node.value))
        elif isinstance(node, ast.Return) and node.value is not None:
            self._keep(f"{self._returned.get(node, '')}()", self.texts(node.value))
        elif isinstance(node, (ast.For, ast.comprehension)):
            walks = isinstance(node.iter, ast.Call) and self.called(node.iter.func) == "os.walk"
            if walks and isinstance(node.target, ast.Tuple) and isinstance(node.iter, ast.Call) and node.iter.args:
                for element, values in zip(
                    node.target.elts, (self.texts(node.iter.args[0]), ("*",), ("*",)), strict=False
                ):
                    self._add(element, values)
            else:
                self._add(node.target, self.texts(node.iter))

    def _add(self, target: ast.expr, values: tuple[str, ...]) -> None:
        if isinstance(target, ast.Name):
            self._keep(self._local.get(target, target.id), values)

    def _keep(self, name: str, values: tuple[str, ...]) -> None:
        if values:
            self._values[name] = _few((*self._values.get(name, ()), *values))


_IMPORTS = frozenset({"__import__", "importlib.import_module"})


def _local(module: ast.Module) -> Iterator[tuple[ast.Name, str]]:
    """What a function's own names are kept under: the same name in another function says nothing of them."""
    for node in ast.walk(module):  # outer before inner, whose own names win
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = [each for part in node.body for each in ast.walk(part) if isinstance(each, ast.Name)]
            own = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)} | _bound(node)
            yield from ((each, f"{each.id} of line {node.lineno}") for each in inside if each.id in own)


def _returned(module: ast.Module) -> Iterator[tuple[ast.Return, str]]:
    """Which function each `return` leaves."""
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from ((each, node.name) for each in ast.walk(node) if isinstance(each, ast.Return))


def _bound(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function binds itself: not those of a function within, nor those it says are from without."""
    bound: set[str] = set()
    outside: set[str] = set()
    rest: list[ast.AST] = list(function.body)
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outside.update(node.names)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            rest.extend(ast.iter_child_nodes(node))
    return bound - outside


def _few(texts: Iterator[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(itertools.islice(dict.fromkeys(texts), MAX_VALUES))


def _joined(parts: list[tuple[str, ...]], between: str) -> tuple[str, ...]:
    """Every way to put the parts together; a part that only the run knows is `$_`."""
    if not any(parts):
        return ()
    ways = itertools.islice(itertools.product(*(part or ("$_",) for part in parts)), MAX_VALUES)
    if not between:
        return _few("".join(way) for way in ways)
    return _few(_path(way) for way in ways)


def _path(parts: tuple[str, ...]) -> str:
    """Joined as paths are: what is absolute begins anew."""
    path = parts[0]
    for part in parts[1:]:
        path = part if part.startswith("/") else f"{path.rstrip('/')}/{part}"
    return path


def _pattern(arguments: list[tuple[str, ...]]) -> str:
    found = next(iter(arguments[0]), "*") if arguments else "*"
    return "*" if found.strip("*/.") == "" else found
