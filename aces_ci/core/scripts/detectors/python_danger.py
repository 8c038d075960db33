"""Dangerous shapes of Python code, found in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors import python_sending
from aces_ci.core.scripts.files import paths
from aces_ci.core.scripts.files.paths import Area
from aces_ci.core.scripts.files.touch import How, Touch
from aces_ci.core.scripts.hazards import hosts, sureness
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.hazards.python_call import at_call
from aces_ci.core.scripts.programs import python_files
from aces_ci.core.scripts.programs.python_calls import dotted, names_of, tree
from aces_ci.core.scripts.programs.python_names import Names

_SENDS = frozenset(
    f"{module}.{verb}"
    for module in ("requests", "httpx", "session", "client", "aiohttp", "urllib3", "http")
    for verb in ("post", "put", "patch", "request")
) | {"urllib.request.urlopen", "urllib.request.Request", "urlopen", "Request"}
_DECODES = (
    "b64decode",
    "a85decode",
    "b85decode",
    "b32decode",
    "unhexlify",
    "fromhex",
    "decompress",
    "marshal.loads",
    "decrypt",
    "rot13",
)
_RUNS = frozenset({"exec", "eval", "builtins.exec", "compile"})
_LOADS = frozenset({"pickle.loads", "pickle.load", "marshal.loads"})
_FETCHES = ("requests.get", "httpx.get", "urlopen", "urllib.request.urlopen", "urlretrieve")


_WORTH = (
    "exec",
    "eval",
    "rmtree",
    "remove",
    "unlink",
    "rmdir",
    "post",
    "put",
    "patch",
    "request",
    "urlopen",
    "urlretrieve",
    "Request",
    "send",
    "stor",
    "upload",
    "curl",
    "dup2",
    "recv",
    "decode(",
    "unhexlify",
    "chr",
    "pickle",
    "marshal",
    ".ssh",
    ".aws",
    "credential",
    ".netrc",
    "/etc/",
)


@lru_cache(maxsize=256)
def scan(text: str) -> tuple[Hazard, ...]:
    """Hazards of one Python text, in the order of its lines. Empty where it does not parse."""
    module = tree(text) if any(word in text for word in _WORTH) else None
    names = names_of(text) if module is not None else None
    if module is None or names is None:
        return ()
    found = {
        (hazard.line, hazard.shape): hazard for hazard in (*python_sending.scan(text), *_find(module, text, names))
    }
    return tuple(sorted(found.values(), key=lambda h: (h.line, h.column)))


def _find(module: ast.Module, text: str, names: Names) -> Iterator[Hazard]:
    fetched = _fetched(module, names)
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        name = names.called(node.func)
        if name in _RUNS and node.args:
            inner = _inner(node)
            if any(call.endswith(_DECODES) for call in inner):
                yield _hazard(
                    node,
                    text,
                    Kind.REMOTE_CODE,
                    "decoded-code",
                    Severity.CRITICAL,
                    "runs code that it decodes at run time",
                    doubt=sureness.payload(ast.unparse(node), _long_texts(module)),
                )
            elif any(call.endswith(_FETCHES) for call in inner) or _mentions(node, fetched):
                yield _hazard(
                    node,
                    text,
                    Kind.REMOTE_CODE,
                    "fetched-code",
                    Severity.CRITICAL,
                    "runs code that it downloads at run time",
                    doubt=sureness.serving(_near(text, node), value=name == "eval"),
                )
        elif touched := python_files.of(node, names):
            yield from _deletes(module, node, text, touched)
            yield from _reads(node, text)
        elif name in _SENDS:
            yield from _sends(node, name, text)
        elif name in _LOADS and any(call.endswith(_FETCHES) for call in _inner(node)):
            yield _hazard(
                node,
                text,
                Kind.REMOTE_CODE,
                "fetched-pickle",
                Severity.WARNING,
                "unpickles what it downloads, which can run code",
            )
        elif name in {"open", "Path", "pathlib.Path"} or name.endswith((".read_text", ".read_bytes")):
            yield from _reads(node, text)


def _long_texts(module: ast.Module) -> Iterator[str]:
    """Texts and bytes of a module that are long enough to hold code."""
    for node in ast.walk(module):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, (str, bytes)) and len(value) >= sureness.SHORTEST:
            yield value if isinstance(value, str) else value.decode("latin-1")


def _near(text: str, node: ast.Call) -> str:
    """A call with the lines before it, from which its address mostly comes."""
    return "\n".join(text.split("\n")[max(0, node.lineno - 12) : node.end_lineno or node.lineno])


def _inner(node: ast.Call) -> set[str]:
    """Names of the calls inside a call."""
    return {dotted(call.func) for call in ast.walk(node) if isinstance(call, ast.Call) and call is not node}


def _fetched(module: ast.Module, names: Names) -> frozenset[str]:
    """Names that hold what was downloaded, or what was made of it."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets, value = [node.optional_vars], node.context_expr
        else:
            continue
        calls = (names.called(call.func) for call in ast.walk(value) if isinstance(call, ast.Call))
        if any(call.endswith(_FETCHES) for call in calls) or _mentions(value, found):
            found.update(target.id for target in targets if isinstance(target, ast.Name))
    return frozenset(found)


