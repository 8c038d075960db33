"""A bug as a report that can be pasted into an issue: redacted, without values of variables."""

from __future__ import annotations

import os
import platform
import re
import traceback
from collections.abc import Sequence

from aces_ci import __version__
from aces_ci.core.scan.redact import Redactor

# Names, never values: what may hold a secret in a CI job.
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)", re.IGNORECASE)


def report(error: BaseException, args: Sequence[str]) -> str:
    """What happened, where, and what to do; every secret of the environment removed."""
    frames = traceback.format_exception(type(error), error, error.__traceback__)
    text = "\n".join(
        [
            "error: a bug in aces-ci, not in your skill",
            f"  at:  aces-ci {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"  ran: aces-ci {' '.join(args)}",
            "  why: an error that no part of the program expects; the verdict was not decided",
            "  do:  open an issue with the lines below",
            "",
            "".join(frames).rstrip(),
        ]
    )
    secrets = [value for name, value in os.environ.items() if _SECRET_NAME.search(name) and len(value) >= 8]
    return Redactor(secrets).text(text)
