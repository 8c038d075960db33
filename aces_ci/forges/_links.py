"""Links into a forge's pages, percent-encoded, at a commit and never at a branch."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class PageLinks:
    """`infix` is "/-" on GitLab; `last_prefix` stands before the last line of a range ("L" on GitHub)."""

    server_url: str
    infix: str = ""
    last_prefix: str = "L"

    def blob(self, repo: str, sha: str, path: str, line: int | None, end_line: int | None = None) -> str | None:
        """A link to a line; Markdown is shown as source, else the line is ignored by the page."""
        base = self._base(repo)
        if base is None:
            return None
        url = f"{base}/blob/{sha}/{quote(path, safe='/%' if '%' in path else '/')}"
        if line is None:
            return url
        plain = "?plain=1" if path.lower().endswith((".md", ".markdown", ".mdx")) else ""
        end = f"-{self.last_prefix}{end_line}" if end_line is not None and end_line > line else ""
        return f"{url}{plain}#L{line}{end}"

    def commit(self, repo: str, sha: str) -> str | None:
        """A link to a commit."""
        base = self._base(repo)
        return None if base is None else f"{base}/commit/{sha}"

    def _base(self, repo: str) -> str | None:
        if not self.server_url.startswith(("https://", "http://")):
            return None
        return f"{self.server_url.rstrip('/')}/{quote(repo, safe='/')}{self.infix}"
