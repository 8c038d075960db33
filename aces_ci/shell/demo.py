"""Makes the demonstration's repository in a temporary folder from its fast-import stream."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aces_ci
from aces_ci.core.errors import DeliveryError

_PACKAGE = Path(aces_ci.__file__).parent
# In a wheel the stream lies inside the package, in a checkout among the fixtures.
_PLACES = (_PACKAGE / "data" / "demo.stream", _PACKAGE.parent / "fixtures" / "repos" / "demo.stream")


@contextmanager
def demo_repository() -> Iterator[Path]:
    """A folder with branches `main` and `work`; gone afterwards."""
    stream = next(place for place in _PLACES if place.is_file())
    with tempfile.TemporaryDirectory(prefix="aces-demo-") as folder:
        target = Path(folder) / "agent-skills"
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": folder, "GIT_CONFIG_NOSYSTEM": "1"}
        for command, stdin in (
            (["git", "init", "--quiet", "--initial-branch=main", str(target)], b""),
            (["git", "-C", str(target), "fast-import", "--quiet"], stream.read_bytes()),
        ):
            done = subprocess.run(command, input=stdin, env=env, capture_output=True, check=False)
            if done.returncode:
                raise DeliveryError(
                    "cannot make the demonstration's repository",
                    code="demo",
                    at=done.stderr.decode("utf-8", "replace").strip()[-200:],
                    do="check that git 2.30 or newer is installed",
                )
        yield target
