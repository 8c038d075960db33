"""What a skill's texts point to: links and paths in code, resolved inside the skill and beside it."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from aces_ci.core.reading.outline import Outline, markup, outline
from aces_ci.core.skill import Skill

SCRIPT_SUFFIXES = (".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".ps1", ".php")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_PLACEHOLDER = re.compile(
    r"[<>{}$*|]|\.\.\.|%[sd]|^(?:url|link|path|file|href|target|uri|\w+-url)$|YYYY|your-|/path/to/|^path/to/|example\."
)
_ENDINGS = "|".join(re.escape(suffix[1:]) for suffix in SCRIPT_SUFFIXES)
_CONVENTIONAL = frozenset({"scripts", "references", "assets", "templates", "resources"})
_FOLDERS = f"(?:{'|'.join(sorted(_CONVENTIONAL))})"
# A path of the skill: bare, below a placeholder for its folder, or below a place where skills are installed.
_MENTION = re.compile(
    r"(?:(?<![\w./@}>$-])(?:\./)?|(?:\$\{?\w*(?i:skill|base|plugin)\w*\}?|\{\{?\w+\}?\}|<[\w -]+>"
    r"|/skills/(?:[\w-]+/)*(?P<owner>[\w-]+))/)"
    rf"(?P<path>{_FOLDERS}/[\w./@-]*\w)(?![\w/{{<-]|\*(?!\*))"
)
# A script anywhere in the skill, below a name that can only mean the skill's own folder.
_OWN_SCRIPT = re.compile(
    r"(?:\$\{?\w*(?i:skill_?(?:dir|root|path|home)|base_?dir)\w*\}?|\{\{?\w*(?i:skill|base)\w*\}?\}"
    r"|<(?i:skill)[\w -]*>)/"
    r"(?P<path>[\w][\w./-]*\.(?:py|sh|bash|m?js|cjs|ts|rb|pl|ps1|php))\b"
)
_FOLDER = re.compile(_FOLDERS + "/")
_PLACE = re.compile(r"[${<][^\n/]{0,80}/")
"""What a line holds at least in which `_MENTION`, `_OWN_SCRIPT` can find anything."""
_RELATIVE = re.compile(r"\]\((?!\s*(?:https?:|#))")
_WORKED = re.compile(rf"`(?:\./)?(?P<path>(?:examples|tests)/[\w./-]*\.(?:{_ENDINGS}))`")
"""A worked example or a test that the text points to; in a command such a path is mostly of the user's project."""
_ILLUSTRATION = re.compile(r"(?i)\bexamples?\b\W{0,3}:|\be\.g\.|\bsuch as\b|\bwould be\b|\bfor instance\b|\blike `")

COMPARED = 200
"""Files that a missing one is compared with by its letters."""
_ANYWHERE = frozenset({"skill.md", "readme.md", "index.md", "reference.md"})
"""Names that every folder has: one of them elsewhere is not the one that was meant."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A path that a file of the skill names. `target` is as written, `resolved` skill-relative or None outside."""

    path: str
    line: int
    label: str
    target: str
    resolved: str | None
    repository: str
    """The normalised path from the repository's root; begins with `..` where it leaves that."""


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """A skill as a key: equal to itself alone, since what it holds cannot be hashed."""

    skill: Skill

    def __eq__(self, other: object) -> bool:
        return isinstance(other, One) and other.skill is self.skill

    def __hash__(self) -> int:
        return id(self.skill)


def links(skill: Skill) -> tuple[Pointer, ...]:
    """Relative links of the manifest and of Markdown files in the skill; placeholders for files left out."""
    return _all_links(One(skill))


@lru_cache(maxsize=8)
def _all_links(one: One) -> tuple[Pointer, ...]:
    """Several rules ask for the same links; the files behind them are read once."""
    skill = one.skill
    found = list(_links(skill, skill.manifest, outline(skill.body), skill.body_line - 1))
    for path in sorted(skill.files):
        if path != skill.manifest and path.endswith(".md") and not path.startswith("evals/"):
            text = skill.files[path].text
            # Addresses are most of what references link to, and no rule asks for them.
            if text and _RELATIVE.search(text):
                found += _links(skill, path, markup(text), 0)
    return tuple(found)


def _links(skill: Skill, path: str, parts: Outline, shift: int) -> Iterator[Pointer]:
    for link in parts.links:
        target = unquote(link.target.split("#")[0].split("?")[0])
        if not target or _SCHEME.match(link.target):
            continue
        if not re.search(r"[./]", target) or target.startswith("/"):
            continue
        here = posixpath.join(skill.root, posixpath.dirname(path)) if skill.root != "." else posixpath.dirname(path)
        repository = posixpath.normpath(posixpath.join(here, target))
        pointer = Pointer(path, link.line + shift, link.label, target, _inside(skill, repository), repository)
        if _PLACEHOLDER.search(target) and not exists(skill, pointer):
            continue  # a file that is there is none, whatever it is called
        yield pointer


def _inside(skill: Skill, repository: str) -> str | None:
    if skill.root == ".":
        return None if repository.startswith("..") else repository
    prefix = skill.root + "/"
    return repository[len(prefix) :] if repository.startswith(prefix) else None


def exists(skill: Skill, pointer: Pointer) -> bool:
    """Whether a file, or a folder that holds files, is there: in the skill, or beside it."""
    if pointer.resolved is not None and _has(skill.files, pointer.resolved):
        return True
    return _has(skill.outside, pointer.repository)


