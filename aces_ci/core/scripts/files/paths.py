"""Where a path of a command points, judged by its text alone."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

import re2

from aces_ci.core.scripts.shell.folders import below


class Area(StrEnum):
    """The part of a machine that a path lies in."""

    ROOT = "root"
    HOME = "home"
    """A home directory itself, or all of it."""
    BELOW_HOME = "below_home"
    SYSTEM = "system"
    """/etc, /usr and their like, at most one level deep: without it the machine does not work."""
    BELOW_SYSTEM = "below_system"
    DEVICE = "device"
    """A disk or memory device; `/dev/null` and its like are `TEMPORARY`."""
    TEMPORARY = "temporary"
    WORKSPACE = "workspace"
    """Relative and not climbing out, or below a folder that the caller calls its own."""
    ALL_OF_IT = "all_of_it"
    """The working directory as a whole: `.`, `*`, `./*`."""
    OUTSIDE = "outside"
    UNKNOWN = "unknown"
    """Begins with something that only the run knows."""


_HARMLESS_DEVICES = re2.compile(
    r"/dev/(null|zero|full|u?random|stdin|stdout|stderr|tty\w*|ptmx|pts(/.*)?|shm(/.*)?|fd(/.*)?|tcp/.*|udp/.*|"
    r"ptp\d+|video\d+|snd(/.*)?|dri(/.*)?|kvm|loop\d*)"
)
_SYSTEM = (
    "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/sys", "/proc", "/var", "/opt", "/dev", "/run",
    "/System", "/Library", "/Applications", "/private", "/srv", "/mnt", "/media", "/Volumes",
)  # fmt: skip
_VITAL = re2.compile(
    r"/(etc|usr|bin|sbin|lib|lib64|boot|sys|proc|var|opt|dev|run|System|Library|Applications|private|srv|mnt|media|"
    r"Volumes)"
    r"|/usr/(bin|lib|lib64|sbin|share|local|include|libexec)|/usr/local/(bin|lib|sbin|share|etc)|/var/(lib|log|run|"
    r"spool)"
    r"|/etc/(ssh|pam\.d|systemd|ssl|init\.d|sudoers\.d|network|apt|cron\.d|profile\.d)|/(System/)?Library/\w+"
)
"""Folders that other programs need; a program's own folder beside them is not one."""
_TEMPORARY = re2.compile(
    r"((/private)?/(tmp|var/tmp)|/var/folders|/dev/shm|\$TMPDIR|\$TMP|\$TEMP|\$RUNNER_TEMP|[$][(]mktemp.*|"
    r"`mktemp.*)(/|$)"
)
_PROJECTS = re2.compile(r"/(opt|srv|mnt|media|Volumes|usr/src|usr/local/src|var/www|private)/")
"""Folders of the system in which people keep projects."""
_CLIMBS = re2.compile(r"(?:\.\./){3,}((?:etc|boot|proc|sys|root|home)(?:/.*)?)")
_BRACES = re2.compile(r"\{([^{}$]*,[^{}$]*)\}")
MAX_BRACES = 16
_CACHES = re2.compile(
    r"/var/(lib/apt/lists|cache|log)\b|~/\.cache\b|\$HOME/\.cache\b|/root/\.cache\b|node_modules|\.npm/_|"
    r"/usr/share/(doc|man)\b|^(/System)?/Library/(Caches|Logs)/"
)
_OWN_FOLDER = re2.compile(r"(~|\$HOME|/root|/(home|Users)/[\w.-]+)/\.[\w.-]+/[\w.${}<>_-]+")
"""`~/.tool/part`: what one program keeps, not what a person made."""
_WORKSPACE_NAMES = ("$PWD", "$(pwd)", "`pwd`", "$GITHUB_WORKSPACE", "$CI_PROJECT_DIR", "$WORKSPACE", "$(git rev-parse")
_HOMES = ("~", "$HOME", "$USERPROFILE", "%USERPROFILE%", "/root", "$env:USERPROFILE", "$env:HOME")
_HOME_OF = re2.compile(r"(/home|/Users|/var/home|~)/?[\w.@-]+|~[\w.-]+|(/home|/Users)/[$](USER|LOGNAME|USERNAME)")
_DRIVE = re2.compile(r"[A-Za-z]:[\\/]")

