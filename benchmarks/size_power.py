"""Size, power, saving and coverage of the verdict, through the same code path as `report`.

    .venv/bin/python benchmarks/size_power.py [--runs 2000] [--only PART]

Every repetition makes `Trial` and `Score` values and asks `tiers.compare.decide`, the function behind `summarise`,
`report` and the engine's looks; `report` itself is run on a part of them and must say the same word. Each rate stands
with its Monte Carlo standard error; each effect with the mean lift that was realised. What the project promises
(false verdicts at most .05, power at least .85 at 4 x 8 for a realised .4, a quarter saved, coverage) is checked to
within three standard errors, and the program ends with exit code 1 where it does not hold.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from sys import path as import_path

import numpy as np

import_path.insert(0, str(Path(__file__).resolve().parents[1]))

from aces_ci.core.lift import outcomes, table
from aces_ci.core.live import Word
from aces_ci.core.live_plan import LivePlan
from aces_ci.core.score import Score
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.statistics.intervals import miettinen_nurminen, satterthwaite
from aces_ci.statistics.passes import over_cases, pass_interval
from aces_ci.statistics.population import tasks_like_these
from aces_ci.statistics.stratified import exact_test
from aces_ci.tiers.compare import summarise
from aces_ci.tiers.decide import decide
from aces_ci.tiers.strata import slots
from tests.statistics.populations import KINDS, Draw, binary, items, rates

Draws = Callable[[str, int, int, float, np.random.Generator], Draw]
Lost = Callable[[Arm, float], bool] | Collection[str]
DESIGNS: tuple[tuple[int, tuple[int, ...]], ...] = (
    (3, (1,)),
    (4, (3,)),
    (4, (5,)),
    (4, (3, 5)),
    (4, (8,)),
    (4, (3, 5, 8)),
    (6, (3, 5)),
    (10, (3,)),
)
"""Cases and looks; a single look is the fixed design."""
broken: list[str] = []
"""Promises that did not hold in this run."""
_FIXED = (
    "skills/x",
    "claude-code",
    "model",
)


def evidence(draw: Draw, lost: Lost = frozenset()) -> tuple[list[Trial], list[Score]]:
    """One trial and one score for every outcome; `lost` says which infrastructure takes, by digest or by a rule."""
    trials, scores = [], []
    for arm, rows in ((Arm.WITH_SKILL, draw.a), (Arm.PREVIOUS, draw.b)):
        for case, row in enumerate(rows):
            for attempt, value in enumerate(row, start=1):
                digest = f"{arm.value}/{case}/{attempt}"
                gone = lost(arm, float(value)) if callable(lost) else digest in lost
                trials.append(
                    Trial(
                        digest=digest,
                        skill=_FIXED[0],
                        case=f"c{case}",
                        arm=arm,
                        harness=_FIXED[1],
                        model=_FIXED[2],
                        attempt=attempt,
                        ending=Ending.INFRA_FAILED if gone else Ending.FINISHED,
                    )
                )
                if not gone:
                    scores.append(Score(trial=digest, metric="goal_accuracy", value=float(value), because=""))
    return trials, scores


def word_of(trials: list[Trial], scores: list[Score], plan: LivePlan) -> tuple[Word, int]:
    """The word, and the attempts it took."""
    found = decide(slots(trials, plan.cap), scores, outcomes(trials, table(scores)), plan)
    main = found.main
    look = main.looks.look if main else 0
    return found.word, plan.looks[look - 1] if look else plan.cap


def looks_of(attempts: int) -> tuple[int, ...]:
    """3 / 5 / 8 up to the design's attempts."""
    return tuple(look for look in (3, 5, 8) if look <= attempts) or (attempts,)


def promised(what: str, *, holds: bool) -> None:
    """Remember what did not hold; the program's exit code says so."""
    if not holds:
        broken.append(what)
        print(f"BROKEN: {what}")


def error_of(share: float, runs: int) -> float:
    """Three Monte Carlo standard errors of a share."""
    return float(3 * (share * (1 - share) / runs) ** 0.5)


def rate(count: float, runs: int) -> str:
    p = count / runs
    return f"{p:.3f} ± {(p * (1 - p) / runs) ** 0.5:.3f}"


def sample(make: Iterable[tuple[list[Trial], list[Score]]], plan: LivePlan) -> tuple[Counter[Word], float]:
    words: Counter[Word] = Counter()
    used = total = 0
    for trials, scores in make:
        word, attempts = word_of(trials, scores, plan)
        words[word] += 1
        used += attempts
        total += 1
    return words, used / max(1, total)


