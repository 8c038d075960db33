"""Which skills an agent read: by a skill tool, by a file tool, or by the shell, and whether the content came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from aces_ci.core.trace import skill_text
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.manifests import folder, listed, manifest, unknown
from aces_ci.core.trace.named_paths import paths_in
from aces_ci.core.trace.printed import body
from aces_ci.core.trace.shell_reads import Candidate, candidates
from aces_ci.core.trace.skill_text import Texts
from aces_ci.core.trace.tools import Deed

_NONE: Texts = MappingProxyType({})
_SEARCH = frozenset(
    {"grep", "grep_search", "search_file_content", "search", "search_files", "codebase_search", "rg", "ripgrep"}
)
_PLACES = ("path", "dir_path", "directory", "file_path")
_PATTERNS = ("glob", "include", "include_pattern")
_NOTHING_FOUND = ("no matches found", "no files found", "found 0 ", "no match")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRead:
    """One reading of a SKILL.md. `name` is the folder's or the declared one; None where neither is known."""

    action: int
    step: int
    name: str | None
    worked: bool | None
    """Whether the content reached the model: a failed read, and one that is counted or thrown away, activates
    nothing. None: nobody can tell, and `because` says why.
    """
    because: str = ""
    at: int = 0
    """Place within its call, where a shell call does several things."""


def reads(actions: Sequence[Action], texts: Texts = _NONE) -> tuple[SkillRead, ...]:
    """Every reading in order. Mentioning a path, listing it or searching for its name is no reading.

    `texts` are the SKILL.md files that were there, as far as they are known: then a reading is one whose result
    holds their words. Else the call itself decides.
    """
    return tuple(read for action in actions for read in _of(action, texts))


def _of(action: Action, texts: Texts) -> Iterator[SkillRead]:
    found = [_settled(action, each, texts) for each in _tried(action, texts)]
    yield from found
    if texts and action.output and action.deed is not Deed.WRITE and not any(read.worked for read in found):
        name = skill_text.whose(action.output, texts)
        if name is not None:
            yield SkillRead(
                action=action.number, step=action.step, name=name, worked=True, because="its text came back"
            )


def _tried(action: Action, texts: Texts) -> Iterator[Candidate]:
    """What the call set out to read."""
    if action.deed is Deed.SKILL and action.skill:
        yield Candidate(name=action.skill, printed=_did_not_fail(action), loader=True)
    elif action.deed is Deed.SHELL:
        yield from candidates(action, texts)
    elif action.deed is Deed.LIST:
        yield from _search(action)
    elif action.deed is Deed.READ or (action.deed is Deed.OTHER and "read" in action.tool.casefold()):
        yield from _files(action, texts)


def _files(action: Action, texts: Texts) -> Iterator[Candidate]:
    for path in paths_in(action.arguments):
        if unknown(path):
            yield from _told(action, texts)
        elif manifest(path):
            name = folder(path) or next(skill_text.declared(body(action.output)), None)
            yield Candidate(name=name, printed=_did_not_fail(action))


def _told(action: Action, texts: Texts) -> Iterator[Candidate]:
    """Skills that a result names: by front matter, by a heading with the path, by their own words."""
    text = body(action.output)
    names = [*skill_text.declared(text), *(name for _, name in listed(text)), *skill_text.owners(text, texts)]
    for name in {name.casefold(): name for name in reversed(names)}.values():
        yield Candidate(name=name, printed=_did_not_fail(action))


def _search(action: Action) -> Iterator[Candidate]:
    """A search that shows lines of a SKILL.md which it was pointed at: the file, or the skill's own folder."""
    plain = action.tool.rsplit("__", 1)[-1].removesuffix("ToolCall").casefold().replace("-", "_")
    mode = action.arguments.get("output_mode", "files_with_matches" if action.tool == "Grep" else "content")
    text = body(action.output)
    if plain not in _SEARCH or mode != "content" or text.casefold().startswith(_NOTHING_FOUND):
        return
    places = [str(action.arguments[key]) for key in _PLACES if action.arguments.get(key)]
    patterns = [str(action.arguments[key]) for key in _PATTERNS if action.arguments.get(key)]
    for place in places:
        if manifest(place):
            yield Candidate(name=folder(place), printed=_did_not_fail(action))
    pointed = [place.rstrip("/").rsplit("/", 1)[-1] for place in places]
    for name in dict.fromkeys(name for _, name in listed(text)):
        if name in pointed or any(manifest(pattern) for pattern in patterns):
            yield Candidate(name=name, printed=_did_not_fail(action))


def _did_not_fail(action: Action) -> bool:
    return action.failed is not True


def _settled(action: Action, tried: Candidate, texts: Texts) -> SkillRead:
    worked, because = _outcome(action, tried, texts.get((tried.name or "").casefold()))
    return SkillRead(
        action=action.number, step=action.step, name=tried.name, worked=worked, because=because, at=tried.at
    )


def _outcome(action: Action, tried: Candidate, text: str | None) -> tuple[bool | None, str]:
    """From what the call says and what came back to whether the content reached the model."""
    if action.output is None:
        return False, "the run was cut off before its content came"
    shown = body(action.output)
    if not shown and not tried.loader:
        return False, "nothing came back"
    if tried.printed is False or tried.loader:
        return tried.printed, tried.because
    if text is not None and skill_text.known(text):
        if skill_text.holds(text, shown):
            return True, ""
        return (None, tried.because) if tried.coded else (False, "no line of it came back")
    if tried.printed is None and tried.name and tried.name in set(skill_text.declared(shown)):
        return True, ""
    return tried.printed, tried.because