def _mentions(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _deletes(module: ast.Module, node: ast.Call, text: str, touched: Sequence[Touch]) -> Iterator[Hazard]:
    for touch in touched:
        everything = touch.deep or "*" in touch.path
        if touch.how is How.DELETE and everything and paths.area(touch.path) in {Area.ROOT, Area.HOME, Area.SYSTEM}:
            message = f"deletes everything below {touch.path}"
            whole = touch.path.rstrip("*").rstrip("/") in {"", "~", "$HOME"} and _bound_once(module, node)
            doubt = "" if whole else "Whoever sets a machine up does it as well."
            yield _hazard(node, text, Kind.DESTRUCTIVE, "rm-root", Severity.CRITICAL, message, touch.path, doubt)
            return


def _bound_once(module: ast.Module, node: ast.Call) -> bool:
    """Whether every name in a call is given one value in the module: of several, the call may mean another."""
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    stored = [each.id for each in ast.walk(module) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    stored += [each.arg for each in ast.walk(module) if isinstance(each, ast.arg)]
    return all(stored.count(name) <= 1 for name in used)


def _sends(node: ast.Call, name: str, text: str) -> Iterator[Hazard]:
    """An upload to a site that anybody can read; what is private in it, `python_sending` follows."""
    source = ast.unparse(node) if len(text) < 200_000 else ""
    kinds = hosts.kinds(hosts.urls(source))
    if Host.DROP in kinds and not name.endswith(("urlopen", "Request")):
        yield _hazard(
            node,
            text,
            Kind.EXFILTRATION,
            "send-to-drop",
            Severity.WARNING,
            "sends data to a site that collects whatever arrives",
        )


def _reads(node: ast.Call, text: str) -> Iterator[Hazard]:
    for target in _strings(node):
        if ("/" in target or target.startswith("~")) and paths.secret(target) and not paths.project_secret(target):
            yield _hazard(
                node, text, Kind.SECRET_READ, "secret-read", Severity.WARNING, f"reads credentials ({target})", target
            )
            return


def _strings(node: ast.AST) -> Iterator[str]:
    for sub in ast.walk(node):
        if isinstance(sub, ast.Constant) and isinstance(sub.value, str) and len(sub.value) < 300:
            yield sub.value


def _hazard(
    node: ast.Call,
    text: str,
    kind: Kind,
    shape: str,
    severity: Severity,
    message: str,
    target: str | None = None,
    doubt: str = "",
) -> Hazard:
    source = ast.get_source_segment(text, node) or "" if len(text) < 200_000 else ""
    return replace(at_call(node, source, kind, shape, severity, message, target, Confidence.HIGH), doubt=doubt)
