"""Commands that delete or overwrite what cannot be brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import re2

from aces_ci.core.finding import Severity
from aces_ci.core.scripts.detectors.destroyers import SQL_CLIENTS, cloud, sql
from aces_ci.core.scripts.detectors.git_losses import git
from aces_ci.core.scripts.files.paths import Area, area, braces, disposable
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.scene import Scene, Suspicion
from aces_ci.core.scripts.hazards.supplied import Supply, found, supplied
from aces_ci.core.scripts.shell.command import Command, Within

_AREAS: Mapping[Area, tuple[Severity, str, str]] = {
    Area.ROOT: (Severity.CRITICAL, "root", "the whole file system"),
    Area.HOME: (Severity.CRITICAL, "home", "a whole home directory"),
    Area.SYSTEM: (Severity.CRITICAL, "system", "a system directory"),
    Area.DEVICE: (Severity.CRITICAL, "device", "a disk device"),
    Area.BELOW_HOME: (Severity.WARNING, "below-home", "a folder in the user's home"),
    Area.BELOW_SYSTEM: (Severity.WARNING, "below-system", "files of the system"),
    Area.OUTSIDE: (Severity.WARNING, "outside", "a folder outside the working directory"),
    Area.ALL_OF_IT: (Severity.WARNING, "all", "everything in the working directory"),
}
_DISK = re2.compile(
    r"/dev/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|disk\d|rdisk\d|mapper/|mem\b|kmem\b|"
    r"md\d)"
)
_PARTITION = re2.compile(r"/dev/\$|/dev/disk/")
OTHERS_DO_IT = "Whoever sets a machine up does it as well."
GUARDED = "It stands behind a condition, or in a machine or home of its own."
_APART = frozenset({"chroot", "bwrap", "firejail", "unshare", "nsenter", "arch-chroot"})
_WHOLE = frozenset({"rm-root", "rm-home", "rm-found", "find-delete", "mv-null", "mode-root"})
_EVERYTHING = re2.compile(r"/|~/?|[$]HOME/?|[$]\{HOME\}/?|/home/?|/root/?|/Users/?")
_FIRST_DISK = re2.compile(r"/dev/(sda|hda|vda|xvda|nvme0n1|mmcblk0|r?disk[01])")
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff"})


def find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """Every destructive shape of one command; of the worst, why it may yet be meant."""
    for each in _found(scene, command):
        yield replace(each, doubt=_doubt(scene, command, each)) if each.severity is Severity.CRITICAL else each


def _doubt(scene: Scene, command: Command, suspicion: Suspicion) -> str:
    """ "" for the whole of a machine, a home or its first disk, named as such and reached whatever happens."""
    target = (suspicion.target or "").strip("\"'").rstrip("*")
    if suspicion.shape == "fork-bomb" or command.has("--no-preserve-root"):
        named = True
    elif suspicion.shape == "overwrite-disk":
        filled = ("/dev/zero" in command.source or "random" in command.source) and "count=" not in command.source
        named = filled and _FIRST_DISK.fullmatch(target) is not None
    else:
        named = suspicion.shape in _WHOLE and _EVERYTHING.fullmatch(target) is not None and target in command.source
    if not named:
        return OTHERS_DO_IT
    own_home = any(key == "HOME" for each in scene.commands[: command.index + 1] for key, _ in each.assignments)
    kept_apart = bool(
        command.within & {Within.CONTAINER, Within.REMOTE, Within.BRANCH} or _APART & set(command.wrappers)
    )
    return GUARDED if kept_apart or own_home or command.operator == "||" else ""


def _found(scene: Scene, command: Command) -> Iterator[Suspicion]:
    name = command.name
    if name is not None:
        detector = _BY_NAME.get(name)
        if detector:
            yield from detector(scene, command)
        if name.startswith("mkfs") or name in {"wipefs", "blkdiscard"}:
            target = next((w.shape for w in command.operands if w.shape.startswith("/dev/")), None)
            if target:
                make = _critical if _DISK.match(target) or _PARTITION.match(target) else _warning
                yield make("format-disk", f"erases the disk {target}", target)
        if name in SQL_CLIENTS:
            yield from sql(command)
    yield from _fork_bomb(scene, command)
    for redirect in command.redirects:
        if redirect.writes and redirect.target and _DISK.match(redirect.target.shape):
            yield _critical("overwrite-disk", f"writes over the disk {redirect.target.shape}", redirect.target.shape)


def _critical(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=Severity.CRITICAL, message=message, target=target)


def _warning(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=Severity.WARNING, message=message, target=target)


def _info(shape: str, message: str, target: str | None = None) -> Suspicion:
    return Suspicion(kind=Kind.DESTRUCTIVE, shape=shape, severity=Severity.INFO, message=message, target=target)


def _rm(scene: Scene, command: Command) -> Iterator[Suspicion]:
    deep = command.has("-r", "-R", "--recursive")
    if command.has("--no-preserve-root"):
        yield _critical("rm-root", "deletes the whole file system, its guard switched off")
        return
    yield from _handed(scene, command)
    for word in command.operands:
        for shape in (word.shape,) if word.quoted else braces(word.shape):
            suspicion = _removal(scene, command, shape, deep=deep, quoted=word.quoted)
            if suspicion:
                yield suspicion


def _removal(scene: Scene, command: Command, shape: str, *, deep: bool, quoted: bool) -> Suspicion | None:
    place = scene.area(command, shape)
    severity, slug, what = _AREAS.get(place, (None, "", ""))
    if shape.rstrip("/").endswith("/.git") or shape.rstrip("/") == ".git":
        cloned = place in {Area.UNKNOWN, Area.TEMPORARY}
        severity, slug, what = Severity.INFO if cloned else Severity.WARNING, "history", "the repository's history"
    if severity is None and place is Area.UNKNOWN and deep and "/*" in shape and not quoted:
        return _info("rm-unset", f"deletes {shape}, which is /* where the variable is empty", shape)
    if severity is None or (not deep and "*" not in shape and severity is not Severity.CRITICAL):
        return None
    if not deep and place in {Area.HOME, Area.SYSTEM} and "*" not in shape:
        severity = Severity.WARNING
    if disposable(shape) and (severity is Severity.WARNING or place is Area.SYSTEM):
        severity = Severity.INFO
    if Within.CONTAINER in command.within and severity is Severity.CRITICAL:
        severity = Severity.WARNING
    return Suspicion(
        kind=Kind.DESTRUCTIVE, shape=f"rm-{slug}", severity=severity,
        message=f"deletes {what} ({shape})", target=shape,
    )  # fmt: skip


def _handed(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """What `find -exec`, `xargs` or a loop over found names has deleted or emptied."""
    yield from _below(scene, supplied(scene, command), "rm-found")


def _below(scene: Scene, supplies: Iterable[Supply], slug: str) -> Iterator[Suspicion]:
    for supply in supplies:
        place = area(supply.path, scene.workspaces)
        severity, _, _ = _AREAS.get(place, (None, "", ""))
        if severity is None or (supply.chosen and severity is not Severity.CRITICAL) or disposable(supply.path):
            continue
        make = _critical if severity is Severity.CRITICAL and not supply.chosen else _warning
        yield make(slug, f"deletes files below {supply.path}", supply.path)


def _rimraf(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """`rimraf x`, also by `npx rimraf x`."""
    words = [word.shape for word in command.words]
    if "rimraf" in words[:4]:
        for shape in words[words.index("rimraf") + 1 :]:
            suspicion = _removal(scene, command, shape, deep=True, quoted=False) if shape[:1] != "-" else None
            if suspicion:
                yield suspicion


def _rsync(scene: Scene, command: Command) -> Iterator[Suspicion]:
    goal = command.operands[-1].shape if len(command.operands) > 1 else ""
    deletes = any(word.shape.startswith("--delete") for word in command.arguments)
    if deletes and scene.area(command, goal) in {Area.ROOT, Area.HOME, Area.SYSTEM}:
        yield _critical("rsync-delete", f"deletes what is not in its source from {goal}", goal)


def _find(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if any(word.text == "-delete" for word in command.arguments):
        words = [word.shape for word in command.arguments]
        yield from _below(scene, found(words, command.folder), "find-delete")


def _dd(scene: Scene, command: Command) -> Iterator[Suspicion]:
    for word in command.arguments:
        target = word.shape.removeprefix("of=")
        if target != word.shape and scene.area(command, target) is Area.DEVICE:
            yield _critical("overwrite-disk", f"writes over the disk {target}", target)


def _shred(scene: Scene, command: Command) -> Iterator[Suspicion]:
    yield from _handed(scene, command)
    for word in command.operands:
        if scene.area(command, word.shape) in {Area.DEVICE, Area.ROOT, Area.HOME, Area.SYSTEM}:
            yield _critical("shred", f"destroys {word.shape} beyond recovery", word.shape)


def _diskutil(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if any(
        (word.text or "").lower() in {"erasedisk", "erasevolume", "zerodisk", "secureerase"}
        for word in command.operands
    ):
        yield _critical("format-disk", "erases a disk")


def _mode(scene: Scene, command: Command) -> Iterator[Suspicion]:
    words = command.operands
    if not words:
        return
    mode, targets = words[0].shape, words[1:]
    deep = command.has("-R", "--recursive")
    opened = command.name == "chmod" and mode.lstrip("0") in {"777", "666", "a+rwx", "ugo+rwx", "o+w", "a+w"}
    handed = [supply.path for supply in supplied(scene, command) if not supply.chosen]
    for shape in (*(word.shape for word in targets), *handed):
        place = area(shape, scene.workspaces) if shape in handed else scene.area(command, shape)
        if (deep or shape in handed) and place in {Area.ROOT, Area.HOME, Area.SYSTEM}:
            own = command.name == "chown" and place is Area.HOME
            make = _warning if own or not (opened or command.name != "chmod") else _critical
            yield make("mode-root", f"changes owner or mode of everything below {shape}", shape)
        elif opened and deep:
            yield _warning("mode-open", f"lets every user write to everything below {shape}", shape)
        elif opened:
            yield _info("mode-open", f"lets every user write to {shape}", shape)


def _mv(scene: Scene, command: Command) -> Iterator[Suspicion]:
    words = command.operands
    gone = len(words) > 1 and words[-1].shape == "/dev/null"
    for word in words[:-1]:
        place = scene.area(command, word.shape)
        vital = place in {Area.ROOT, Area.SYSTEM}
        if gone:
            make = _critical if vital or place is Area.HOME else _warning
            yield make("mv-null", f"moves {word.shape} to /dev/null", word.shape)
        elif vital:
            yield _critical("mv-system", f"moves a system directory away ({word.shape})", word.shape)


def _kill(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if command.name == "kill" and any(w.text == "-1" for w in command.arguments[1:]):
        yield _critical("kill-all", "kills every process of the user")
    if command.name == "killall5":
        yield _critical("kill-all", "kills every process")


def _power(scene: Scene, command: Command) -> Iterator[Suspicion]:
    usage = any(word.shape.startswith("[") for word in command.arguments)
    if not usage and not command.has("--help"):
        yield _warning("power-off", "turns the machine off")


def _crontab(scene: Scene, command: Command) -> Iterator[Suspicion]:
    if command.has("-r"):
        yield _warning("crontab-remove", "deletes every scheduled job of the user")


def _fork_bomb(scene: Scene, command: Command) -> Iterator[Suspicion]:
    """`:(){ :|:& };:` a function in which a pipeline's stages are the same name, in the background."""
    if Within.FUNCTION not in command.within or command.position == 0 or not command.background or command.arguments:
        return
    stages = scene.stages(command)
    if len(stages) > 1 and len({stage.name for stage in stages}) == 1 and command.name is not None:
        yield _critical("fork-bomb", "starts copies of itself until the machine stops")


_BY_NAME: Mapping[str, Callable[[Scene, Command], Iterator[Suspicion]]] = {
    "rm": _rm, "unlink": _rm, "rmdir": _rm, "find": _find, "rsync": _rsync, 
    "rimraf": _rimraf, "npx": _rimraf, "bunx": _rimraf, "pnpx": _rimraf,
    "dd": _dd, "shred": _shred, "truncate": _handed, "diskutil": _diskutil,
    "chmod": _mode, "chown": _mode, "chgrp": _mode, "mv": _mv, "git": git, "kill": _kill, "killall5": _kill,
    "crontab": _crontab, **dict.fromkeys(_POWER, _power),
    **dict.fromkeys(
        ("terraform", "tofu", "terragrunt", "pulumi", "aws", "gsutil", "gcloud", "az", "kubectl",
         "docker", "podman", "gh",
         "heroku",
         "fly", "flyctl", "vercel", "netlify", "railway", "render", "wrangler", "npm", "dropdb", "dropuser"),
        cloud,
    ),
}  # fmt: skip