_SECRET = re2.compile(
    r"(?i)(^|/)("
    r"\.ssh(/(id_\w+|identity|\*|[\w.-]*key[\w.-]*|[\w.-]+\.pem))?/?|id_(rsa|dsa|ecdsa|ed25519)"
    r"|\.aws(/credentials)?/?|\.config/gcloud(/.*)?|\.azure(/.*)?|\.kube(/config)?|\.docker/config\.json"
    r"|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.config/gh(/hosts\.yml)?|\.npmrc|\.pypirc|\.gnupg(/.*)?"
    r"|\.password-store(/.*)?|\.vault-token|\.terraform\.d/credentials[\w.]*|\.bitcoin(/.*)?|wallet\.dat|"
    r"\.ethereum(/.*)?"
    r"|\.claude/\.credentials\.json|\.codex/auth\.json|\.config/op(/.*)?|login\.keychain(-db)?|Login Data|"
    r"logins\.json|key[34]\.db"
    r"|etc/shadow|etc/gshadow|etc/sudoers|etc/krb5\.keytab|proc/(self|\d+|1)/environ"
    r"|\.env(\.(local|prod|production|development|staging|test))?|secrets?\.(env|ya?ml|json|toml)|"
    r"credentials\.(json|ya?ml|toml)|service[-_]account[\w-]*\.json"
    r"|[\w.-]+\.kdbx"
    r")$"
)
_PROJECT_SECRET = re2.compile(r"(?i)(^|/)(\.env(\.\w+)?|secrets?\.\w+|credentials\.(ya?ml|json|toml)|\.npmrc)$")

_PRIVATE = re2.compile(
    r"(?i)(^|/)("
    r"\.(bash|zsh|sh|python|psql|mysql|sqlite|node_repl|irb)_?history|\.histfile|fish_history|ConsoleHost_history\.txt"
    r"|[\w.*-]+\.(ppk|p12|pfx|jks|keystore|key|kdbx)|[\w.*-]*(key|priv)[\w.*-]*\.pem|\*\.(pem|env)|id_[\w*]+|\.env\*"
    r"|[\w.*-]*(secret|credential|password|wallet)s?\*"
    r")$"
)
_PUBLIC = re2.compile(r"(?i)pub(lic)?[._-]?\w*(key)?[\w.-]*$")


def disposable(path: str) -> bool:
    """Whether it is a cache, or what one program keeps for itself in a home: `~/.tool/part`."""
    return _CACHES.search(path) is not None or _OWN_FOLDER.match(path) is not None


def area(path: str, workspaces: Sequence[str] = ()) -> Area:
    """The area of `path`, a word's shape. `workspaces` are absolute folders that are the caller's own."""
    path = path.strip()
    if not path:
        return Area.UNKNOWN
    stars = path.rstrip("/") in {"*", ".", "./*", "./.*", ".*", "..", "../*"}
    if path.startswith("/"):
        path = "/" + posixpath.normpath(path).lstrip("/")
    if _TEMPORARY.match(path) or _HARMLESS_DEVICES.fullmatch(path):
        return Area.TEMPORARY
    if path.startswith(_WORKSPACE_NAMES):
        rest = path.split("/", 1)[1] if "/" in path else ""
        return Area.ALL_OF_IT if rest in {"", "*"} else Area.WORKSPACE
    home = _below_home(path)
    if home is not None:
        return home
    if path.startswith("$") or path.startswith("`"):
        return Area.UNKNOWN
    if stars:
        return Area.OUTSIDE if path.startswith("..") else Area.ALL_OF_IT
    if _DRIVE.match(path):
        return Area.ROOT if len(path.rstrip("*\\/")) <= 2 else Area.OUTSIDE
    if not path.startswith("/"):
        return _relative(posixpath.normpath(path))
    return _absolute(path, workspaces)


