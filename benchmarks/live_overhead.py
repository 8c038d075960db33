"""What a live trial costs over the agent's own time, and how well trials run side by side.

    python benchmarks/live_overhead.py [--trials 12] [--concurrent 24] [--seconds 5]

The agent is one shell command of known length in the built-in harness's image; sandbox and gateway are the real ones.
Prints medians with their spread. Needs Docker and the images of the end-to-end suite.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from aces_ci.core.plan import Contender
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Arm
from aces_ci.tiers import live
from tests.e2e import live_rig as rig


def measured(image: str, *, cases: int, workers: int, seconds: float) -> dict[str, float | None]:
    """Run `cases` x 2 trials of an agent that sleeps; wall time, and per trial what is not the agent's own."""
    contender = Contender(
        harness="command",
        version="1",
        model="claude-sonnet-5",
        api=Protocol.MESSAGES,
        upstream="scripted",
        image=image,
        command=("sleep", str(seconds)),
    )
    rows = [Case(id=f"c{number}", prompt="Wait.") for number in range(cases)]
    plan = rig.plan(
        [contender], subjects=[rig.subject(cases=rows)], workers=workers, arms=(Arm.WITH_SKILL, Arm.BASELINE)
    )
    starts: dict[str, float] = {}
    whole: list[float] = []

    def progress(event: live.Progress) -> None:
        if event.trial is None:
            starts[event.planned.digest] = time.monotonic()
        else:
            whole.append(time.monotonic() - starts[event.planned.digest])

    sink = rig.MemorySink()
    first = last = 0.0

    def timed(event: live.Progress) -> None:
        nonlocal first, last
        first = first or time.monotonic()
        last = time.monotonic()
        progress(event)

    ended = live.run(plan, rig.means(limits=replace(rig.SMALL, seconds=120)), sink, run_id="bench", on_progress=timed)
    assert ended.stopped == "" and all(trial.ending.value == "finished" for trial in sink.trials), sink.trials
    over = sorted(item - seconds for item in whole)
    ideal = seconds * -(-len(plan.trials) // workers)
    return {
        "trials": len(whole),
        "workers": workers,
        "agent_seconds": seconds,
        "overhead_median": round(statistics.median(over), 3),
        "overhead_p90": round(over[int(0.9 * (len(over) - 1))], 3),
        "wall": round(last - first, 2),
        "ideal": ideal,
        "ratio": round((last - first) / ideal, 3) if ideal else None,
    }


def main() -> None:
    """Print one JSON object a measurement."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=12)
    options.add_argument("--concurrent", type=int, default=24)
    options.add_argument("--seconds", type=float, default=5.0)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        image = rig.images(("builtin",), Path(cache))["builtin"]
    print(json.dumps({"load": os.getloadavg(), "cores": os.cpu_count()}))
    print(json.dumps(measured(image, cases=chosen.trials // 2, workers=1, seconds=0.0)))
    print(json.dumps(measured(image, cases=chosen.concurrent // 2, workers=4, seconds=chosen.seconds)))
    print(json.dumps({"load": os.getloadavg()}))


if __name__ == "__main__":
    main()
