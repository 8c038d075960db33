"""Throughput of grading without a judge: 1,000 traces of 50 steps, read from bytes, all metrics.

Run: python -m benchmarks.grading [TRACES] [STEPS]. One process, one thread. The issue's bound is 20 seconds for
1,000 x 50. Each trace has its own commands and outputs, so that no cache of parsed commands helps.
"""

from __future__ import annotations

import os
import sys
import time

from aces_ci import plugins
from aces_ci.core.suites.case import Case, Check, CheckKind, Role
from aces_ci.core.trace.file import read, write
from aces_ci.core.trace.trajectory import Agent, Observation, ObservationResult, Step, ToolCall, Trajectory
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.tiers.grade import grade

BOUND_SECONDS = 20.0


def document(seed: int, steps: int) -> bytes:
    """A trace of `steps` steps: a prompt, calls of five kinds with outputs of 0.2 to 4 kB, an answer."""
    made = [Step(step_id=1, source="user", message="Report the totals.")]
    for number in range(2, steps):
        kind = number % 5
        path = f"data/{seed}/part-{number}.csv"
        arguments = [
            {"command": f"cd data/{seed} && cat .claude/skills/ledger/SKILL.md | head -{number}"},
            {"command": f"python3 scripts/total.py {path} --out /tmp/{seed}-{number}.json"},
            {"command": f"grep -rn 'total-{seed}' {path} | sort | uniq -c && wc -l {path}"},
            {"file_path": path},
            {"file_path": f"out/{seed}-{number}.md", "content": f"# {seed}\n" * 40},
        ][kind]
        name = ["Bash", "Bash", "Bash", "Read", "Write"][kind]
        output = "\n".join(f"{seed},{row},{row * number}" for row in range(10 + 40 * kind))
        made.append(
            Step(
                step_id=number,
                source="agent",
                message=f"Now part {number}.",
                tool_calls=(ToolCall(tool_call_id=f"c{number}", function_name=name, arguments=arguments),),
                observation=Observation(
                    results=(ObservationResult(source_call_id=f"c{number}", content=output, extra={"exit_code": 0}),)
                ),
            )
        )
    made.append(Step(step_id=steps, source="agent", message=f"The total is {seed}."))
    return write(Trajectory(agent=Agent(name="claude-code", version="1"), steps=tuple(made)))


def main(traces: int, steps: int) -> None:
    """Print the figures; exit 1 over the bound at full size."""
    metrics = plugins.load("metrics", "METRIC", "name")
    case = Case(
        id="c", prompt="Report the totals.", trigger=True, expected_skill="ledger", expected_script="scripts/total.py",
        checks=(Check(id="t", kind=CheckKind.REGEX, role=Role.OUTCOME, args={"pattern": r"total is \d+"}),),
    )  # fmt: skip
    documents = [document(seed, steps) for seed in range(traces)]
    size = sum(map(len, documents)) / traces / 1000
    started, cpu = time.perf_counter(), time.process_time()
    read_seconds = 0.0
    scored = 0
    for seed, data in enumerate(documents):
        before = time.perf_counter()
        trajectory = read(data, source=f"{seed}.json")
        read_seconds += time.perf_counter() - before
        trial = Trial(
            digest=f"{seed:064x}", skill="skills/ledger", case="c", arm=Arm.WITH_SKILL, harness="claude-code",
            model="m", attempt=1, ending=Ending.FINISHED,
        )  # fmt: skip
        scored += len(grade(trial, trajectory, case, None, metrics, None))  # type: ignore[arg-type]
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    load = os.getloadavg()[0]
    print(f"{traces} traces of {steps} steps ({size:.0f} kB each), {scored} scores, no judge")
    print(f"{seconds:.1f} s in all ({cpu:.1f} s of processor), {read_seconds:.1f} s of it reading ATIF")
    print(f"load average {load:.1f} on {os.cpu_count()} cores")
    if traces >= 1000 and seconds > BOUND_SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*(numbers + [1000, 50][len(numbers) :]))
