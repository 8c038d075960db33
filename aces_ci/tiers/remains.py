"""What one try leaves behind: the trial as its line of evidence has it, and the files that belong to it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aces_ci.core.spending.exchange import Exchange
from aces_ci.core.trace import file as trace_file
from aces_ci.core.trial import Trial
from aces_ci.ports.converter import Converter, Log
from aces_ci.tiers.till import home_of
from aces_ci.tiers.trace import traced
from aces_ci.tiers.trial import Tried


def remains(
    tried: Tried, exchanges: Sequence[Exchange], converter: Converter | None, *, paid_micros: int
) -> tuple[Trial, dict[str, bytes]]:
    """The trial with its trajectory, and every file by its name in the output directory.

    The trajectory comes last: where it is, a start that goes on takes all the others to be there as well.

    `paid_micros`: by all tries of the trial.
    """
    trial, ran = tried.trial, tried.ran
    if tried.tries > 1:
        again = f"tried {tried.tries} times"
        trial = replace(trial, because=f"{trial.because}; {again}" if trial.because else again)
    trial = replace(trial, lost_micros=max(0, paid_micros - (trial.usage.usd_micros or 0)))
    home = home_of(trial.digest)
    files = {f"{home}/harness.log": ran.stdout.data}
    if ran.stderr.data:
        files[f"{home}/harness.stderr.log"] = ran.stderr.data
    for root, collected in (("workspace", ran.workspace), ("home", ran.home)):
        files |= {f"{home}/{root}/{file.path}": file.data for file in collected}
    session = {file.path: file.data for file in ran.home}
    found = traced(
        exchanges,
        agent=trial.harness,
        version=trial.harness_version,
        prompt=tried.prompt,
        model=trial.model,
        converter=converter,
        log=Log(stdout=ran.stdout.data, files=session, prompt=tried.prompt, model=trial.model),
    )
    trial = replace(trial, flags=tuple(dict.fromkeys((*trial.flags, *found.flags))))
    if found.trajectory is not None:
        name = f"{home}/trajectory.json"
        files[name] = trace_file.write(found.trajectory)
        trial = replace(trial, trajectory=name, answer=found.trajectory.answer_digest)
    return trial, files
