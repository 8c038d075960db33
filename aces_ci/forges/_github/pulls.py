"""The open pull requests of one head commit.

Asked of the list of open ones: GitHub's list "of a commit" knows the commits of the repository's own branches, and
answers with nothing for one that only a fork has.
"""

from __future__ import annotations

from typing import Any

from aces_ci.shell.http import Api


def open_with_head(api: Api, repo: str, sha: str) -> list[Any]:
    """Each open pull request into `repo` whose head is `sha`, once, from whichever repository it comes.

    Raises:
        Forbidden, HttpError: as the API client.
    """
    # By number: a list that grows while it is read may show one pull request on two pages.
    found = {
        row["number"]: row
        for row in api.pages(f"/repos/{repo}/pulls", state="open")
        if row["state"] == "open" and row["head"]["sha"] == sha
    }
    return list(found.values())