def size(runs: int, seed: int = 1001) -> None:
    print("\nSIZE: identical arms; total false verdicts (regressed + improved) must stay at or below .05")
    print(f"{'design':>8} {'looks':>8}  " + "  ".join(f"{kind:>13}" for kind in KINDS))
    for cases, looks in DESIGNS:
        plan, cells, attempts = LivePlan(looks=looks), [], looks[-1]
        for kind in KINDS:
            rng = np.random.default_rng(seed)
            words, _ = sample((evidence(binary(kind, cases, attempts, 0.0, rng)) for _ in range(runs)), plan)
            false = words[Word.REGRESSED] + words[Word.IMPROVED]
            cells.append(rate(false, runs))
            promised(f"size of {cases} x {looks}, {kind}", holds=false / runs <= 0.05 + error_of(0.05, runs))
        print(
            f"{cases:>3} x {attempts:<2} {'/'.join(map(str, plan.looks)):>8}  " + "  ".join(f"{c:>13}" for c in cells)
        )


def power(runs: int, seed: int = 1002) -> None:
    print(
        "\nPOWER: the same drop in every case (rescaled, never clipped), .025 a side; "
        "regressed, realised lift, attempts used"
    )
    print(
        f"{'design':>8} {'looks':>7} {'kind':>8} {'lift':>5}  {'regressed':>13} {'improved':>9} "
        f"{'realised':>9} {'attempts':>8} saved"
    )
    for cases, attempts, looks in ((4, 3, (3,)), (4, 8, (8,)), (4, 8, (3, 5, 8)), (10, 5, (3, 5))):
        for kind in ("beta.8", "half", "easy"):
            for lift in (-0.2, -0.4):
                rng, realised, plan = np.random.default_rng(seed), [], LivePlan(looks=looks)

                def draws(
                    rng: np.random.Generator = rng,
                    realised: list[float] = realised,
                    kind: str = kind,
                    lift: float = lift,
                    cases: int = cases,
                    attempts: int = attempts,
                ) -> Iterable[tuple[list[Trial], list[Score]]]:
                    for _ in range(runs):
                        draw = binary(kind, cases, attempts, lift, rng)
                        realised.append(float(draw.a.mean() - draw.b.mean()))
                        yield evidence(draw)

                words, used = sample(draws(), plan)
                name, found = f"{cases} x {looks}, {kind}, {lift}", words[Word.REGRESSED] / runs
                spread = float(np.std(realised)) / runs**0.5
                promised(f"realised lift of {name}", holds=abs(float(np.mean(realised)) - lift) <= 4 * spread)
                if (cases, attempts, lift) == (4, 8, -0.4):
                    promised(f"power of {name}", holds=found >= 0.85 - error_of(0.85, runs))
                    if len(looks) > 1:
                        promised(f"saving of {name}", holds=1 - used / attempts >= 0.25)
                print(
                    f"{cases:>3} x {attempts:<2} {'/'.join(map(str, looks)):>7} {kind:>8} {lift:>5}  "
                    f"{rate(words[Word.REGRESSED], runs):>13} {words[Word.IMPROVED] / runs:>9.4f} "
                    f"{np.mean(realised):>9.3f} {used:>8.2f} {1 - used / attempts:>5.0%}"
                )


def noise(runs: int, seed: int = 1003) -> None:
    print("\nSCORES AND JUDGE NOISE: 5 correlated checks; each check flipped with probability e, blind to the arm")
    print(f"{'design':>8} {'e':>4}  {'size, total':>13}  {'power at -.2':>13}  {'verdicts whose interval holds 0':>20}")
    for cases, attempts in ((4, 3), (4, 8), (10, 3)):
        for error in (0.0, 0.1):
            plan, rows = LivePlan(looks=looks_of(attempts)), []
            clash = Counter[str]()
            for lift in (0.0, -0.2):
                rng = np.random.default_rng(seed)
                words: Counter[Word] = Counter()
                for _ in range(runs):
                    draw = items("beta.8", cases, attempts, lift, rng)
                    noisy = Draw(a=flipped(draw.a, error, rng), b=flipped(draw.b, error, rng))
                    trials, scores = evidence(noisy)
                    found = decide(slots(trials, plan.cap), scores, outcomes(trials, table(scores)), plan)
                    words[found.word] += 1
                    interval = found.main.interval if found.main else None
                    verdict = found.word in (Word.REGRESSED, Word.IMPROVED)
                    if interval is not None and verdict and interval.low <= 0 <= interval.high:
                        clash["inside"] += 1
                rows.append(words)
            false = rows[0][Word.REGRESSED] + rows[0][Word.IMPROVED]
            print(
                f"{cases:>3} x {attempts:<2} {error:>4}  {rate(false, runs):>13}  "
                f"{rate(rows[1][Word.REGRESSED], runs):>13}  {clash['inside']} of {2 * runs}"
            )


