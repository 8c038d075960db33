"""What a live trial costs over the agent's own time, and how well trials run side by side.

    python benchmarks/live_overhead.py [--trials 12] [--concurrent 24] [--seconds 5]

The agent is one shell command of known length in the built-in harness's image; sandbox and gateway are the real ones.
One after the other, a trial costs the time from the end of the one before to its own end; side by side, the whole run
is held against the time that the agents alone would take. Prints medians with their spread, and the processor's pace.
Needs Docker and the images of the end-to-end suite.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from dataclasses import replace
from itertools import pairwise
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
    starts: list[float] = []
    ends: list[float] = []

    def timed(event: live.Progress) -> None:
        (starts if event.trial is None else ends).append(time.monotonic())

    sink = rig.MemorySink()

    ended = live.run(plan, rig.means(limits=replace(rig.SMALL, seconds=120)), sink, run_id="bench", on_progress=timed)
    assert ended.stopped == "" and all(trial.ending.value == "finished" for trial in sink.trials), sink.trials
    over = sorted(after - before - seconds for before, after in pairwise(ends)) if workers == 1 else []
    ideal = seconds * -(-len(plan.trials) // workers)
    wall = ends[-1] - starts[0]
    return {
        "trials": len(ends),
        "workers": workers,
        "agent_seconds": seconds,
        "overhead_median": round(statistics.median(over), 3) if over else None,
        "overhead_p90": round(over[int(0.9 * (len(over) - 1))], 3) if over else None,
        "wall": round(wall, 2),
        "ideal": ideal,
        "ratio": round(wall / ideal, 3) if ideal else None,
    }


def pace() -> float:
    """Processor seconds of five million additions: about .25 on an idle machine of the kind the targets mean."""
    before = time.process_time()
    total = 0
    for number in range(5_000_000):
        total += number
    return round(time.process_time() - before, 2)


def main() -> None:
    """Print one JSON object a measurement."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=12)
    options.add_argument("--concurrent", type=int, default=24)
    options.add_argument("--seconds", type=float, default=5.0)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        image = rig.images(("builtin",), Path(cache))["builtin"]
    print(json.dumps({"load": os.getloadavg(), "cores": os.cpu_count(), "pace": pace()}))
    print(json.dumps(measured(image, cases=chosen.trials // 2, workers=1, seconds=0.0)))
    print(json.dumps(measured(image, cases=chosen.concurrent // 2, workers=4, seconds=chosen.seconds)))
    print(json.dumps({"load": os.getloadavg(), "pace": pace()}))


if __name__ == "__main__":
    main()
