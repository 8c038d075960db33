"""Python code that sends what it has read of private files, or runs what it has downloaded, through names and files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors.remote_code import BY_HOST
from aces_ci.core.scripts.flow.private_files import SENDERS, TOKEN_TOOLS
from aces_ci.core.scripts.flow.python_following import Followed, followed
from aces_ci.core.scripts.flow.running import file_run
from aces_ci.core.scripts.hazards import hosts, sureness
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
_CONNECTING = frozenset({"connect", "create_connection", "sendto"})
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
_NAMED_HOSTS = frozenset({Host.LOCAL, Host.VENDOR, Host.KNOWN, Host.UNKNOWN})
"""Where an API lies to which a token belongs: as in shell, none that collects, is bare or unencrypted."""
_OPENS = frozenset({"open", "io.open"})
_INTERPRETS = re2.compile(
    r"(?i)(^|[/ ])((ba|z|da|k|c|tc|a|fi)?sh|python[\d.]*|pypy\d*|node(js)?|deno|bun|perl|ruby|php\d*|lua|osascript|"
    r"tclsh|pwsh|powershell|cmd|busybox|env|sudo|doas|su|nohup|xargs|ssh|docker|podman|kubectl|gdb|awk|gawk|expect|eval|"
    r"exec|at|watch|timeout|nice|setsid|screen|tmux|parallel|find|git|make|vim?|emacs|Rscript|java)(\.exe)?($|\s)|"
    r"^-[ce]$|^--(eval|command|exec)"
)
"""Programs that run what they are told, or another program."""
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
        kinds = hosts.kinds(_urls(module, call))
        if TOKEN_TOOLS.match(held.origin) and kinds and kinds <= _NAMED_HOSTS:
            severity = Severity.WARNING if Host.UNKNOWN in kinds else Severity.INFO
            message = f"passes a value of {held.origin} to another machine"
            yield _hazard(call, Kind.EXFILTRATION, "use-secret", severity, message, held.origin)
            return
        if not (kinds and kinds <= {Host.LOCAL}):
            message = f"sends {held.origin} to another machine"
            raw = name.rpartition(".")[2] in _SOCKETS and any(_connects(node) for node in module.scope)
            doubt = sureness.leaving(held.origin, kinds, part=held.part, published=raw)
            yield _hazard(call, Kind.EXFILTRATION, "send-secret", Severity.CRITICAL, message, held.origin, doubt)
            return


def _connects(node: ast.AST) -> bool:
    """Whether it opens a raw connection to an address that is written out, and is not this machine."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CONNECTING):
        return False
    first = node.args[0].elts[:1] if node.args and isinstance(node.args[0], ast.Tuple) else []
    return any(
        isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and hosts.host("https://" + each.value)[0] is not Host.LOCAL
        for each in first
    )


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
    if name == "os.dup2" and call.args and _is_a_socket(module, call.args[0]):
        message = "connects a shell with a remote machine"
        doubt = "" if _made_as_socket(module, call.args[0]) else sureness.NO_ADDRESS
        yield _hazard(call, Kind.EXFILTRATION, "reverse-shell", Severity.CRITICAL, message, None, doubt)
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
        plain = bool(call.args) and not isinstance(call.args[0], ast.JoinedStr)
        text = [module.of(call.args[0], call)] if plain else []
        if any(text) and _fixed_program(module, call.args[0]):
            text = []
        scripts = list(words_of(call, module.values.names))
        ran = [path for script in scripts for each in parse(script) if (path := file_run(each))]
        files = [module.values.files.get(path) for path in (*ran, *(script.split(" ", 1)[0] for script in scripts))]
    for each in text:
        if each is not None and each.content in _UNSEEN:
            shape, message = _UNSEEN[each.content]
            doubt = _hidden(module, call) if each.content is Content.DECODED else sureness.serving(each.origin)
            yield _hazard(call, Kind.REMOTE_CODE, shape, Severity.CRITICAL, message, each.origin or None, doubt)
            return
    for each in files:
        if each is not None and each.content is Content.FETCHED:
            yield _download(call, each)
            return


def _hidden(module: Followed, call: ast.Call) -> str:
    """Why what is decoded may be the caller's; "" where it lies in the module, or in a file that it reads."""
    nodes = [node for node in module.scope if isinstance(node, (ast.Constant, ast.Call, ast.List, ast.Tuple))]
    texts = [
        node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, (str, bytes))
        and len(node.value) >= sureness.SHORTEST
    ]
    short = [node for node in nodes if isinstance(node, (ast.Call, ast.List, ast.Tuple)) and node.lineno <= call.lineno]
    decoders = (ast.unparse(node)[:4000] for node in short if isinstance(node, ast.Call) and _decodes(node))
    numbers = [ast.unparse(node)[:4000] for node in short if not isinstance(node, ast.Call)]
    return sureness.payload(" ".join(decoders), (*texts, *numbers))


def _decodes(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr.endswith(
        ("decode", "fromhex", "unhexlify", "decompress")
    )


def _made_as_socket(module: Followed, node: ast.expr) -> bool:
    """Whether the descriptor belongs to what is made as a connection, to be seen in the module."""
    holder = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    made = list(_bound(module, holder.id)) if isinstance(holder, ast.Name) else [holder]
    return any(
        isinstance(each, ast.Call) and ast.unparse(each.func).endswith(("socket", "create_connection")) for each in made
    )


def _is_a_socket(module: Followed, node: ast.expr) -> bool:
    """Whether it is the descriptor of an object that may be a connection: of none that is only ever an open file."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "fileno"):
        return False
    holder = node.func.value
    made = list(_bound(module, holder.id)) if isinstance(holder, ast.Name) else [holder]
    calls = [module.values.names.called(each.func) if isinstance(each, ast.Call) else "" for each in made]
    return not calls or any(call not in _OPENS for call in calls)


def _bound(module: Followed, name: str) -> Iterator[ast.AST | None]:
    """Everything that a name is bound to anywhere in the module; None for what is no plain assignment."""
    stored = 0
    for node in module.scope:
        if isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
            target, value = node.optional_vars, node.context_expr
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            target, value = node.targets[0], node.value
        else:
            binds = isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
            stored += binds or (isinstance(node, ast.arg) and node.arg == name)
            continue
        if target.id == name:
            stored -= 1  # its own name is met as well
            yield value
    yield from (None,) * stored


def _fixed_program(module: Followed, node: ast.expr) -> bool:
    """Whether a list of words begins with a program that is written out and runs no code it is told."""
    made = list(_bound(module, node.id)) if isinstance(node, ast.Name) else [node]
    if isinstance(node, ast.Name) and any(_changes(each, node.id) for each in module.scope):
        return False
    return bool(made) and all(isinstance(each, (ast.List, ast.Tuple)) and _told(each.elts) for each in made)


def _told(words: list[ast.expr]) -> bool:
    first = words[0] if words else None
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return False
    written = [each.value for each in words if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return not any(_INTERPRETS.search(word) for word in written)


def _changes(node: ast.AST, name: str) -> bool:
    """Whether it puts something else into the list of that name."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return isinstance(node.value, ast.Name) and node.value.id == name
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == name


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


def _hazard(
    call: ast.Call, kind: Kind, shape: str, severity: Severity, message: str, target: str | None, doubt: str = ""
) -> Hazard:
    found = at_call(call, ast.unparse(call), kind, shape, severity, message, target, Confidence.MEDIUM)
    return replace(found, doubt=doubt)
