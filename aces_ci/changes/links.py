"""What a Markdown text links to, as repository paths. Pure; makes no request and opens no file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from aces_ci.core.repo_path import join, resolve, text_of

PLUGIN_ROOT = "${CLAUDE_PLUGIN_ROOT}/"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|\?")
_PLUGIN_PATH = re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}/([^\s)\"'`<>]+)")
# A path that climbs out of the folder, in a code span: the other common way to name a shared file.
_CLIMBS = re.compile(r"(?:\.\./)+[^\s`]+")
_LEAVES = re.compile(rb"\.\./|\(\s*<?/|:\s+/|CLAUDE_PLUGIN_ROOT")


def may_leave(markdown: bytes) -> bool:
    """Whether any link could point outside the file's own folder; a cheap no for most texts."""
    return _LEAVES.search(markdown) is not None


def linked(markdown: str, folder: str, plugin_root: str | None = None) -> frozenset[str]:
    """Repository paths that a file of `folder` links to, whether or not they exist.

    A leading slash means the top of the repository, as the forges render it; `${CLAUDE_PLUGIN_ROOT}` means
    `plugin_root`. Addresses, anchors and what stands in code blocks are not links. Targets that leave the
    repository are left out.
    """
    found = set()
    for target in _targets(markdown):
        target = re.split(r"[#?]", target, maxsplit=1)[0]
        start = folder
        if target.startswith("/"):
            start, target = ".", target.lstrip("/")
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
