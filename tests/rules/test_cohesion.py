"""Where a body shares the fewest of its own words, and how many they are."""

from __future__ import annotations

import pytest

from aces_ci.core.reading.cohesion import GENERAL, PARTS, card, seam

LEDGER = "".join(
    f"- The ledger, a posting, an account, a currency, an invoice, a receipt, a voucher, a balance ({number}).\n"
    for number in "abcdefgh"
)
TIDES = "".join(
    f"- The harbour, a gauge, a tide, a moon, a quay, a storm, a vessel, an anchor ({number}).\n"
    for number in "abcdefgh"
)
NONE: frozenset[str] = frozenset()


def test_two_subjects_share_nothing_across_their_seam() -> None:
    found = seam(LEDGER + TIDES, NONE)
    assert found is not None
    assert (found.line, found.shared) == (9, 0.0)
    assert set(found.before) == {"account", "balance", "currency", "invoice"}
    assert set(found.after) == {"anchor", "gauge", "harbour", "moon"}


def test_one_subject_shares_its_words_wherever_it_is_cut() -> None:
    both = "".join(f"{one[:-1]} {other}\n" for one, other in zip(LEDGER.split("\n"), TIDES.split("\n"), strict=True))
    found = seam(both + both, NONE)
    assert found is not None and found.shared >= 0.6 and found.before == found.after == ()


def test_half_of_the_words_on_both_sides_are_half_of_the_answer() -> None:
    other = TIDES
    for foreign, shared in (("gauge", "posting"), ("moon", "account"), ("quay", "ledger"), ("storm", "receipt")):
        other = other.replace(foreign, shared)
    found = seam(LEDGER + other, NONE)
    assert found is not None and found.shared == pytest.approx(4 / (4 + 2 + 2), abs=0.01)


def test_the_card_is_looked_for_on_the_side_that_names_it_less() -> None:
    found = seam(LEDGER + TIDES, card("ledger-export", "Exports ledgers."))
    assert found is not None and found.named == 0.0
    found = seam(LEDGER + TIDES, card("ledger-harbour", "Reads a file."))
    assert found is not None and found.named == 1.0


def test_a_short_body_cannot_tell_nor_one_of_general_words() -> None:
    assert (
        seam(
            "\n\n".join(
                ["ledger posting account currency invoice receipt voucher balance harbour gauge tide moon"]
                * (PARTS - 1)
            ),
            NONE,
        )
        is None
    )
    assert seam(LEDGER + LEDGER, NONE) is None, "eight words of its own are too few"
    assert seam("\n\n".join(["run the file with code"] * 20), NONE) is None
    assert {"file", "code", "run", "the"} <= GENERAL
