"""Commands that switch safeguards off, gain rights, or plant something for later."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.detectors.planted import AUTOSTART, START_FILE, schedules
from aces_ci.core.scripts.flow.output import told
from aces_ci.core.scripts.flow.written import written
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.downloads import fetches
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.holdings import Content
from aces_ci.core.scripts.hazards.logins import login_doubt
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.scripts.shell.wrappers import SHELLS

_AGENT_FLAGS: Mapping[str, str] = {
    "--dangerously-skip-permissions": "every permission check of the agent",
    "--allow-dangerously-skip-permissions": "every permission check of the agent",
    "--dangerously-bypass-approvals-and-sandbox": "the agent's approvals and its sandbox",
    "--dangerously-bypass-hook-trust": "the agent's trust in hooks",
    "--yolo": "every approval of the agent",
    "--full-auto": "the agent's approvals",
    "--dangerously-allow-all": "every approval of the agent",
    "--trust-all-tools": "every approval of the agent",
    "--no-sandbox-agent": "the agent's sandbox",
}
_AGENT_PAIRS = (
    ("--permission-mode", "bypassPermissions"),
    ("--sandbox", "danger-full-access"),
    ("-s", "danger-full-access"),
    ("--approval-mode", "yolo"),
    ("--ask-for-approval", "never"),
    ("-a", "never"),
)
_AGENTS = frozenset(
    {
        "claude",
        "codex",
        "gemini",
        "opencode",
        "cursor-agent",
        "aider",
        "goose",
        "amp",
        "qwen",
        "q",
        "kiro-cli",
        "copilot",
        "droid",
    }
)
_KEYS = re2.compile(r"(^|/)(\.ssh/authorized_keys|\.ssh/config|etc/sudoers(\.d/.*)?|etc/passwd|etc/shadow|etc/hosts)$")
_AGENT_FILES = re2.compile(
    r"(^|/)(\.claude/(settings(\.local)?\.json|CLAUDE\.md|hooks/.*|\.?mcp\.json)|\.claude\.json|"
    r"\.codex/(config\.toml|AGENTS\.md)|\.gemini/settings\.json|\.cursor/(mcp\.json|rules/.*)|\.config/opencode/.*|"
    r"\.git/hooks/\w[\w-]*|\.mcp\.json)$"
)
_SPELLED = re2.compile(
    r"(?i)^(NODE_TLS_REJECT_UNAUTHORIZED=0|GIT_SSL_NO_VERIFY=(1|true)|PYTHONHTTPSVERIFY=0|CURL_INSECURE=1|"
    r"SSL_VERIFY=(0|false)|HUSKY=0)"
)


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every such shape of one command."""
    yield from _agent(command)
    yield from _checks_off(command)
    yield from _walls(scene, command)
    yield from _writes(scene, command)
    yield from _rights(scene, command)
    yield from _traces(command)


def _suspicion(
    kind: Kind,
    shape: str,
    severity: Severity,
    message: str,
    target: str | None = None,
    confidence: Confidence = Confidence.HIGH,
) -> Suspicion:
    return Suspicion(kind=kind, shape=shape, severity=severity, message=message, target=target, confidence=confidence)


def _agent(command: Command) -> Iterator[Suspicion]:
    shapes = [word.shape for word in command.arguments]
    for shape in shapes:
        what = _AGENT_FLAGS.get(shape.split("=", 1)[0])
        if what and (command.name in _AGENTS or shape.startswith(("--dangerously", "--allow-dangerously"))):
            severity = Severity.INFO if shape == "--full-auto" else Severity.WARNING  # it keeps its sandbox
            yield _suspicion(Kind.UNATTENDED, "agent-unguarded", severity, f"switches off {what} ({shape})", shape)
            return
    for option, value in _AGENT_PAIRS if command.name in _AGENTS else ():
        paired = any(a == option and b == value for a, b in itertools.pairwise(shapes))
        if paired or f"{option}={value}" in shapes:
            yield _suspicion(
                Kind.UNATTENDED,
                "agent-unguarded",
                Severity.WARNING,
                f"switches off the agent's approvals ({option} {value})",
                value,
            )
            return