def meant(skill: Skill, path: str, target: str) -> str | None:
    """How `path` would write the one file of the skill that a missing `target` probably is; None where nobody can tell.

    The same name in another folder, other slashes, or a slip of the pen. What leaves the skill is another's file.
    """
    here = posixpath.dirname(path)
    wanted = posixpath.normpath(posixpath.join(here, target.replace("\\", "/")))
    name = posixpath.basename(wanted).lower()
    if wanted.startswith("..") or name in _ANYWHERE:
        return None
    others = [each for each in skill.files if each != path]
    same = [wanted] if wanted in others else [each for each in others if posixpath.basename(each).lower() == name]
    same = same or difflib.get_close_matches(wanted, others[:COMPARED], n=1, cutoff=0.92)
    return posixpath.relpath(same[0], here or ".") if len(same) == 1 else None


def _has(paths: object, wanted: str) -> bool:
    assert hasattr(paths, "__contains__") and hasattr(paths, "__iter__")
    return wanted in paths or any(str(path).startswith(wanted + "/") for path in paths)


def above(skill: Skill, path: str) -> bool:
    """Whether a folder that the skill lies in, the repository's root among them, holds `path`.

    A file of the same name in a neighbour's folder is another file.
    """
    if not skill.outside or skill.root == ".":
        return False
    parts = skill.root.split("/")
    return any(_has(skill.outside, "/".join([*parts[:depth], path])) for depth in range(len(parts)))


def mentions(skill: Skill) -> Iterator[tuple[str, int]]:
    """Paths below the conventional folders that the manifest names as its own, with lines; links apart.

    Lines that only illustrate ("for example `scripts/rotate.py`") and paths below another skill's folder are
    left out. A folder of another name counts for its scripts where the skill keeps scripts in it.
    """
    own = {path.split("/", 1)[0] for path in skill.files if "/" in path and path.endswith(SCRIPT_SUFFIXES)}
    return iter(_mentions(skill.body, skill.body_line, skill.directory, tuple(sorted(own - _CONVENTIONAL))))


@lru_cache(maxsize=64)
def _mentions(body: str, body_line: int, directory: str, own: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    kept = _below(own) if own else None
    through = _through(directory) if directory and f"{directory}/" in body else None
    worked = "examples/" in body or "tests/" in body
    if not (worked or _FOLDER.search(body) or _PLACE.search(body) or (kept and kept.search(body)) or through):
        return ()
    linked = {link.target.split("#")[0].removeprefix("./") for link in outline(body).links}
    found = []
    for line, row in enumerate(body.split("\n"), start=body_line):
        if "/" not in row:
            continue
        paths = (
            [m["path"] for m in _MENTION.finditer(row) if m["owner"] in (None, directory)]
            if _FOLDER.search(row)
            else []
        )
        if _PLACE.search(row):
            paths += [match["path"] for match in _OWN_SCRIPT.finditer(row)]
        if kept:
            paths += [match["path"] for match in kept.finditer(row)]
        if through:
            paths += [match["path"] for match in through.finditer(row)]
        if worked:
            paths += [match["path"] for match in _WORKED.finditer(row)]
        if paths and not _ILLUSTRATION.search(row):
            found += [(path, line) for path in paths if path not in linked and "path/to/" not in path]
    return tuple(found)


def _below(folders: tuple[str, ...]) -> re.Pattern[str]:
    """Scripts by their path below one of these folders."""
    names = "|".join(map(re.escape, folders))
    return re.compile(rf"(?<![\w./@}}>$-])(?:\./)?(?P<path>(?:{names})/[\w./-]*\.(?:{_ENDINGS}))(?![\w/{{<.-])")


def _through(directory: str) -> re.Pattern[str]:
    """Scripts by a path that leads through the skill's own folder."""
    return re.compile(
        rf"(?:\bskills/|(?<![\w./@}}>$-])(?:\./)?){re.escape(directory)}/"
        rf"(?P<path>\w[\w./-]*\.(?:{_ENDINGS}))(?![\w/{{<.-])"
    )


def scripts(skill: Skill) -> tuple[str, ...]:
    """Paths of the scripts an agent could run: by suffix or execute bit, tests and packages' parts left out."""
    packages = {path.rpartition("/")[0] for path in skill.files if path.count("/") > 1 and path.endswith("__init__.py")}
    return tuple(
        path
        for path in sorted(skill.files)
        if path.rpartition("/")[0] not in packages
        and (path.endswith(SCRIPT_SUFFIXES) or (skill.files[path].kind == "executable" and "." not in path))
        and not re.search(
            r"(^|/)(tests?|evals|node_modules|__pycache__|examples?|templates?|assets)/|__init__|(^|/)test_", path
        )
    )


def imports(script: str) -> re.Pattern[str]:
    """A statement of code that takes a script in as a module, by name: its keyword begins the line or the call."""
    name = rf"[^\n]*\b{re.escape(script.rsplit('/', 1)[-1].rsplit('.', 1)[0])}\b"
    return re.compile(
        rf"^[ \t>]*(?:(?:from|import|export|source|use|load|include|require\w*)\b|\.[ \t]){name}"
        rf"|\b(?:from|require\w*|include\w*)[ \t]*\(?[ \t]*[\"'`]{name}"
        rf"|\bimport(?:_module)?[ \t]*\({name}",
        re.MULTILINE,
    )
