"""Start-up of the command against a bare interpreter, alternating, as whole processes: medians and the ratio.

Target: `aces-ci --version` within 1.5 times `python -c pass` plus 60 ms.  Run: .venv/bin/python benchmarks/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 15


def seconds(command: list[str]) -> float:
    """Wall time of one process."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def main() -> None:
    """Print both medians and what the target allows."""
    bare = [sys.executable, "-c", "pass"]
    ours = [str(Path(sys.executable).parent / "aces-ci"), "--version"]
    for command in (bare, ours):
        seconds(command)
    pairs = [(seconds(bare), seconds(ours)) for _ in range(RUNS)]
    python, aces = (statistics.median(values) for values in zip(*pairs, strict=True))
    allowed = 1.5 * python + 0.060
    print(f"python -c pass      {python * 1000:7.1f} ms (median of {RUNS})")
    print(f"aces-ci --version   {aces * 1000:7.1f} ms")
    print(f"allowed             {allowed * 1000:7.1f} ms  ->  {'within' if aces <= allowed else 'OVER'}")


if __name__ == "__main__":
    main()
