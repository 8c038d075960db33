"""How far a judge agrees with people, and how easily it is moved by what means nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from aces_ci.core.asking.exhibit import Exhibit
from aces_ci.core.asking.judge_score import Setup, setups
from aces_ci.core.asking.label import Label
from aces_ci.core.asking.rubric import PASS_SCORE, Rubric
from aces_ci.statistics.agreement import kappa
from aces_ci.statistics.proportion import wilson
from aces_ci.tiers.ask import Asker
from aces_ci.tiers.judged import judge
from aces_ci.tiers.rubric_prompt import edition

PADDING = (
    "\nThis guide was written with great care. It is comprehensive, thorough and of high quality. It has been reviewed "
    "several times and covers everything that matters in a clear and professional way.\n"
)
Change = Callable[[Exhibit], Exhibit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Hits of a count, with its 95 % interval (Wilson)."""

    hits: int
    count: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What was measured."""

    judge: tuple[str, ...]
    edition: str
    """Of all criteria, as a run asks them (`Judgement.edition`)."""
    sampling: tuple[str, ...]
    labels: int
    answered: int
    agree: Rate
    kappa: float | None
    false_yes: Rate
    """Of the items that people fail, those that the judge passes."""
    false_no: Rate
    flips: Mapping[str, Rate]
    """Perturbation to the items whose word it turned, of those answered both times."""


def blank_lines(exhibit: Exhibit) -> Exhibit:
    """Every blank line doubled: no change of meaning."""
    return _each(exhibit, lambda text: text.replace("\n\n", "\n\n\n"))


def padded(exhibit: Exhibit) -> Exhibit:
    """Praise of itself at the manifest's end: nothing that an agent could use."""
    *front, last = exhibit.texts[exhibit.manifest]
    end = replace(last, text=last.text + PADDING)
    return replace(exhibit, texts={**exhibit.texts, exhibit.manifest: (*front, end)})


def reordered(exhibit: Exhibit) -> Exhibit:
    """Files beside the manifest in the opposite order, and the frontmatter's lines as well."""
    first, *rest = exhibit.texts.items()
    manifest, (head, *more) = first
    head = replace(head, text=_frontmatter_reversed(head.text))
    return replace(exhibit, texts=dict([(manifest, (head, *more)), *reversed(rest)]))


PERTURBATIONS: Mapping[str, Change] = {"blank lines": blank_lines, "order": reordered, "padding": padded}


def calibrate(
    labels: Sequence[Label],
    exhibits: Mapping[str, Exhibit],
    rubrics: Sequence[Rubric],
    asker: Asker,
    *,
    votes: int,
    perturb: bool = True,
) -> Calibration:
    """Asks about every labelled item, and again about each perturbed skill."""
    plain, asked = _words(labels, exhibits, rubrics, asker, votes)
    pairs = [(label.passes, plain[label.skill, label.criterion]) for label in labels if _key(label) in plain]
    failed = [judged for said, judged in pairs if not said]
    passed = [judged for said, judged in pairs if said]
    flips: dict[str, Rate] = {}
    for name, change in PERTURBATIONS.items() if perturb else ():
        moved, _ = _words(labels, {path: change(each) for path, each in exhibits.items()}, rubrics, asker, votes)
        both = [(plain[key], moved[key]) for key in plain if key in moved]
        flips[name] = _rate(sum(one is not other for one, other in both), len(both))
    return Calibration(
        judge=tuple(sorted({each.judge for each in asked})),
        edition=edition(tuple(rubrics), votes),
        sampling=tuple(sorted({each.sampling for each in asked})),
        labels=len(labels),
        answered=len(pairs),
        agree=_rate(sum(said is judged for said, judged in pairs), len(pairs)),
        kappa=kappa(pairs),
        false_yes=_rate(sum(failed), len(failed)),
        false_no=_rate(sum(not judged for judged in passed), len(passed)),
        flips=flips,
    )


def _words(
    labels: Sequence[Label], exhibits: Mapping[str, Exhibit], rubrics: Sequence[Rubric], asker: Asker, votes: int
) -> tuple[dict[tuple[str, str], bool], tuple[Setup, ...]]:
    found: dict[tuple[str, str], bool] = {}
    rows = []
    for skill in dict.fromkeys(label.skill for label in labels):
        wanted = {label.criterion for label in labels if label.skill == skill}
        for row in judge(exhibits[skill], [each for each in rubrics if each.name in wanted], asker, votes=votes):
            rows.append(row)
            if row.score is not None:
                found[skill, row.criterion] = row.score >= PASS_SCORE
    return found, setups(rows)


def _key(label: Label) -> tuple[str, str]:
    return label.skill, label.criterion


def _rate(hits: int, count: int) -> Rate:
    low, high = wilson(hits, count)
    return Rate(hits=hits, count=count, low=low, high=high)


def _each(exhibit: Exhibit, change: Callable[[str], str]) -> Exhibit:
    texts = {
        path: tuple(replace(part, text=change(part.text)) for part in parts) for path, parts in exhibit.texts.items()
    }
    return replace(exhibit, texts=texts)


def _frontmatter_reversed(text: str) -> str:
    """Only where every line of it is `key: value`; anything else would change what it says."""
    head, mark, body = text.removeprefix("---\n").partition("\n---\n")
    lines = head.split("\n")
    simple = text.startswith("---\n") and mark and all(": " in line and line[:1].isalpha() for line in lines)
    return "---\n" + "\n".join(reversed(lines)) + mark + body if simple else text
