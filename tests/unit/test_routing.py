"""Lexical routing: which requests a skill names, whose card they match, which words would set two cards apart."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.routing import apart, card, rank, requests
from aces_ci.core.reading.sample import manifest
from aces_ci.core.skill import FileKind, Sibling, Skill, SkillFile, sibling_of
from aces_ci.rules.di022_own_requests_miss_the_card import RULE
from aces_ci.rules.di022_own_requests_miss_the_card import RULE as OWN_REQUESTS


def skill_of(body: str, evals: object = None) -> Skill:
    texts = {"SKILL.md": manifest(body)}
    if evals is not None:
        texts["evals/evals.json"] = evals if isinstance(evals, str) else json.dumps(evals)
    files = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
    }
    return parse_skill(root="skills/sample", files=files)


def test_prompts_that_call_for_the_skill_are_requests_and_negatives_are_not() -> None:
    cases = [
        {"id": 1, "prompt": "Turn the ledger into a table"},
        {"id": 2, "prompt": "Write a poem", "should_trigger": False},
        {"id": 3, "question": "What is in the ledger?", "expected_skill": "sample"},
        {"id": 4, "question": "What is the weather?", "expected_skill": None},
    ]
    for document in (cases, {"skill_name": "sample", "evals": cases}):
        assert requests(skill_of("", document)) == ("Turn the ledger into a table", "What is in the ledger?")


def test_phrases_of_the_user_in_the_body_are_requests() -> None:
    body = 'When the user says "export my whole ledger" or “a table of bookings”, begin.\n\n'
    body += 'The label "nothing of the kind" stays.\n'
    assert requests(skill_of(body)) == ("export my whole ledger", "a table of bookings")


def test_broken_evals_are_no_requests() -> None:
    assert requests(skill_of("", "{")) == ()
    assert requests(skill_of("", "[" * 10_000)) == ()


def test_a_request_ranks_the_card_that_shares_its_rare_words_first() -> None:
    cards = [card("ledger-export", "Exports a ledger as CSV"), card("parcel-quote", "Quotes parcels as CSV")]
    mine, other = rank("quote this parcel as csv", cards)
    assert other > mine > 0
    assert rank("sing a song", cards) == [0.0, 0.0]


def test_words_apart_come_from_the_body_and_not_from_the_other_card() -> None:
    skill = skill_of("Totals postings. Postings are totalled by account.\n")
    words = apart(skill, Sibling(path="skills/other", name="other", description="Lists accounts"))
    assert words[0] in ("totals", "postings") and "account" not in words


def test_words_that_both_bodies_hold_set_nothing_apart() -> None:
    """Of two copies each was told to say what the other says as well."""
    body = "Open a branch with the command line. Ask the reviewer for an opinion.\n"
    mine, twin = skill_of(body + "Then label it by wallet.\n"), sibling_of(skill_of(body))
    assert twin is not None and twin.body == skill_of(body).body
    words = apart(mine, twin)
    assert "wallet" in words and not {"branch", "reviewer", "command"} & set(words)
    assert apart(skill_of(body), twin) == []


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        (("total the invoices", "which invoices are open", "pay all of them"), "take up their words: invoices"),
        (("total my bookings", "what did we spend", "pay all of them"), 'name such requests: "total my bookings"'),
        (("every " * 20, "what did we spend", "pay all of them"), f'name such requests: "{"every " * 11}eve…"'),
    ],
)
def test_the_fix_of_missed_requests_names_a_word_that_two_of_them_share_or_quotes_one(
    asked: tuple[str, ...], hint: str
) -> None:
    cases = [{"id": number, "prompt": prompt} for number, prompt in enumerate(asked)]
    (problem,) = OWN_REQUESTS.check(skill_of("", cases))
    assert problem.hint == hint


def test_requests_that_a_neighbour_matches_better_are_told_with_its_name_and_the_words_to_take_up() -> None:
    cases = [{"prompt": text} for text in ("ledger of parcels", "weigh the ledger parcel", "parcel rates as a table")]
    skill = skill_of("# Sample\n", cases)
    assert list(RULE.check(skill)) == []
    rival = Sibling(path="skills/parcel-quote", name="parcel-quote", description="Weighs parcels for carrier rates.")
    (problem,) = RULE.check(replace(skill, siblings=(rival,)))
    assert problem.message.endswith("share too little with its description; parcel-quote matches them better.")
    assert problem.hint is not None and "parcel" in problem.hint.removeprefix("take up their words: ")
