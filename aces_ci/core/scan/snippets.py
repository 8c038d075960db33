"""The places of a skill at which something would be run, as texts of shell."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import PurePosixPath

import re2

from aces_ci.core.reading.outline import Code, markup
from aces_ci.core.scan import bare, spawned
from aces_ci.core.scripts.programs.python_calls import shell_calls
from aces_ci.core.skill import Skill, SkillFile, universal_newlines

MAX_TEXT = 1_000_000
"""Characters of one file that are looked at."""


class Site(StrEnum):
    """Where a snippet stands, the surest to run first."""

    LOAD = "load"
    """Runs when the skill is loaded, before any agent decides: `!`…`` lines and hooks."""
    SCRIPT = "script"
    """A file that is run as it is."""
    IMAGE = "image"
    """A step of building a container image: it can harm nothing but the image."""
    FENCE = "fence"
    """A code block of a document."""
    INLINE = "inline"
    """A code span in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A piece of shell. `line` and `column` are where its first character stands in the file `path`."""

    path: str
    text: str
    site: Site
    line: int
    column: int = 1
    doubt: str = ""
    """Why it may be no command at all; "" where something runs it."""


_SHELL_FENCES = frozenset(
    {
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "shell-session",
        "shellsession",
        "terminal",
        "ksh",
        "fish",
        "cmd",
        "bat",
        "powershell",
        "ps1",
        "pwsh",
        "command",
        "cli",
    }
)
_PROMPT = re2.compile(r"(?m)^([ \t]*)(?:[\w.@~/:-]*[$❯➜]|root@[\w.:~/-]*#|PS [^>\n]*>)[ \t]+")
_PLACEHOLDER = re2.compile(r"<([A-Za-z][\w .:/|-]{0,60})>")
_LOAD = re2.compile(r"(?m)(?:^|[\s(:])!`([^`\n]+)`")
_RUN = re2.compile(r"(?m)^\s*(?:RUN|CMD|ENTRYPOINT)\s+((?:[^\n\\]|\\\n|\\.)+)")
_YAML_RUN = re2.compile(r"(?m)^\s*(?:-\s+)?(?:run|command|script|cmd)\s*:\s*['\"]?([^\s'\"|>][^\n]*)")
_STEPS = re2.compile(r"(?m)^\s*(steps|jobs|runs):")
NO_STEP = "It is no step of a workflow: a list may name it."
_COMMANDS = frozenset(
    {"curl", "wget", "rm", "sudo", "bash", "sh", "eval", "chmod", "chown", "dd", "git", "npm",
     "npx", "pip", "pip3", "uv", "uvx", "pipx",
     "python",
     "python3", "node", "docker", "kubectl", "terraform", "cat", "find", "mkfs", "nc", "ssh", "scp", "rsync",
     "echo", "export", "env", "psql", "mysql",
     "sqlite3", "claude", "codex", "gemini", "brew", "apt", "apt-get", "yum", "dnf", "aws", "gcloud", "az", "gh",
     "source", "crontab", "launchctl", "systemctl",
     "base64", "iwr", "irm", "powershell", "pwsh", "yarn", "pnpm", "bun", "deno", "go", "cargo", "gem", "kill",
     "shutdown", "reboot", "mv", "cp", "tee", "xargs", "for", "while"}
)  # fmt: skip


def snippets(skill: Skill) -> Iterator[Snippet]:
    """Every piece of shell in the files of a skill, in the order of path and line."""
    yield from _hooks(skill)
    for path in sorted(skill.files):
        text = text_of(skill, skill.files[path])
        if text is not None:
            yield from _of_file(path, text)


def _hooks(skill: Skill) -> Iterator[Snippet]:
    """The commands that the frontmatter's hooks run, each at its line."""
    hooks = (skill.frontmatter or {}).get("hooks")
    if hooks is None:
        return
    rows = skill.text.split("\n")
    line = hooks.at_key.line
    for command in _commands_of(hooks.value):
        first = next((row.strip() for row in command.split("\n") if row.strip()), "")
        line = next((at for at in range(line, skill.body_line) if first[:40] in rows[at - 1]), line)
        column = max(0, rows[line - 1].find(first[:40])) + 1
        yield Snippet(path=skill.manifest, text=command, site=Site.LOAD, line=line, column=column)


