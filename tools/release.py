"""Writes the released form of the action: image and base by digest, version and tag tied.

usage: release.py --image ghcr.io/aces-ci/aces-ci@sha256:... --base python:3.11-slim-bookworm@sha256:... OUT

The tree keeps `image: Dockerfile`, so that a pull request tests itself; a tag carries what this script writes into OUT:
action.yml with `docker://` and the digest, Dockerfile with the base's digest, everything else unchanged.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIGEST = re.compile(r"[a-z0-9./:_-]+@sha256:[0-9a-f]{64}")


def pinned(reference: str) -> str:
    """The reference, if it carries a digest."""
    if not DIGEST.fullmatch(reference):
        raise argparse.ArgumentTypeError(f"{reference} is not name@sha256:<64 hex digits>")
    return reference


def released_action(text: str, image: str) -> str:
    """action.yml whose image is the published one."""
    out, count = re.subn(r"(?m)^  image: Dockerfile$", f"  image: docker://{image}", text)
    if count != 1:
        raise SystemExit("action.yml does not say `image: Dockerfile` exactly once")
    return out


def released_dockerfile(text: str, base: str) -> str:
    """Dockerfile whose base is pinned."""
    out, count = re.subn(r"(?m)^ARG BASE=.*$", f"ARG BASE={base}", text)
    if count != 1:
        raise SystemExit("Dockerfile does not say `ARG BASE=` exactly once")
    return out


def main(argv: list[str]) -> int:
    """Write the released tree into OUT, which must not exist."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=pinned, required=True)
    parser.add_argument("--base", type=pinned, required=True)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args(argv)
    if asked.out.exists():
        parser.error(f"{asked.out} exists")
    names = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        target = asked.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)
    for name, change, pin in (
        ("action.yml", released_action, asked.image),
        ("Dockerfile", released_dockerfile, asked.base),
    ):
        path = asked.out / name
        path.write_text(change(path.read_text("utf-8"), pin), encoding="utf-8")
    print(f"released form in {asked.out}; tag it as the version in aces_ci/__init__.py")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
