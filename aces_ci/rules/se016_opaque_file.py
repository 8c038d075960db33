"""A program that nobody can read lies in the skill.

Compiled programs, bytecode, archives with code and minified one-liners cannot be reviewed; their content is what
runs. A link that leaves the skill's folder shows a reviewer one file and gives the agent another.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import FileKind, Skill, SkillFile

_MAGIC = (
    (b"\x7fELF", "a compiled program (ELF)"),
    (b"\xcf\xfa\xed\xfe", "a compiled program (Mach-O)"),
    (b"\xfe\xed\xfa", "a compiled program (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "a compiled program (Mach-O or Java)"),
    (b"MZ", "a compiled program (Windows)"),
    (b"\0asm", "a compiled program (WebAssembly)"),
    (b"dex\n", "a compiled program (Android)"),
)
_NAMES = (
    ".pyc",
    ".pyo",
    ".class",
    ".jar",
    ".so",
    ".dylib",
    ".dll",
    ".exe",
    ".node",
    ".wasm",
    ".apk",
    ".deb",
    ".rpm",
    ".msi",
)


def check(skill: Skill) -> Iterator[Problem]:
    for path, file in sorted(skill.files.items()):
        what = _what(path, file)
        if what is not None:
            yield Problem(
                path=path,
                whole_file=True,
                message=f"This file is {what}; a reviewer cannot see what an agent would run.",
            )
        elif path.lower().endswith((".py", ".js", ".mjs", ".sh")) and file.text and _packed(file.text):
            yield Problem(
                path=path,
                line=_packed(file.text),
                message="This line is packed code of thousands of characters; a reviewer cannot see what it does.",
                severity=Severity.INFO if ".min." in path else Severity.WARNING,
                confidence=Confidence.MEDIUM,
            )


def _what(path: str, file: SkillFile) -> str | None:
    if file.kind is FileKind.SYMLINK:
        return "a link, which can point out of the skill's folder"
    for magic, what in _MAGIC:
        if file.data is not None and file.data.startswith(magic) and b"\0" in file.data[:4096]:
            return what
    return "compiled or packed code" if path.lower().endswith(_NAMES) else None


def _packed(text: str) -> int:
    """The first line with more than 3,000 characters, hardly a space among them, or 0."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > 3000 and line.count(" ") < len(line) // 40:
            return number
    return 0


RULE = Rule(
    code="SE016",
    slug="opaque-file",
    title="code that nobody can read",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    hint="ship the source, and build or install the program from a pinned release",
    check=check,
    fires_beyond="sickn33/antigravity-awesome-skills/skills/ui-ux-pro-max at e1dd8f4",
    silent_on="openai/skills/skills/.curated/notion-meeting-intelligence",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "scripts/tool": "\x7fELF\x02\x01\x01\0\0\0\0"},
            lines=(1,),
            path="scripts/tool",
        ),
        Example(
            files={"SKILL.md": manifest(), "scripts/a.py": "x = 1\ny = '" + "A9b" * 1500 + "'\n"},
            lines=(2,),
            path="scripts/a.py",
        ),
        Example(files={"SKILL.md": manifest(), "scripts/a.py": "print('MZ')\n"}),
    ),
)
