"""The body is about something else than name and description say.

The wrong file was saved, or a copy was never rewritten. Four things are compared: the title with the name, the name's
words and the description's with the whole body, and the body's most frequent words with both. A real skill fails one
of them at most; the more of them fail, the surer it is that the body belongs to another skill, however good it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.grade import graded
from aces_ci.core.reading.lexis import stemmed
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.reading.topic import strangeness
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

STUB, BODY = 30, 80
"""Distinct words up to which a body is too short to be another skill's, and from which on it is judged in full."""
ORDINARY, CERTAIN = 0.3, 0.9
"""Mean strangeness of a real skill at most, and that from which on all points go."""
UNTITLED = 0.2
"""What stands for the title's sign where there is none to compare."""
MOST, COPIED = 75.0, 0.5
"""Points in all, and the least share of them that a neighbour's title takes."""
SURE = 0.6
"""The share from which on it is said without a "may"."""


def check(skill: Skill) -> Iterator[Problem]:
    found = strangeness(skill)
    if found is None:
        return
    title = UNTITLED if found.title is None else found.title
    size = len(stemmed(outline(skill.body).vocabulary))
    whole = max(0.0, min(1.0, (size - STUB) / (BODY - STUB)))
    strange = (title + found.name + found.promise + found.frequent) / 4
    share = whole * min(1.0, (strange - ORDINARY) / (CERTAIN - ORDINARY))
    message = f"The body speaks of {', '.join(found.leading[:4])}; name and description hold none of these words."
    if found.neighbour:
        share, message = max(share, COPIED), f"The title is that of {found.neighbour}, the skill beside this one."
    yield from graded(
        share,
        MOST,
        quiet=0.3,
        loud=SURE,
        message=message,
        title="body may be about something else than the card says" if share < SURE else None,
        line=skill.opening,
    )


_TIDES = """# Tide times

Compute the hours of high and low water for a harbour from its constituents.

1. Read `harbours/<port>.json`: amplitude in metres, phase in degrees, speed in degrees an hour.
2. Sum the cosines for every quarter of an hour between midnight and midnight.
3. Mark each maximum and each minimum, and round its height to centimetres.
4. Print port, date, clock and height in four columns; daylight saving applies from March to October.

Warn when the moon is missing from the almanac, when a constituent has no phase, or when a storm surge is forecast:
wind and pressure move the water further than any cosine. Never use the result for navigation. Ports on rivers lag
behind the coast; take the gauge nearest to the quay and add its delay.
"""

_LEDGER = """# Ledger export

Convert a ledger to a CSV table with the columns date, account, amount and currency.

1. Read the export: each posting begins with a date, a colon and the name of an account.
2. Write one row for each posting; quote names that hold commas.
3. Sum the amounts of every currency and compare them with the totals at the end of the ledger.
4. Print the number of rows, the totals and the path of the table.

Stop when a posting has no amount, when two totals differ, or when the ledger is encrypted. Ask the user which year is
meant where the export spans several. Never change the ledger itself. Bookings in brackets are negative; strip the
blanks between thousands, and keep two decimals. Encode the file as UTF-8 with a header line, and name it by month.
"""


RULE = Rule(
    code="CO027",
    slug="body-is-about-something-else",
    title="body is about something else than the card says",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="check that this is the right file; else say in the description what the body does",
    check=check,
    confidence=Confidence.MEDIUM,
    explained_by=("CO019",),
    requires=("SP001", "SP002", "SP008", "CO024", "CO026"),
    fires_beyond="sickn33/antigravity-awesome-skills/skills/incident-response-smart-fix at e1dd8f41bc",
    silent_on="getsentry/skills/skills/skill-scanner",
    examples=(
        Example(files={"SKILL.md": manifest(_TIDES, name="ledger-csv")}, lines=(5,), directory="ledger-csv"),
        Example(
            files={"SKILL.md": manifest(_LEDGER.replace("Ledger export", "Ledger totals"), name="ledger-csv")},
            siblings={"ledger-totals": "Sums a ledger by account. Use when the user asks for totals of bookings."},
            lines=(5,),
            directory="ledger-csv",
            why="copied from the skill beside it",
        ),
        Example(files={"SKILL.md": manifest(_LEDGER, name="ledger-csv")}, directory="ledger-csv"),
        Example(
            files={"SKILL.md": manifest("# Tide tables\n", name="ledger-csv")}, directory="ledger-csv", why="a stub"
        ),
        Example(
            files={"SKILL.md": manifest(_TIDES, name="doing-tasks")}, directory="doing-tasks", why="no word to compare"
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    _TIDES, name="ledger-csv", description="把账本转换为表格，用户要求导出账本时使用。"
                )
            },
            directory="ledger-csv",
            why="another script",
        ),
    ),
)
