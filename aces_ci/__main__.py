"""The program: `aces-ci`, `python -m aces_ci`. Answers `--version` before anything else is imported."""

from __future__ import annotations

import sys

from aces_ci import __version__


def main() -> None:
    """Run one command and exit."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"aces-ci {__version__}\n")
        return
    from aces_ci.cli.main import main as run
    from aces_ci.shell import collector

    collector.rarely()
    run()


if __name__ == "__main__":
    main()