def area_in(folder: str, path: str, workspaces: Sequence[str] = ()) -> Area:
    """The area of a path that is meant in `folder`, both shapes of words; "" is where the script started.

    Somebody's folder on the way to which a script `cd`s is taken for what that somebody works in: what lies in
    it is judged as if the script had started there.
    """
    plain = area(path, workspaces)
    whole = below(folder, path)
    if whole == path or plain not in {Area.WORKSPACE, Area.ALL_OF_IT, Area.OUTSIDE}:
        return plain
    found = area(whole, workspaces)
    foreign = found is Area.BELOW_SYSTEM and not _PROJECTS.match(whole)
    return found if foreign or found not in {Area.BELOW_SYSTEM, Area.BELOW_HOME, Area.OUTSIDE, Area.UNKNOWN} else plain


def braces(shape: str) -> tuple[str, ...]:
    """`/{bin,usr}` as the words that a shell makes of it, at most a few."""
    found = _BRACES.search(shape) if "{" in shape else None
    if found is None:
        return (shape,)
    before, after = shape[: found.start()], shape[found.end() :]
    return tuple(f"{before}{part}{after}" for part in found.group(1).split(",")[:MAX_BRACES])


@lru_cache(maxsize=8192)
def secret(path: str) -> bool:
    """Whether a file of this name holds credentials by convention."""
    path = path.strip("\"'")
    if path.endswith((".example", ".sample", ".template", ".pub", ".dist", "authorized_keys", "known_hosts")):
        return False
    return _SECRET.search(path.replace("\\", "/")) is not None


@lru_cache(maxsize=8192)
def private(path: str) -> bool:
    """Whether a file of this name, or what a pattern such as `*.pem` finds, is not to be sent to another machine.

    Beside credentials these are keys, and the record of what a person typed: to read them is daily work.
    """
    path = path.strip("\"'")
    if secret(path):
        return True
    name = path.replace("\\", "/")
    return _PRIVATE.search(name) is not None and _PUBLIC.search(name.rsplit("/", 1)[-1]) is None


def project_secret(path: str) -> bool:
    """Whether it is a credential file that a project's own tools read every day, such as `.env`."""
    return _PROJECT_SECRET.search(path) is not None


def _relative(path: str) -> Area:
    """What climbs out far and then names a folder of the system means that one, from wherever it starts."""
    if not path.startswith(".."):
        return Area.WORKSPACE
    found = _CLIMBS.fullmatch(path)
    return area(f"/{found.group(1)}") if found else Area.OUTSIDE


def _below_home(path: str) -> Area | None:
    for home in _HOMES:
        if path == home or path.startswith((home + "/", home + "\\")):
            rest = path[len(home) :].strip("/\\")
            if ".." in rest and not home.startswith("/"):
                return area(posixpath.normpath(f"/home/_/{rest}"))
            return Area.HOME if rest in {"", "*", ".", ".*"} else Area.BELOW_HOME
    found = _HOME_OF.match(path)
    if found and found.end() == len(path.rstrip("/*")):
        return Area.HOME
    if found and path[found.end() : found.end() + 1] == "/":
        return Area.BELOW_HOME
    return None


def _absolute(path: str, workspaces: Sequence[str]) -> Area:
    clean = path
    for own in workspaces:
        if clean.removesuffix("/*") == own.rstrip("/"):
            return Area.ALL_OF_IT
        if clean.startswith(own.rstrip("/") + "/"):
            return Area.WORKSPACE
    if clean in {"/", "/*", "/.", "/.*"} or _takes_in_vital(clean):
        return Area.ROOT
    if clean.startswith("/dev/"):
        return Area.DEVICE
    if clean in {"/home", "/home/*", "/Users", "/Users/*"}:
        return Area.HOME
    for system in _SYSTEM:
        if clean == system or clean.startswith(system + "/"):
            return Area.SYSTEM if _VITAL.fullmatch(clean.removesuffix("/*")) else Area.BELOW_SYSTEM
    return Area.OUTSIDE


def _takes_in_vital(path: str) -> bool:
    """Whether a pattern right below the root, `/e*` or `/[a-z]*`, takes in a folder of the system."""
    name = path[1:].removesuffix("/*")
    if "/" in name or not any(sign in name for sign in "*?["):
        return False
    return any(fnmatchcase(system[1:], name) for system in (*_SYSTEM, "/home", "/root"))