def _commands_of(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for entry in value:
            yield from _commands_of(entry)
    elif isinstance(value, dict):
        for key, entry in value.items():
            if key in {"command", "run"} and isinstance(entry, str):
                yield entry
            else:
                yield from _commands_of(entry)


def text_of(skill: Skill, file: SkillFile) -> str | None:
    """A file's text with universal newlines; the manifest also where its bytes are no clean UTF-8."""
    if file.path == skill.manifest:
        return skill.text[:MAX_TEXT]
    return _decoded(file.data) if file.data else None


@lru_cache(maxsize=1024)
def _decoded(data: bytes) -> str | None:
    if b"\0" in data[:8000]:
        return None
    text = data[: 4 * MAX_TEXT].decode("utf-8", "replace")
    return universal_newlines(text)[:MAX_TEXT]


def is_markdown(path: str) -> bool:
    """Whether a path is a document that an agent reads as Markdown."""
    return path.lower().endswith((".md", ".mdx", ".markdown", ".mdc"))


@lru_cache(maxsize=1024)
def _of_file(path: str, text: str) -> tuple[Snippet, ...]:
    """Remembered, for every rule about commands asks for the same files."""
    return tuple(_read_file(path, text))


def _read_file(path: str, text: str) -> Iterator[Snippet]:
    name = PurePosixPath(path).name
    suffix = PurePosixPath(path).suffix.lower()
    shebang = text[:200].split("\n", 1)[0] if text.startswith("#!") else ""
    if is_markdown(path):
        yield from _of_markdown(path, text)
    elif suffix in {".sh", ".bash", ".zsh", ".ksh", ".command", ".fish", ".bats", ".ps1"} or shebang.endswith(
        ("sh", "bash", "zsh")
    ):
        yield Snippet(path=path, text=text, site=Site.SCRIPT, line=1)
    elif suffix == ".py" or "python" in shebang:
        yield from _calls(path, text, Site.SCRIPT, 1)
    elif suffix in {".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx"} or "node" in shebang:
        yield from _spawned(path, text, Site.SCRIPT)
    elif name.startswith(("Dockerfile", "Containerfile")) or suffix == ".dockerfile":
        yield from _matches(path, text, _RUN, Site.IMAGE)
    elif name in {"Makefile", "makefile", "GNUmakefile", "justfile", "Justfile"}:
        yield Snippet(path=path, text=_recipes(text), site=Site.SCRIPT, line=1)
    elif name == "package.json":
        yield from _package(path, text)
    elif suffix in {".yml", ".yaml"}:
        steps = _STEPS.search(text) is not None
        for match in _YAML_RUN.finditer(text):
            doubt = "" if steps and match.group(0).lstrip(" -").startswith("run") else NO_STEP
            yield replace(_at(path, text, match.start(1), match.group(1), Site.SCRIPT), doubt=doubt)


def _of_markdown(path: str, text: str) -> Iterator[Snippet]:
    whole = markup(text)
    for match in _LOAD.finditer(text):
        yield _at(path, text, match.start(1), match.group(1), Site.LOAD)
    for code in whole.codes:
        if code.content.strip():
            yield from _of_block(path, code, whole.lines)
    for offset, command in bare.find(text, whole):
        yield _at(path, text, offset, command, Site.INLINE)
    for content, line in whole.spans:
        words = content.split(None, 1)
        if len(words) == 2 and words[0] in _COMMANDS | {"!"}:
            yield Snippet(
                path=path, text=_clean(content), site=Site.INLINE, line=line, column=_column(whole.lines, line, content)
            )


def _of_block(path: str, code: Code, lines: tuple[str, ...]) -> Iterator[Snippet]:
    """A code block, read in the language that it names or looks like."""
    line = code.line + 1 if code.fenced else code.line
    column = _indent(lines, line, code.content)
    if code.language in _SHELL_FENCES or (
        code.language in {"", "text", "txt", "plaintext"} and _looks_run(code.content)
    ):
        yield Snippet(path=path, text=_clean(code.content), site=Site.FENCE, line=line, column=column)
    elif code.language in {"python", "py", "python3"}:
        yield from _calls(path, code.content, Site.FENCE, line)
    elif code.language in {"javascript", "js", "typescript", "ts"}:
        for called in _spawned(path, code.content, Site.FENCE):
            yield replace(called, line=called.line + line - 1)
    elif code.language in {"dockerfile", "docker"}:
        for match in _RUN.finditer(code.content):
            inner = _at(path, code.content, match.start(1), match.group(1), Site.FENCE)
            yield replace(inner, site=Site.IMAGE, line=inner.line + line - 1)


def _clean(text: str) -> str:
    """Prompts and `<placeholders>` replaced by as many harmless characters, so that places stay."""
    text = str(_PROMPT.sub(lambda m: " " * len(m.group(0)), text))
    return str(_PLACEHOLDER.sub(lambda m: "_" + m.group(1).replace(" ", "_").replace("|", "_") + "_", text))


def _looks_run(text: str) -> bool:
    """Whether a block without a language is shell: it begins with a prompt or a known command."""
    first = next((line.strip() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    if first.startswith("$ "):
        return True
    word = first.split(" ", 1)[0]
    return word in _COMMANDS and " " in first and not first.endswith((".", ":"))


def _calls(path: str, text: str, site: Site, line: int) -> Iterator[Snippet]:
    for words, row, column in shell_calls(text):
        script = words if isinstance(words, str) else shlex.join(words)
        yield Snippet(path=path, text=script, site=site, line=line + row - 1, column=column)


def _spawned(path: str, text: str, site: Site) -> Iterator[Snippet]:
    for offset, command, doubt in spawned.find(text):
        yield replace(_at(path, text, offset, command, site), doubt=doubt)


def _matches(path: str, text: str, pattern: object, site: Site) -> Iterator[Snippet]:
    for match in pattern.finditer(text):  # type: ignore[attr-defined]
        group = next(number for number in range(1, len(match.groups()) + 1) if match.group(number) is not None)
        yield _at(path, text, match.start(group), match.group(group), site)


def _at(path: str, text: str, offset: int, piece: str, site: Site) -> Snippet:
    line = text.count("\n", 0, offset) + 1
    return Snippet(path=path, text=piece, site=site, line=line, column=offset - text.rfind("\n", 0, offset))


def _recipes(text: str) -> str:
    """A Makefile with everything but its recipes blanked."""
    return "\n".join(line.lstrip("\t@-") if line.startswith("\t") else "" for line in text.split("\n"))


def _package(path: str, text: str) -> Iterator[Snippet]:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError):
        return
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(command, str):
            offset = max(0, text.find(json.dumps(command)[1:-1]))
            site = Site.LOAD if name in {"preinstall", "install", "postinstall", "prepare"} else Site.SCRIPT
            place = _at(path, text, offset, command, site)
            yield Snippet(path=path, text=command, site=Site.SCRIPT, line=place.line, column=place.column)


def _indent(lines: tuple[str, ...], line: int, content: str) -> int:
    first = content.split("\n", 1)[0]
    if 0 < line <= len(lines) and first.strip():
        return max(1, lines[line - 1].find(first.strip()) - (len(first) - len(first.lstrip())) + 1)
    return 1


def _column(lines: tuple[str, ...], line: int, content: str) -> int:
    return max(0, lines[line - 1].find(content)) + 1 if 0 < line <= len(lines) else 1
