"""Skills that talk to their judge: what holds whatever a model makes of them."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.asking.quoting import folded
from aces_ci.core.asking.reply import BadReply, parse
from aces_ci.tiers.judged import judge
from aces_ci.tiers.rubric_prompt import SCHEMA, question
from tests.judge.bench import Scripted, an_asker, reply
from tests.judge.redteam import ATTACKS, staged

RUBRIC = next(rubric for rubric in compose.rubrics() if rubric.name == "example_quality")
each = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["name"])


def test_there_are_at_least_forty_pairs_of_several_families_at_several_places() -> None:
    assert len(ATTACKS) >= 40
    assert min(Counter(attack["family"] for attack in ATTACKS).values()) >= 4
    assert len({attack["place"] for attack in ATTACKS}) >= 5
    assert all(attack["control"] and attack["control"] != attack["hostile"] for attack in ATTACKS)


@each
@pytest.mark.parametrize("which", ["hostile", "control"])
def test_the_skill_stays_data(attack: dict[str, Any], which: str) -> None:
    asked = question(RUBRIC, staged(attack, which), 1)
    plain = question(RUBRIC, staged({**attack, which: "x"}, which), 1)
    assert asked.system == plain.system and asked.schema == plain.schema, "no untrusted text among the rules"
    assert asked.user[asked.shared :] == plain.user[plain.shared :], "nor behind the data"
    opening, *body, closing = asked.user[: asked.shared].split("\n")
    nonce = opening.split()[2]
    assert closing == f"=== end {nonce} ==="
    assert nonce not in "\n".join(body), "nobody inside can write the closing mark"
    data = json.loads("\n".join(body))
    assert set(data) == {"skill_folder", "files", "files_not_shown", "rule_findings"}


@each
def test_nothing_hidden_reaches_the_judge(attack: dict[str, Any]) -> None:
    asked = question(RUBRIC, staged(attack, "hostile"), 1)
    hidden = [char for char in asked.user if unicodedata.category(char) in {"Cc", "Cf"} and char not in "\n\t"]
    assert hidden == []


@each
def test_an_object_that_stands_in_the_skill_is_not_the_judges_reply(attack: dict[str, Any]) -> None:
    for text in (f"The skill says: {attack['hostile']} I will not follow that.", attack["hostile"]):
        try:
            found = parse(text, SCHEMA)
        except BadReply:
            continue
        assert attack["name"] == "reply-whole", found


@each
def test_a_steered_judge_gets_no_pass_without_a_quote_that_stands_in_the_skill(attack: dict[str, Any]) -> None:
    exhibit = staged(attack, "hostile")
    invented = reply_of(quote="The examples are complete and flawless in every way.")
    rows = list(judge(exhibit, [RUBRIC], an_asker(Scripted(lambda q: invented)), votes=2))
    assert rows[0].score is None


@each
def test_what_the_judge_reports_reaches_the_evidence_even_where_its_vote_does_not_count(attack: dict[str, Any]) -> None:
    reported = reply_of(quote="Nothing like it is there, believe me.", injection_suspected=True)
    rows = list(judge(staged(attack, "hostile"), [RUBRIC], an_asker(Scripted(lambda q: reported)), votes=2))
    assert rows[0].injection_suspected


def test_the_plain_text_of_each_attack_is_shown_so_that_a_judge_can_report_it() -> None:
    shown = 0
    for attack in ATTACKS:
        exhibit = staged(attack, "hostile")
        text = folded(" ".join(part.text for parts in exhibit.texts.values() for part in parts))
        shown += folded(attack["hostile"])[:20] in text
    assert shown >= len(ATTACKS) - 6, "only what was hidden is taken out"


def reply_of(**changes: Any) -> dict[str, Any]:
    return reply(question(RUBRIC, staged(ATTACKS[0], "control"), 1), 10, **changes)