def _checks_off(command: Command) -> Iterator[Suspicion]:
    name = command.name or ""
    if name in {"curl", "wget"} and command.has("-k", "--insecure", "--no-check-certificate") and not _local(command):
        insecure = command.has("--insecure", "--no-check-certificate") or (name == "curl" and command.has("-k"))
        if insecure:
            yield _suspicion(
                Kind.UNATTENDED, "no-certificate-check", Severity.INFO, "downloads without checking the certificate"
            )
    if name == "git" and any("http.sslVerify=false" in word.shape for word in command.arguments):
        yield _suspicion(Kind.UNATTENDED, "no-certificate-check", Severity.WARNING, "lets git accept any certificate")
    if name in {"pip", "pip3"} and command.has("--trusted-host"):
        yield _suspicion(
            Kind.UNATTENDED,
            "no-certificate-check",
            Severity.WARNING,
            "installs from a host whose certificate is not checked",
        )
    if name in {"ssh", "scp", "rsync"} and any(
        "stricthostkeychecking=no" in word.shape.lower() for word in command.arguments
    ):
        yield _suspicion(Kind.UNATTENDED, "no-host-check", Severity.INFO, "accepts any host key")
    if name in {"apt", "apt-get"} and command.has("--allow-unauthenticated", "--force-yes"):
        yield _suspicion(
            Kind.UNATTENDED, "no-signature-check", Severity.WARNING, "installs packages whose signature is not checked"
        )
    for key, value in command.assignments:
        if _SPELLED.match(f"{key}={value.shape}"):
            yield _suspicion(
                Kind.UNATTENDED,
                "no-certificate-check",
                Severity.WARNING,
                f"switches a check off ({key}={value.shape})",
                key,
            )


