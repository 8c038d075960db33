"""Two parts of the body share few words.

At its weakest seam a body is cut in two, and the words that it repeats are looked for on both sides. A skill about one
thing takes its words up again and again, and those of its name and description; where the second half never does, it
may be another skill's: a merge went wrong, or two skills were written into one file. Both sides need words of their
own. A skill of separate chapters loses a few points without a line.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.cohesion import card, seam
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

ORDINARY, CARD = 0.55, 0.5
"""What costs nothing: the share of words across the seam, with that of parts that name the card counting by half."""
ENOUGH = 4
"""Words that each side has alone before it is taken for a subject of its own."""
POWER, MOST, LOUD = 1.3, 34.0, 0.5
"""How steeply less of it costs, the points in all, and the share of them from which on it is said."""


def check(skill: Skill) -> Iterator[Problem]:
    found = seam(skill.body, card(skill.name or skill.directory, skill.description or ""))
    if found is None:
        return
    sure = min(len(found.before), len(found.after), ENOUGH) / ENOUGH
    yield from graded(
        sure * max(0.0, 1 - (found.shared + CARD * found.named) / ORDINARY) ** POWER,
        MOST,
        quiet=LOUD,
        message=f"From here on the body speaks of {', '.join(found.after)}, which it never did before, and no more of "
        f"{', '.join(found.before)}.",
        line=skill.at(found.line),
    )


_LEDGER = "".join(
    f"{number}. {row}\n"
    for number, row in enumerate(
        (
            "Read each posting of the ledger with its account and voucher.",
            "Write one row a posting, the account first, the voucher and the invoice last.",
            "Round the amount of each posting to two decimals; a voucher has one currency.",
            "Sum the amount by account, by invoice and by currency.",
            "Stop where a currency has no amount, or an invoice no voucher.",
            "Compare the ledger with the sums of every currency and each invoice.",
            "Print the account with the amount of each posting in the ledger.",
        ),
        start=1,
    )
)
_TIDES = """- Read the harbour's constituents: amplitude, phase and gauge.
- Sum the cosines of each constituents' phase for the harbour and its gauge.
- Mark high water and low water of each cosines curve, with the amplitude.
- Round the height of the water at the gauge to centimetres.
- Warn of a storm where the water stands higher than the harbour; a storm adds height.
- Print the phase with its amplitude, the cosines and the storm.
- Name the gauge nearest to the harbour, its constituents and its water height.
"""


RULE = Rule(
    code="CO029",
    slug="halves-share-few-words",
    title="two parts of the body share few words",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="check that both belong to this skill; else give each a skill of its own",
    check=check,
    confidence=Confidence.LOW,
    explained_by=("CO019",),
    requires=("SP001", "SP002", "CO026"),
    fires_beyond="thereisnotime/skills-collection"
    "/skills/jeremylongshore--claude-code-plugins-plus-skills/plugins/ai-agency/tonone/skills/cortex-eval at cbf6db9",
    silent_on="getsentry/skills/skills/pr-writer",
    examples=(
        Example(files={"SKILL.md": manifest(f"# Sample\n\n{_LEDGER}\n{_TIDES}")}, lines=(15,)),
        Example(
            files={"SKILL.md": manifest(f"# Sample\n\n{_LEDGER}\n{_LEDGER.replace('.', ' again.')}")},
            why="both sides speak of the ledger",
        ),
        Example(
            files={"SKILL.md": manifest(f"# Sample\n\n{_LEDGER}\n{_TIDES}" + "- Then see the next page of it.\n" * 14)},
            why="the second side has no words of its own",
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\nRead the ledger.\n")}, why="too short to tell"),
    ),
)
