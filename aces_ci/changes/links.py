"""What a Markdown text links to, as repository paths. Pure; makes no request and opens no file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote_to_bytes

from aces_ci.core.repo_path import join, resolve, text_of

Linked = Callable[[str, str, str | None], frozenset[str]]
"""As `linked`: a text, its folder, the plugin's root."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\?")
_PLUGIN_PATH = re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}/([^\s)\"'`<>]+)")
# A path that climbs out of the folder, in a code span: the other common way to name a shared file.
_CLIMBS = re.compile(r"(?:\.\./)+[^\s`]+")
_LOOKS_LINKED = re.compile(r"\]\([ \t]*<([^>\n]+)>|\]\([ \t]*([^)<\s]+)|\]:[ \t]*<?([^>\s]+)|`(?=\.\./)([^`\s]+)`")
_LEAVE = (b"../", b"](/", b"](<", b"]( ", b"]:", b"CLAUDE_PLUGIN_ROOT")
_PLAIN_NAME = re.compile(rb"[A-Za-z0-9._-]+")
_FEW = 64


def may_name(markdown: bytes, names: frozenset[bytes]) -> bool:
    """Whether the text could link out of its folder to a file of one of `names`; a cheap no for most texts.

    A name with characters that a link may write in another way (a space, a letter outside ASCII) is not looked
    for; then only the links themselves can tell.
    """
    if not any(sign in markdown for sign in _LEAVE):
        return False
    exact = len(names) <= _FEW and all(_PLAIN_NAME.fullmatch(name) for name in names)
    return not exact or any(name in markdown for name in names)


def linked(markdown: str, folder: str, plugin_root: str | None = None) -> frozenset[str]:
    """Repository paths that a file of `folder` links to, whether or not they exist.

    A leading slash means the top of the repository, as the forges render it; `${CLAUDE_PLUGIN_ROOT}` means
    `plugin_root`. Addresses, anchors and what stands in code blocks are not links. Targets that leave the
    repository are left out.
    """
    return _resolved(_targets(markdown), markdown, folder, plugin_root)


def maybe_linked(markdown: str, folder: str, plugin_root: str | None = None) -> frozenset[str]:
    """As `linked`, but also what only looks like a link; without a Markdown parser. For asking what exists."""
    targets = (found[found.lastindex or 0] for found in _LOOKS_LINKED.finditer(markdown))
    return _resolved((t for t in targets if not _SCHEME.match(t)), markdown, folder, plugin_root)


def _resolved(targets: Iterable[str], markdown: str, folder: str, plugin_root: str | None) -> frozenset[str]:
    found = set()
    for raw in targets:
        target = re.split(r"[#?]", raw, maxsplit=1)[0]
        start = "." if target.startswith("/") else folder
        path = resolve(start, text_of(unquote_to_bytes(target))) if target else None
        if path is not None and path != ".":
            found.add(path)
    if plugin_root is not None:
        for match in _PLUGIN_PATH.finditer(markdown):
            rest = match[1].rstrip(".,;:")
            path = resolve(".", join(plugin_root, text_of(unquote_to_bytes(rest))))
            if path is not None:
                found.add(path)
    return frozenset(found)


def _targets(markdown: str) -> Iterator[str]:
    from markdown_it import MarkdownIt

    for block in MarkdownIt("commonmark").parse(markdown):
        for token in block.children or ():
            if token.type in ("link_open", "image"):
                target = str(token.attrGet("href" if token.type == "link_open" else "src") or "")
                if not _SCHEME.match(target) and "CLAUDE_PLUGIN_ROOT" not in target:
                    yield target
            elif token.type == "code_inline" and _CLIMBS.fullmatch(token.content):
                yield token.content