def flipped(scores: np.ndarray, error: float, rng: np.random.Generator, count: int = 5) -> np.ndarray:
    """Each of `count` checks behind a score answered wrongly with probability `error`."""
    passed = np.rint(scores * count).astype(int)
    kept = rng.binomial(passed, 1 - error)
    return (kept + rng.binomial(count - passed, error)) / count


def missing(runs: int, seed: int = 1004) -> None:
    print("\nMISSING: identical arms; share of false verdicts, of no verdict; then power at -.4")
    for cases, attempts in ((4, 8), (4, 5)):
        for name, share, informative in (
            ("at random 10 %", 0.10, False),
            ("main's failures 50 %", 0.5, True),
        ):
            cells = []
            for lift in (0.0, -0.4):
                rng, plan = np.random.default_rng(seed), LivePlan(looks=looks_of(attempts))

                def lost(
                    arm: Arm,
                    value: float,
                    rng: np.random.Generator = rng,
                    share: float = share,
                    informative: bool = informative,
                ) -> bool:
                    if informative:
                        return arm is Arm.PREVIOUS and value == 0.0 and rng.random() < share
                    return rng.random() < share

                words, _ = sample(
                    (
                        evidence(binary("half" if lift == 0 else "beta.8", cases, attempts, lift, rng), lost)
                        for _ in range(runs)
                    ),
                    plan,
                )
                cells.append(words)
            false = cells[0][Word.REGRESSED] + cells[0][Word.IMPROVED]
            print(
                f"{cases:>3} x {attempts:<2} {name:>22}  false {rate(false, runs)}"
                f"  no verdict {cells[0][Word.NO_VERDICT] / runs:.2f}"
                f"   power {rate(cells[1][Word.REGRESSED], runs)}  no verdict {cells[1][Word.NO_VERDICT] / runs:.2f}"
            )


def intervals(runs: int, seed: int = 1005) -> None:
    print("\nCOVERAGE of 95 % intervals")
    for cases, attempts in ((3, 3), (4, 3), (4, 8), (10, 5)):
        cells = []
        for kind in ("beta.8", "half", "easy", "extreme"):
            for lift in (0.0, 0.4):
                rng, hits = np.random.default_rng(seed), 0
                for _ in range(runs):
                    found = miettinen_nurminen(binary(kind, cases, attempts, lift, rng).cells())
                    hits += found.low <= lift <= found.high
                cells.append(hits / runs)
                low, high = 0.94 - error_of(0.94, runs), 0.985 + error_of(0.985, runs)
                held = cases < 4 or low <= hits / runs <= high
                promised(f"coverage of {cases} x {attempts}, {kind}, {lift}", holds=held)
        print(f"{cases:>3} x {attempts:<2} Miettinen-Nurminen, suite lift: {min(cells):.3f} to {max(cells):.3f}")
    for cases, attempts in ((4, 5), (4, 8), (10, 3)):
        rng, hits, none = np.random.default_rng(seed), 0, 0
        for _ in range(runs):
            found = satterthwaite(items("half", cases, attempts, -0.2, rng).cells())
            none += found is None
            hits += found is not None and found.low <= -0.2 <= found.high
        print(f"{cases:>3} x {attempts:<2} Satterthwaite, scores: {rate(hits, runs - none)} (no spread: {none})")
    for count in (8, 10, 15, 20):
        rng, hits = np.random.default_rng(seed), 0
        for _ in range(runs):
            found = tasks_like_these(list(np.clip(rng.normal(0.17, 0.26, count), -1, 1))).interval
            hits += found is not None and found.low <= 0.17 <= found.high
        held = 0.93 - error_of(0.93, runs) <= hits / runs <= 0.97 + error_of(0.97, runs)
        promised(f"coverage of t over {count} cases", holds=held)
        print(f"{count:>3} cases t, tasks like these: {rate(hits, runs)}")


