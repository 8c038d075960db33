"""The policy file at the tip of the default branch, for a job that has no checkout.

GitLab gives the blob itself: of a link it is the text of its target, which is no mapping of settings.
"""

from __future__ import annotations

import base64

from aces_ci.core.policy_file import POLICY_FILE, SIZE_LIMIT, no_policy_file
from aces_ci.shell.http import Api, HttpError


def policy_at_tip(api: Api, project: str) -> bytes | None:
    """The file's bytes; None: the default branch has none.

    Raises:
        UsageError: it is too long.
        Forbidden, HttpError: as the API client.
    """
    try:
        row = api.get(f"/projects/{project}/repository/files/{POLICY_FILE}", ref="HEAD").data
    except HttpError as error:
        if error.status != 404:
            raise
        return None
    if row["size"] > SIZE_LIMIT:
        raise no_policy_file("the default branch", regular=True)
    return base64.b64decode(row["content"])
