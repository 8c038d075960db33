"""What an expression of Python holds of private files and downloads, by the names that hold them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import re2

from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.files.touch import How
from aces_ci.core.scripts.flow.following import follow
from aces_ci.core.scripts.flow.output import told
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.programs import python_files
from aces_ci.core.scripts.programs.python_calls import calls_shell, dotted, words_of
from aces_ci.core.scripts.programs.python_names import Names
from aces_ci.core.scripts.shell.commands import parse

MAX_DEPTH = 40
_KEEPS = re2.compile(
    r"(builtins\.)?(str|bytes|bytearray|repr|dict|list|tuple|sorted|set|next|iter|reversed|map)|base64\.\w*encode\w*|"
    r"json\.dumps|urllib\.parse\.(quote|quote_plus|urlencode)|(zlib|gzip|bz2|lzma)\.compress|binascii\.\w+|"
    r"io\.(BytesIO|StringIO)|codecs\.encode|pickle\.dumps|html\.escape|pathlib\.Path|textwrap\.\w+"
)
"""Functions whose value holds what their arguments hold."""
_SAME = frozenset(
    {"read", "strip", "rstrip", "lstrip", "decode", "encode", "hex", "copy", "format", "readlines", "readline",
     "replace", "items", "values", "getvalue", "join", "communicate", "splitlines", "lower", "upper", "read_text",
     "read_bytes"}
)  # fmt: skip
"""Methods after which a text is still that text."""
_ANSWER = frozenset({"text", "content", "stdout", "stderr", "output", "raw", "body"})
_GETS = re2.compile(
    r"(requests|httpx|session|client)\.(get|request|Session)|urllib\.request\.urlopen|urlopen|urllib3\.\w+|wget\.download"
)
_RECEIVES = re2.compile(r"\w*(s|sock|socket|conn|connection|client|c)\.(recv|recvfrom)")
_DECODES = ("b64decode", "b32decode", "b85decode", "a85decode", "unhexlify", "bytes.fromhex", "marshal.loads")
_OPENS = frozenset({"open", "io.open"})
_READS = frozenset({"read_text", "read_bytes", "open"})
_API_KEY = re2.compile(r"(?i)\.key$")
"""A key of an API is a setting, unlike a key that one logs in with."""


@dataclass(slots=True)
class Values:
    """What the names and files of one module hold. A name counts in its own function, else in the module."""

    names: Names
    held: dict[tuple[str, str], Held] = field(default_factory=dict)
    returned: dict[str, Held] = field(default_factory=dict)
    files: dict[str, Held] = field(default_factory=dict)
    shells: dict[str, Held | None] = field(default_factory=dict)

    def of(self, node: ast.AST | None, scope: str, depth: int = 0) -> Held | None:
        """What an expression holds; None where it is nothing that matters, or a part picked out of it."""
        if node is None or depth > MAX_DEPTH:
            return None
        if isinstance(node, ast.Name):
            return self.held.get((scope, node.id)) or self.held.get(("", node.id))
        if isinstance(node, ast.Call):
            return self._call(node, scope, depth)
        if isinstance(node, ast.Attribute):
            if dotted(node) == "os.environ" or self.names.called(node) == "os.environ":
                return Held(content=Content.PRIVATE, origin="the whole environment")
            own = self.held.get(("", own_name(node)))
            return own or (self.of(node.value, scope, depth + 1) if node.attr in _ANSWER else None)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            return None
        return next(self._within(node, scope, depth), None)

    def _within(self, node: ast.AST, scope: str, depth: int) -> Iterator[Held]:
        if isinstance(node, (ast.Compare, ast.Lambda, ast.Constant, ast.UnaryOp)):
            return
        if isinstance(node, ast.IfExp):
            parts: list[ast.AST] = [node.body, node.orelse]
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
            parts = [node.elt]
        else:
            parts = list(ast.iter_child_nodes(node))
        for part in parts:
            found = self.of(part, scope, depth + 1)
            if found is not None:
                yield found

    def _call(self, node: ast.Call, scope: str, depth: int) -> Held | None:
        name = self.names.called(node.func)
        for touch in python_files.of(node, self.names):
            found = self.lying(touch.path) if touch.how is How.READ else None
            if found is not None:
                return found
        opened = node.args[0] if name in _OPENS and node.args else _object(node)
        named = self.of(opened, scope, depth + 1) if isinstance(opened, ast.Name) else None
        if named is not None and named.content is Content.NAMES:
            return replace(named, content=Content.PRIVATE)
        if name == "chr" or (name == "map" and isinstance(node.args[0], ast.Name) and node.args[0].id == "chr"):
            return Held(content=Content.DECODED, origin="numbers", by=node.lineno)
        if name in self.returned:
            return self.returned[name]
        if _GETS.fullmatch(name):
            url = next(iter(self.names.texts(node.args[0])), "") if node.args else ""
            return Held(content=Content.FETCHED, origin=url, by=node.lineno)
        if _RECEIVES.fullmatch(name):
            return Held(content=Content.FETCHED, origin="", by=node.lineno)
        if name.endswith(_DECODES):
            return Held(content=Content.DECODED, origin=name, by=node.lineno)
        if calls_shell(name):
            return self._shell(node)
        if _KEEPS.fullmatch(name):
            return next(self._given(node, scope, depth), None)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
            return self.of(node.func.value, scope, depth + 1) or next(self._given(node, scope, depth), None)
        return None

    def _given(self, node: ast.Call, scope: str, depth: int) -> Iterator[Held]:
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            found = self.of(argument, scope, depth + 1)
            if found is not None:
                yield found

    def lying(self, path: str) -> Held | None:
        """What a file holds: one that the module has written, or a private one."""
        if path in self.files:
            return self.files[path]
        everything = "*" in path and paths.area(path) in {paths.Area.HOME, paths.Area.ROOT}
        if everything or (paths.private(path) and not _API_KEY.search(path)):
            return Held(content=Content.PRIVATE, origin=path)
        return None

    def _shell(self, node: ast.Call) -> Held | None:
        """What a shell that it calls prints."""
        for script in words_of(node, self.names):
            if script not in self.shells:
                scene = Scene(parse(script), (), follow)
                last = [each for each in scene.commands if each.parent is None and not scene.after(each)]
                found = (held for each in last for held in told(scene, each) if held.content is Content.PRIVATE)
                self.shells[script] = next(found, None)
            if self.shells[script] is not None:
                return self.shells[script]
        return None


def own_name(node: ast.AST) -> str:
    """`self.data` of an object, or ""."""
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
    return f"self.{node.attr}" if own and isinstance(node, ast.Attribute) else ""


def _object(node: ast.Call) -> ast.expr | None:
    """What `.read_text()` and its like read."""
    function = node.func
    return function.value if isinstance(function, ast.Attribute) and function.attr in _READS else None


def scopes(module: ast.Module) -> Mapping[ast.AST, str]:
    """Every node with the function that it stands in; "" is the module."""
    found: dict[ast.AST, str] = {}
    todo: list[tuple[ast.AST, str]] = [(module, "")]
    while todo:
        node, scope = todo.pop()
        found[node] = scope
        inner = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else scope
        todo.extend((child, inner) for child in ast.iter_child_nodes(node))
    return found