def passes(runs: int, seed: int = 1009) -> None:
    print("\nCOVERAGE of 95 % intervals of pass@3 and pass^3, worst and best over five populations and both")
    k = 3
    for cases, attempts in ((3, 3), (4, 3), (4, 5), (4, 8), (10, 3), (10, 8), (20, 3)):
        found_rates, rng = [], np.random.default_rng(seed)
        for kind in KINDS:
            hits = [0, 0]
            for _ in range(runs):
                rate_of = rates(kind, cases, rng)
                counts = [(int(passed), attempts) for passed in rng.binomial(attempts, rate_of)]
                means = over_cases(counts, k)
                assert means is not None
                true = (float((1 - (1 - rate_of) ** k).mean()), float((rate_of**k).mean()))
                for place, (mean, value) in enumerate(zip(means, true, strict=True)):
                    found = pass_interval(mean, counts, k)
                    assert found is not None and 0 <= found.low <= found.high <= 1
                    hits[place] += found.low - 1e-9 <= value <= found.high + 1e-9
            found_rates += [hit / runs for hit in hits]
        promised(f"coverage of passes at {cases} x {attempts}", holds=min(found_rates) >= 0.90)
        print(f"{cases:>3} x {attempts:<2} {min(found_rates):.3f} to {max(found_rates):.3f}")


def _on_day(logits: np.ndarray, attempts: int, rng: np.random.Generator) -> np.ndarray:
    return (rng.random((len(logits), attempts)) < (1 / (1 + np.exp(-logits)))[:, None]).astype(float)


def day(runs: int, seed: int = 1006) -> None:
    print("\nDAY EFFECT on the logit: main stored on another day against run beside; one-sided size at .025")
    for cases, attempts, sigma in ((4, 8, 0.3), (4, 8, 0.6), (10, 5, 0.3), (10, 5, 0.6)):
        counts = Counter[str]()
        rng = np.random.default_rng(seed)
        for _ in range(runs):
            logits = rng.normal(0, 1.2, cases)
            today, other = rng.normal(0, sigma, 2)

            new, beside, stored = (_on_day(logits + shift, attempts, rng) for shift in (today, today, other))
            for name, old in (("beside", beside), ("stored", stored)):
                counts[name] += exact_test(Draw(a=new, b=old).cells()).p_lower <= 0.025 + 1e-9
        print(
            f"{cases:>3} x {attempts:<2} SD {sigma}: beside {rate(counts['beside'], runs)}"
            f"  stored {rate(counts['stored'], runs)}"
        )


def report(runs: int, seed: int = 1007) -> None:
    print("\nSAME PATH: decide() and summarise() must say the same word")
    rng, same = np.random.default_rng(seed), 0
    count = max(50, runs // 10)
    began = time.perf_counter()
    for number in range(count):
        plan = LivePlan(looks=(3, 5, 8))
        trials, scores = evidence(binary(KINDS[number % len(KINDS)], 4, 8, (-0.4, 0.0, 0.4)[number % 3], rng))
        same += word_of(trials, scores, plan)[0] is summarise(trials, scores, plan).word
    print(f"{same} of {count} agree; {1000 * (time.perf_counter() - began) / count:.0f} ms for both")


def honesty(runs: int, seed: int = 1008) -> None:
    print("\nHONESTY: what significant estimates average; one broken case; coverage at the stop")
    for cases, attempts, looks in ((4, 3, (3,)), (4, 8, (3, 5, 8)), (10, 5, (3, 5))):
        rng, plan, shown, hits = np.random.default_rng(seed), LivePlan(looks=looks), [], 0
        for _ in range(runs):
            trials, scores = evidence(binary("beta.8", cases, attempts, -0.2, rng))
            found = decide(slots(trials, plan.cap), scores, outcomes(trials, table(scores)), plan)
            assert found.main is not None and found.main.interval is not None and found.main.point is not None
            hits += found.main.interval.low <= -0.2 <= found.main.interval.high
            if found.word is Word.REGRESSED:
                shown.append(found.main.point)
        print(
            f"{cases:>3} x {attempts:<2} true -.20: significant estimates average {np.mean(shown):.2f} "
            f"({len(shown)} of {runs}); interval at the stop covers {rate(hits, runs)}"
        )
    for cases, attempts in ((4, 3), (4, 5), (4, 8), (10, 5)):
        rng, plan, found = np.random.default_rng(seed), LivePlan(looks=looks_of(attempts)), 0
        for _ in range(runs):
            draw = binary("beta.8", cases, attempts, 0.0, rng)
            draw.a[0], draw.b[0] = rng.random(attempts) < 0.05, rng.random(attempts) < 0.95
            found += word_of(*evidence(draw), plan)[0] is Word.REGRESSED
        print(f"{cases:>3} x {attempts:<2} one case .95 -> .05, the rest unchanged: regressed {rate(found, runs)}")


PARTS = {f.__name__: f for f in (size, power, noise, missing, intervals, passes, day, honesty, report)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", choices=sorted(PARTS), action="append")
    given = parser.parse_args()
    print(f"runs {given.runs}")
    for name, part in PARTS.items():
        if not given.only or name in given.only:
            began = time.perf_counter()
            part(given.runs)
            print(f"({name}: {time.perf_counter() - began:.0f} s)")
    if broken:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
