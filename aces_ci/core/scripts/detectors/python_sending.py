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
from aces_ci.core.scripts.hazards.python_call import at_call
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
_EXECUTES = frozenset({"exec", "eval", "compile", "builtins.exec", "builtins.eval", "__builtins__.exec"})
_UNSEEN = {
    Content.FETCHED: ("fetched-code", "runs code that it downloads at run time"),
    Content.DECODED: ("decoded-code", "runs code that it decodes at run time"),
}
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
    """Code that the module has downloaded, received or decoded, run as a text or as a file."""
    name = module.values.names.called(call.func)
    if not name and isinstance(call.func, ast.Attribute) and call.func.attr in _EXECUTES:
        name = call.func.attr  # reached by a way around its name
    if name == "os.dup2" and call.args and _is_a_socket(call.args[0]):
        message = "connects a shell with a remote machine"
        yield _hazard(call, Kind.EXFILTRATION, "reverse-shell", Severity.CRITICAL, message, None)
        return
    if not (module.values.files or module.values.held or name in _EXECUTES):
        return
    text: list[Held | None] = []
    files: list[Held | None] = []
    if name in _EXECUTES and call.args:
        text = [module.of(call.args[0], call)]
    elif name in {"runpy.run_path", "os.startfile"} and call.args:
        files = [module.values.files.get(path) for path in module.values.names.texts(call.args[0])]
    elif calls_shell(name):
        text = [module.of(call.args[0], call)] if call.args and not isinstance(call.args[0], ast.JoinedStr) else []
        scripts = list(words_of(call, module.values.names))
        ran = [path for script in scripts for each in parse(script) if (path := file_run(each))]
        files = [module.values.files.get(path) for path in (*ran, *(script.split(" ", 1)[0] for script in scripts))]
    for each in text:
        if each is not None and each.content in _UNSEEN:
            shape, message = _UNSEEN[each.content]
            yield _hazard(call, Kind.REMOTE_CODE, shape, Severity.CRITICAL, message, each.origin or None)
            return
    for each in files:
        if each is not None and each.content is Content.FETCHED:
            yield _download(call, each)
            return


def _is_a_socket(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fileno"


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
    return at_call(call, ast.unparse(call), kind, shape, severity, message, target, Confidence.MEDIUM)
