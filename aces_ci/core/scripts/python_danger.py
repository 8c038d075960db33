"""Dangerous shapes of Python code, found in its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts import hosts, paths
from aces_ci.core.scripts.hazard import Hazard, Kind
from aces_ci.core.scripts.hosts import Host
from aces_ci.core.scripts.paths import Area
from aces_ci.core.scripts.python_calls import dotted, tree

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
    "removedirs",
    "post",
    "put",
    "patch",
    "request",
    "urlopen",
    "Request",
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
    return tuple(sorted(_find(module, text), key=lambda h: (h.line, h.column))) if module is not None else ()


def _find(module: ast.Module, text: str) -> Iterator[Hazard]:
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
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
                )
            elif any(call.endswith(_FETCHES) for call in inner):
                yield _hazard(
                    node,
                    text,
                    Kind.REMOTE_CODE,
                    "fetched-code",
                    Severity.CRITICAL,
                    "runs code that it downloads at run time",
                )
        elif name in {"shutil.rmtree", "os.removedirs"} and node.args:
            yield from _rmtree(node, text)
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


def _inner(node: ast.Call) -> set[str]:
    """Names of the calls inside a call."""
    return {dotted(call.func) for call in ast.walk(node) if isinstance(call, ast.Call) and call is not node}


def _rmtree(node: ast.Call, text: str) -> Iterator[Hazard]:
    target = _string(node.args[0])
    if target is not None and paths.area(target) in {Area.ROOT, Area.HOME, Area.SYSTEM}:
        yield _hazard(
            node, text, Kind.DESTRUCTIVE, "rm-root", Severity.CRITICAL, f"deletes everything below {target}", target
        )


def _sends(node: ast.Call, name: str, text: str) -> Iterator[Hazard]:
    source = ast.unparse(node) if len(text) < 200_000 else ""
    kinds = {hosts.host(url)[0] for url in hosts.urls(source)}
    whole = [
        sub for sub in ast.walk(node)
        if (isinstance(sub, ast.Attribute) and dotted(sub) == "os.environ" and not _indexed(sub, node))
    ]  # fmt: skip
    secret = next((s for s in _strings(node) if paths.secret(s) and ("/" in s or s.startswith("."))), None)
    if kinds and kinds <= {Host.LOCAL}:
        return
    if whole:
        yield _hazard(
            node,
            text,
            Kind.EXFILTRATION,
            "send-secret",
            Severity.CRITICAL,
            "sends the whole environment to another machine",
        )
    elif secret:
        yield _hazard(
            node,
            text,
            Kind.EXFILTRATION,
            "send-secret",
            Severity.CRITICAL,
            f"sends {secret} to another machine",
            secret,
        )
    elif Host.DROP in kinds and not name.endswith(("urlopen", "Request")):
        yield _hazard(
            node,
            text,
            Kind.EXFILTRATION,
            "send-to-drop",
            Severity.WARNING,
            "sends data to a site that collects whatever arrives",
        )


def _indexed(attribute: ast.Attribute, inside: ast.AST) -> bool:
    """Whether it is `os.environ[...]` or `os.environ.get(...)`: one variable, not all of them."""
    for node in ast.walk(inside):
        if isinstance(node, ast.Subscript) and node.value is attribute:
            return True
        if isinstance(node, ast.Attribute) and node.value is attribute and node.attr not in {"items", "copy", "values"}:
            return True
    return False


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


def _string(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Call) and dotted(node.func).endswith(("expanduser", "Path")) and node.args:
        return _string(node.args[0])
    if isinstance(node, ast.Call) and dotted(node.func).endswith("Path.home"):
        return "~"
    return None


def _hazard(
    node: ast.Call, text: str, kind: Kind, shape: str, severity: Severity, message: str, target: str | None = None
) -> Hazard:
    source = ast.get_source_segment(text, node) or "" if len(text) < 200_000 else ""
    return Hazard(
        kind=kind,
        shape=shape,
        severity=severity,
        message=message,
        command=0,
        line=node.lineno,
        column=node.col_offset + 1,
        end_line=node.end_lineno or node.lineno,
        end_column=(node.end_col_offset or node.col_offset) + 1,
        source=source[:400],
        target=target,
        confidence=Confidence.HIGH,
    )
