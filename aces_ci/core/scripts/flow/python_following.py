"""Where the private files and downloads that Python code reads end up: in which names, files and calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.files.touch import How
from aces_ci.core.scripts.flow.python_values import Values, own_name, scopes
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.programs import python_files
from aces_ci.core.scripts.programs.python_calls import names_of, tree

MAX_ROUNDS = 4
"""Times that the module is gone through, so that what stands further down reaches what stands above."""
_GATHERS = frozenset({"append", "extend", "update", "add", "write", "writelines", "writestr", "insert", "put"})
"""Methods that put their argument into the object."""
_ARCHIVES = frozenset({"tarfile.open", "tarfile.TarFile.open", "zipfile.ZipFile"})
_ENDS = {"zip": ".zip", "tar": ".tar", "gztar": ".tar.gz", "bztar": ".tar.bz2", "xztar": ".tar.xz"}
_WORTH = (
    ".ssh", "id_rsa", "id_ed25519", ".aws", "redential", "environ", ".netrc", "history", ".env", "shadow", ".gnupg",
    ".kube", "eychain", "Login Data", "wallet", "secret", ".npmrc", ".pypirc", "home()", "expanduser", "urlretrieve",
    "urlopen", ".get(", "decode(", "unhexlify", "fromhex", "recv", "dup2", "chr",
)  # fmt: skip
"""Words without which nothing that matters is read."""


class Followed:
    """One module, gone through. `values` tells what an expression holds, `scope` where a node stands."""

    def __init__(self, module: ast.Module, values: Values) -> None:
        self.values = values
        self.scope: Mapping[ast.AST, str] = scopes(module)
        self._functions = {
            node.name: node for node in self.scope if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        self._made = dict(_made(self.scope))
        for _ in range(MAX_ROUNDS):
            before = (len(values.held), len(values.returned), len(values.files))
            for node, scope in self.scope.items():
                self._visit(node, scope)
            if before == (len(values.held), len(values.returned), len(values.files)):
                break

    def of(self, node: ast.AST | None, inside: ast.AST) -> Held | None:
        """What an expression holds that stands in `inside`."""
        return self.values.of(node, self.scope.get(inside, ""))

    def _visit(self, node: ast.AST, scope: str) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, self.values.of(node.value, scope), scope)
        elif isinstance(node, ast.withitem):
            self._bind(node.optional_vars, self.values.of(node.context_expr, scope), scope)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            held = self.values.of(node.iter, scope)
            if held is not None and not paths.project_secret(held.origin):  # its lines are settings, one by one
                self._bind(node.target, held, scope)
        elif isinstance(node, ast.Return):
            held = self.values.of(node.value, scope)
            if held is not None and scope:
                self.values.returned.setdefault(scope, held)
        elif isinstance(node, ast.Call):
            self._call(node, scope)

    def _bind(self, target: ast.AST | None, held: Held | None, scope: str) -> None:
        if held is None:
            return
        while isinstance(target, ast.Subscript):
            target = target.value
        if own := own_name(target) if target is not None else "":
            self.values.held.setdefault(("", own), held)
            return
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name) and target.id not in {"self", "cls"}:
            self.values.held.setdefault((scope, target.id), held)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._bind(element, held, scope)

    def _call(self, node: ast.Call, scope: str) -> None:
        name = self.values.names.called(node.func)
        if name.endswith(("Thread", "Process")):
            node, name = _started(node, name)
        function = self._functions.get(name.rsplit(".", 1)[-1] if name.startswith("self.") else name)
        if function is not None:
            self._parameters(node, function, scope)
        for path, held in self._stored(node, name, scope):
            self.values.files.setdefault(path, held)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _GATHERS:
            for argument in node.args:
                self._bind(node.func.value, self.values.of(argument, scope), scope)

    def _parameters(self, node: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, scope: str) -> None:
        given = (*function.args.posonlyargs, *function.args.args)
        names = [each.arg for each in given if each.arg not in {"self", "cls"}]
        pairs = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
        for name, value in pairs:
            held = self.values.of(value, scope) or self._named(value)
            if held is not None and name is not None:
                self.values.held.setdefault((function.name, name), held)

    def _named(self, value: ast.expr) -> Held | None:
        """The private file whose path is handed to a function."""
        for path in self.values.names.texts(value):
            found = self.values.lying(path)
            if found is not None and found.content is Content.PRIVATE:
                return replace(found, content=Content.NAMES)
        return None

    def _stored(self, node: ast.Call, name: str, scope: str) -> Iterator[tuple[str, Held]]:
        """The files into which a call puts something that matters."""
        texts = self.values.names.texts
        if name in {"urllib.request.urlretrieve", "urlretrieve"} and len(node.args) > 1:
            url = next(iter(texts(node.args[0])), "")
            for path in texts(node.args[1]):
                yield path, Held(content=Content.FETCHED, origin=url, by=node.lineno)
        elif name == "shutil.make_archive" and len(node.args) > 2:
            held = next((h for path in texts(node.args[2]) if (h := self.values.lying(path))), None)
            kind = next(iter(texts(node.args[1])), "")
            yield from ((f"{path}{_ENDS.get(kind, '')}", held) for path in texts(node.args[0]) if held)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in {"add", "write", "write_text", "write_bytes"}:
            yield from self._into(node, node.func, scope)
        else:
            touched = python_files.of(node, self.values.names)
            read = next((h for t in touched if t.how is How.READ and (h := self.values.lying(t.path))), None)
            if read is not None:
                yield from ((touch.path, read) for touch in touched if touch.how is How.WRITE)

    def _into(self, node: ast.Call, function: ast.Attribute, scope: str) -> Iterator[tuple[str, Held]]:
        """`open(P, "w").write(x)`, `Path(P).write_text(x)`, `tarfile.open(P, "w").add(FILE)`."""
        opened = self._opened(function.value)
        if opened is None:
            return
        target, archive = opened
        if archive:
            packed = [path for argument in node.args[:1] for path in self.values.names.texts(argument)]
            held = next((h for path in packed if (h := self.values.lying(path))), None)
        else:
            held = next((h for argument in node.args if (h := self.values.of(argument, scope))), None)
        if held is not None:
            yield from ((path, held) for path in self.values.names.texts(target))

    def _opened(self, node: ast.expr) -> tuple[ast.expr, bool] | None:
        """The path of a file that is open for writing, and whether it is an archive."""
        made = self._made.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(made, ast.Call) and made.args:
            name = self.values.names.called(made.func)
            if name in _ARCHIVES or name in {"open", "io.open"} or name.endswith("Path"):
                return made.args[0], name in _ARCHIVES
        return None


def _started(node: ast.Call, name: str) -> tuple[ast.Call, str]:
    """`Thread(target=f, args=(x,))` as `f(x)`."""
    told = {keyword.arg: keyword.value for keyword in node.keywords}
    target, given = told.get("target"), told.get("args")
    if isinstance(target, ast.Name) and isinstance(given, (ast.Tuple, ast.List)):
        return ast.Call(func=target, args=given.elts, keywords=[]), target.id
    return node, name


def _made(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.Call]]:
    """The names that are bound to what a call makes."""
    for node in nodes:
        if isinstance(node, ast.withitem):
            target, value = node.optional_vars, node.context_expr
        elif isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
        else:
            continue
        if isinstance(target, ast.Name) and isinstance(value, ast.Call):
            yield target.id, value


@lru_cache(maxsize=64)
def followed(text: str) -> Followed | None:
    """A text gone through, or None where it does not parse or nothing that matters is read."""
    if not any(word in text for word in _WORTH):
        return None
    module, names = tree(text), names_of(text)
    return Followed(module, Values(names)) if module is not None and names is not None else None
