"""Python code that sends what it has read of private files, or runs what it has downloaded, through names and files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors.remote_code import BY_HOST
from aces_ci.core.scripts.flow.private_files import SENDERS
from aces_ci.core.scripts.flow.python_following import Followed, followed
from aces_ci.core.scripts.flow.running import file_run
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind
from aces_ci.core.scripts.hazards.holdings import Content, Held
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.scripts.programs.python_calls import calls_shell, words_of
from aces_ci.core.scripts.shell.commands import parse

_SENDS = re2.compile(
    r"(?:.*\.)?(?:post|put|patch|request|Request|urlopen|sendmail|send_message|storbinary|storlines|upload_file|"
    r"upload_fileobj|put_object|sendto|sendall|send|get)"
)
_WEB = re2.compile(r"(requests|httpx|aiohttp|urllib|urllib3|http|session|client)\b.*|s|sess|Session|urlopen|Request")
"""How the objects are called that talk to the web."""
_SOCKETS = frozenset({"send", "sendall", "sendto"})
_OTHERS = frozenset(
    {"sendmail", "send_message", "storbinary", "storlines", "upload_file", "upload_fileobj", "put_object"}
)
_APART = frozenset({"headers", "auth", "cookies", "cert", "verify", "timeout", "proxies", "env", "context"})
"""Arguments by which one logs in, or that never leave."""
_GIVEN = frozenset({"data", "json", "files", "content", "params", "body"})


@lru_cache(maxsize=256)
def scan(text: str) -> tuple[Hazard, ...]:
    """Hazards of one Python text that its names and files hide; empty where it does not parse."""
    module = followed(text)
    if module is None:
        return ()
    calls = [node for node in module.scope if isinstance(node, ast.Call)]
    found = [hazard for call in calls for hazard in (*_sent(module, call), *_run(module, call))]
    return tuple(sorted(found, key=lambda hazard: (hazard.line, hazard.column)))


def _sent(module: Followed, call: ast.Call) -> Iterator[Hazard]:
    if not (module.values.held or module.values.returned or module.values.files):
        return
    name = module.values.names.called(call.func) or (call.func.attr if isinstance(call.func, ast.Attribute) else "")
    words = _handed(module, call, name) if calls_shell(name) else _arguments(call, name)
    for word in words:
        held = module.of(word, call)
        if held is None or held.content is not Content.PRIVATE:
            continue
        kinds = {hosts.host(url)[0] for url in _urls(module, call)}
        if not (kinds and kinds <= {Host.LOCAL}):
            message = f"sends {held.origin} to another machine"
            yield _hazard(call, Kind.EXFILTRATION, "send-secret", Severity.CRITICAL, message, held.origin)
            return


def _arguments(call: ast.Call, name: str) -> list[ast.expr]:
    """What of a call leaves the machine; nothing where it is no call that sends."""
    head, _, verb = name.rpartition(".")
    if not _SENDS.fullmatch(name):
        return []
    told = {keyword.arg for keyword in call.keywords} & _GIVEN
    web = _WEB.fullmatch(head or verb) is not None
    if not (web or told or verb in _OTHERS or (verb in _SOCKETS and len(call.args) in {1, 2})):
        return []
    if verb == "get" and not web:
        return []
    return [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg not in _APART)]


def _handed(module: Followed, call: ast.Call, name: str) -> list[ast.expr]:
    """The words of a program that sends what it is told: `["curl", "-d", key, …]`, `f"curl -d {key} …"`."""
    first = call.args[0] if call.args else None
    if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
        program = next(iter(module.values.names.texts(first.elts[0])), "")
        return list(first.elts[1:]) if program.rsplit("/", 1)[-1] in SENDERS else []
    sends = any(each.name in SENDERS for script in words_of(call, module.values.names) for each in parse(script))
    fed = [keyword.value for keyword in call.keywords if keyword.arg == "input"]
    return [*([first] if first is not None else []), *fed] if sends else []


def _run(module: Followed, call: ast.Call) -> Iterator[Hazard]:
    """A file that the module has downloaded, run as a program."""
    if not module.values.files:
        return
    name = module.values.names.called(call.func)
    if name in {"exec", "eval", "compile"} and call.args:
        held = [module.of(call.args[0], call)]
    elif name in {"runpy.run_path", "os.startfile"} and call.args:
        held = [module.values.files.get(path) for path in module.values.names.texts(call.args[0])]
    elif calls_shell(name):
        ran = (file_run(each) for script in words_of(call, module.values.names) for each in parse(script))
        held = [module.values.files.get(path) for path in ran if path]
        held += [module.values.files.get(script.split(" ", 1)[0]) for script in words_of(call, module.values.names)]
    else:
        return
    for each in held:
        if each is not None and each.content is Content.FETCHED:
            yield _download(call, each)
            return


def _download(call: ast.Call, held: Held) -> Hazard:
    kind, name = hosts.host(held.origin)
    severity, why = BY_HOST[kind]
    message = f"downloads a file and runs it, {why}" + (f" ({name})" if name else "")
    return _hazard(call, Kind.REMOTE_CODE, "download-and-run", severity, message, held.origin or None)


def _urls(module: Followed, call: ast.Call) -> list[str]:
    texts = [
        text
        for argument in (*call.args, *(k.value for k in call.keywords))
        for text in module.values.names.texts(argument)
    ]
    return [url for text in texts for url in hosts.urls(text)]


def _hazard(call: ast.Call, kind: Kind, shape: str, severity: Severity, message: str, target: str | None) -> Hazard:
    return Hazard(
        kind=kind,
        shape=shape,
        severity=severity,
        message=message,
        command=0,
        line=call.lineno,
        column=call.col_offset + 1,
        end_line=call.end_lineno or call.lineno,
        end_column=(call.end_col_offset or call.col_offset) + 1,
        source=ast.unparse(call)[:400],
        target=target,
        confidence=Confidence.MEDIUM,
    )
