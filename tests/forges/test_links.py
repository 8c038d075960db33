"""Links into both forges' pages."""

from __future__ import annotations

import pytest

from aces_ci.forges.github import GitHub
from aces_ci.forges.gitlab import GitLab
from aces_ci.forges.local import Local
from aces_ci.ports.forge import Links

SHA = "c41f7d80b5a69788c9d0e1f2a3b4c5d6e7f80912"
HUB = GitHub.links("https://github.com")
LAB = GitLab.links("https://gitlab.example/")


@pytest.mark.parametrize(
    ("links", "path", "line", "end", "url"),
    [
        (HUB, "a/SKILL.md", 34, 37, f"https://github.com/o/r/blob/{SHA}/a/SKILL.md?plain=1#L34-L37"),
        (LAB, "a/SKILL.md", 34, 37, f"https://gitlab.example/o/r/-/blob/{SHA}/a/SKILL.md?plain=1#L34-37"),
        (HUB, "a/x.py", 5, 5, f"https://github.com/o/r/blob/{SHA}/a/x.py#L5"),
        (HUB, "a/x.py", None, None, f"https://github.com/o/r/blob/{SHA}/a/x.py"),
        (HUB, "a b/)](x).py", 1, None, f"https://github.com/o/r/blob/{SHA}/a%20b/%29%5D%28x%29.py#L1"),
        (HUB, "caf%E9/x.py", 1, None, f"https://github.com/o/r/blob/{SHA}/caf%E9/x.py#L1"),
        (HUB, "日本/?#.md", 1, None, f"https://github.com/o/r/blob/{SHA}/%E6%97%A5%E6%9C%AC/%3F%23.md?plain=1#L1"),
    ],
)
def test_line_links(links: Links, path: str, line: int | None, end: int | None, url: str) -> None:
    assert links.blob("o/r", SHA, path, line, end) == url


def test_commits_and_a_forge_without_pages() -> None:
    assert HUB.commit("o/r", SHA) == f"https://github.com/o/r/commit/{SHA}"
    assert LAB.commit("o/r", SHA) == f"https://gitlab.example/o/r/-/commit/{SHA}"
    assert Local.links("https://x").blob("o/r", SHA, "a", 1) is None
    assert GitHub.links("javascript:alert(1)").commit("o/r", SHA) is None