def _walls(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """A password on a pipe, and firewalls and their like switched off."""
    name = command.name or ""
    if (
        "sudo" in command.wrappers
        and any(s.name in {"echo", "printf"} for s in scene.before(command))
        and "-S" in command.source
    ):
        yield _suspicion(Kind.PRIVILEGE, "sudo-password", Severity.WARNING, "hands sudo a password in clear text")
    if name in {"setenforce"} and any(word.text == "0" for word in command.arguments):
        yield _suspicion(Kind.UNATTENDED, "firewall-off", Severity.WARNING, "switches mandatory access control off")
    if (name == "ufw" and any(w.text == "disable" for w in command.arguments)) or (
        name == "iptables" and command.has("-F")
    ):
        yield _suspicion(Kind.UNATTENDED, "firewall-off", Severity.WARNING, "switches the firewall off")
    if name == "spctl" and command.has("--master-disable"):
        yield _suspicion(Kind.UNATTENDED, "firewall-off", Severity.WARNING, "switches Gatekeeper off")


def _local(command: Command) -> bool:
    return any("localhost" in word.shape or "127.0.0.1" in word.shape for word in command.arguments)


def _writes(scene: Scene, command: Command) -> Iterator[Suspicion]:
    for target in written(command):
        if "sudoers.d/" in target and _says_nothing(command):
            continue
        if _KEYS.search(target):
            there = Within.REMOTE in command.within  # one's own key on one's own server is what ssh-copy-id does
            worst = (
                not there and target.endswith(("authorized_keys", "sudoers", "passwd", "shadow"))
            ) or "sudoers.d/" in target
            found = _suspicion(
                Kind.PERSISTENCE,
                "login-files",
                Severity.CRITICAL if worst else Severity.WARNING,
                f"changes who may log in or become root ({target})",
                target,
            )
            yield replace(found, doubt=login_doubt(target, _put_there(scene, command), command))
        elif AUTOSTART.search(target):
            yield _suspicion(
                Kind.PERSISTENCE,
                "autostart",
                Severity.WARNING,
                f"plants a program that starts by itself ({target})",
                target,
            )
        elif _AGENT_FILES.search(target):
            yield _suspicion(
                Kind.PERSISTENCE,
                "agent-settings",
                Severity.WARNING,
                f"changes what agents or git run later ({target})",
                target,
            )
        elif START_FILE.search(target):
            yield _suspicion(
                Kind.PERSISTENCE,
                "shell-profile",
                Severity.INFO,
                f"changes the start file of a shell ({target})",
                target,
                Confidence.MEDIUM,
            )
    if schedules(command):
        yield _suspicion(Kind.PERSISTENCE, "autostart", Severity.WARNING, "schedules a job that runs without the user")
    if command.name == "launchctl" and any(w.text in {"load", "bootstrap"} for w in command.arguments):
        yield _suspicion(Kind.PERSISTENCE, "autostart", Severity.WARNING, "starts a program at every login")


def _put_there(scene: Scene, command: Command) -> str:
    """All that is written out of what a command puts into the file."""
    stages = (*scene.before(command), command)
    bodies = (redirect.body for stage in stages for redirect in stage.redirects if redirect.body)
    fetched = [url for stage in stages if fetches(stage) for url in hosts.of(stage)]
    held = (each.origin for stage in stages for each in told(scene, stage) if each.content is Content.WRITTEN)
    return "\n".join((*(stage.source for stage in stages), *bodies, *fetched, *held))


def _says_nothing(command: Command) -> bool:
    """Whether all that is printed is one comment, or nothing: no line of it lets anybody do anything."""
    if command.name != "echo":
        return False
    words = [word.text for word in command.arguments]
    if any(word is None or "\n" in word or "\\" in word for word in words):
        return False
    line = " ".join(word or "" for word in words).strip()
    return not line or re2.match(r"#\s", line) is not None  # `#include` and `#1000` are none


def _rights(scene: Scene, command: Command) -> Iterator[Suspicion]:
    name = command.name or ""
    shapes = [word.shape for word in command.arguments]
    if name == "chmod" and any(re2.match(r"^([ugo]*\+s|[2467]\d{3})$", shape) for shape in shapes[:2]):
        worst = any(_is_shell(scene, command, word.shape) for word in command.operands[1:])
        severity, what = (Severity.CRITICAL, "a shell") if worst else (Severity.WARNING, "a program")
        yield _suspicion(Kind.PRIVILEGE, "setuid", severity, f"lets {what} run with its owner's rights")
    container = name in {"docker", "podman"} or any(w.startswith(("docker", "podman")) for w in command.wrappers)
    if container:
        source = command.source
        if re2.search(r"--privileged\b|--pid[= ]host|--cap-add[= ](ALL|SYS_ADMIN)", source):
            yield _suspicion(
                Kind.PRIVILEGE, "container-escape", Severity.WARNING, "starts a container with the rights of the host"
            )
        elif re2.search(r"docker\.sock|(-v|--volume)[= ]/:|(-v|--volume)[= ](/etc|/root|~|\$HOME)/?:", source):
            yield _suspicion(
                Kind.PRIVILEGE,
                "container-escape",
                Severity.WARNING,
                "gives a container the host's files or its Docker socket",
            )
    if name in {"usermod", "gpasswd", "adduser"} and any(s in {"sudo", "wheel", "docker", "root"} for s in shapes):
        yield _suspicion(Kind.PRIVILEGE, "group-root", Severity.WARNING, "makes a user an administrator")


def _is_shell(scene: Scene, command: Command, path: str) -> bool:
    """Whether a file is a shell, or a copy of one that the script has made."""
    if path.startswith("/") and path.rsplit("/", 1)[-1] in SHELLS:
        return True
    copies = (
        each for each in scene.commands[: command.index] if each.name in {"cp", "install"} and path in written(each)
    )
    return any(_is_shell(scene, each, each.operands[0].shape) for each in copies)


def _traces(command: Command) -> Iterator[Suspicion]:
    name = command.name or ""
    wiped = name == "history" and command.has("-c")
    unset = name == "unset" and any(w.text == "HISTFILE" for w in command.arguments)
    off = any(key == "HISTFILE" and value.shape in {"/dev/null", ""} for key, value in command.assignments)
    gone = name in {"rm", "shred", "truncate"} and any(
        re2.search(r"\.(bash|zsh)_history$", w.shape) for w in command.arguments
    )
    if wiped or unset or off or gone:
        yield _suspicion(Kind.PERSISTENCE, "cover-traces", Severity.WARNING, "removes the record of what was run")
