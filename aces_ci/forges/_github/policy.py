"""The policy file at the tip of the default branch, for a job that has no checkout.

By tree and blob and not by the list of contents, which follows links.
"""

from __future__ import annotations

import base64
from urllib.parse import quote

from aces_ci.core.policy_file import POLICY_FILE, SIZE_LIMIT, no_policy_file
from aces_ci.shell.http import Api

_REGULAR = frozenset({"100644", "100755"})


def policy_at_tip(api: Api, repo: str) -> bytes | None:
    """The file's bytes; None: the default branch has none.

    Raises:
        UsageError: what stands there is no regular file, or is too long.
        Forbidden, HttpError: as the API client.
    """
    branch = api.get(f"/repos/{repo}").data["default_branch"]
    rows = api.get(f"/repos/{repo}/git/trees/{quote(branch, safe='')}").data["tree"]
    entry = next((row for row in rows if row["path"] == POLICY_FILE), None)
    if entry is None:
        return None
    regular = entry["mode"] in _REGULAR
    if not regular or entry["size"] > SIZE_LIMIT:
        raise no_policy_file(branch, regular=regular)
    return base64.b64decode(api.get(f"/repos/{repo}/git/blobs/{entry['sha']}").data["content"])
