"""Sizes of our own layers, from `docker history`: tiers 1 and 2 (target `text`) and everything (`full`).

Targets: at most 120 MB over the base for `text`; at most 400 MB unpacked in all for `full` (base included).
Run: .venv/bin/python benchmarks/image.py  (builds both targets; needs Docker and the base image)
"""

from __future__ import annotations

import json
import subprocess


def docker(*args: str) -> str:
    """Standard output of one docker command."""
    return subprocess.run(["docker", *args], check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Build, then print megabytes."""
    base = "python:3.11-slim-bookworm"
    base_size = json.loads(docker("image", "inspect", base))[0]["Size"]
    print(f"base {base}: {base_size / 1e6:.0f} MB")
    for target in ("text", "full"):
        env_off = ["build", "-q", "--target", target, "-t", f"aces-ci:{target}", "."]
        subprocess.run(
            ["docker", *env_off],
            check=True,
            capture_output=True,
            env={"DOCKER_BUILDKIT": "0", "PATH": "/usr/local/bin:/usr/bin:/bin"},
        )
        size = json.loads(docker("image", "inspect", f"aces-ci:{target}"))[0]["Size"]
        print(f"{target}: {size / 1e6:.0f} MB, of which our own layers {(size - base_size) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
