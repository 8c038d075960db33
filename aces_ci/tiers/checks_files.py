"""Checks on the files that a trial left behind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase

from aces_ci.core.grading.subject import Subject
from aces_ci.tiers.checks_result import CannotTell, Told, needed, pattern

_HOLDS: Mapping[str, Callable[[str, str], bool]] = {
    "pattern": lambda wanted, text: pattern(wanted).search(text) is not None,
    "contains": lambda wanted, text: wanted in text,
    "equals": lambda wanted, text: wanted.strip() == text.strip(),
}


def exists(subject: Subject, args: Mapping[str, object]) -> Told:
    """At least one collected file has this path, or agrees with this glob."""
    path = needed(args, "path")
    found = _found(subject, path)
    return Told(bool(found), f"{found[0]} is there" if found else f"{path} is not there")


def absent(subject: Subject, args: Mapping[str, object]) -> Told:
    """No collected file has this path."""
    told = exists(subject, args)
    return Told(not told.passed, told.because)


def matches(subject: Subject, args: Mapping[str, object]) -> Told:
    """The file is there and its content is as wanted; of a glob, one of its files."""
    path = needed(args, "path")
    found = _found(subject, path)
    if not found:
        return Told(False, f"{path} is not there")
    told = [_holds(subject, name, args) for name in found]
    return next((one for one in told if one.passed), told[0])


def avoids(subject: Subject, args: Mapping[str, object]) -> Told:
    """The file is there, and neither it nor another file of the glob has that content."""
    path = needed(args, "path")
    if not _found(subject, path):
        return Told(False, f"{path} is not there")
    told = matches(subject, args)
    return Told(not told.passed, told.because)


def _holds(subject: Subject, name: str, args: Mapping[str, object]) -> Told:
    digest = args.get("sha256")
    if isinstance(digest, str):
        same = hashlib.sha256(_files(subject)[name]).hexdigest() == digest.lower()
        return Told(same, f"{name} has {'that' if same else 'another'} digest")
    text = text_of_file(subject, name)
    if text is None:
        return Told(False, f"{name} is not UTF-8 text")
    for key, holds in _HOLDS.items():
        wanted = args.get(key, args.get("value") if key == "contains" else None)
        if isinstance(wanted, str):
            held = holds(wanted, text)
            return Told(held, f"{name} {'agrees' if held else 'does not agree'} with `{key}`")
    raise CannotTell("the check has none of `pattern`, `contains`, `equals`, `sha256`")


def workspace(subject: Subject, args: Mapping[str, object]) -> Told:
    """Every listed file is as listed; null says that it must not be there."""
    wanted = args.get("files")
    if not isinstance(wanted, Mapping) or not wanted:
        raise CannotTell("the check has no object `files`")
    for path, content in wanted.items():
        text = text_of_file(subject, str(path))
        there = str(path) in _files(subject)
        if content is None and there:
            return Told(False, f"{path} is there")
        if content is not None and (text is None or text.strip() != str(content).strip()):
            return Told(False, f"{path} {'differs' if there else 'is not there'}")
    return Told(True, f"{len(wanted)} files are as wanted")


def text_of_file(subject: Subject, path: str) -> str | None:
    """A collected file as UTF-8 text, or None where it is missing or no text."""
    data = _files(subject).get(_plain(path))
    if data is None:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _files(subject: Subject) -> Mapping[str, bytes]:
    if subject.workspace is None:
        raise CannotTell("no workspace was collected with this trace")
    return subject.workspace


def _found(subject: Subject, path: str) -> list[str]:
    plain = _plain(path)
    files = _files(subject)
    # `**/` stands for no folder as well.
    globs = (plain, plain.replace("**/", "")) if "**/" in plain else (plain,)
    return [plain] if plain in files else sorted(name for name in files if any(fnmatchcase(name, g) for g in globs))


def _plain(path: str) -> str:
    return path.removeprefix("./").removeprefix("/workspace/")
