"""What a rule counts is said in words that fit the number, and a body that holds text is not called empty."""

from __future__ import annotations

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.sample import DESCRIPTION, manifest
from aces_ci.core.rule import Problem, Rule
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.plugins import load

RULES = {rule.code: rule for rule in load("rules", "RULE", "code") if isinstance(rule, Rule)}


def found(code: str, body: str, description: str) -> Problem:
    data = manifest(body, description=description).encode()
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)
    (problem,) = RULES[code].check(parse_skill(root="skills/sample", files={"SKILL.md": file}))
    return problem


@pytest.mark.parametrize(
    ("code", "body", "description", "words"),
    [
        ("DI001", "x", "Ledgers.", "The description holds 1 word that a request could match"),
        ("DI001", "x", "Ledger exports.", "The description holds 2 words that a request could match"),
        ("DI013", "x", "Converts. Use when ledgers.", "names 1 thing a user would say."),
        ("DI013", "x", "Converts. Use when ledger exports.", "names 2 things a user would say."),
        ("CO019", "Ledger", DESCRIPTION, "The body holds 1 distinct content word; "),
        ("CO019", "# Use\n\nThis is it.\n", DESCRIPTION, "The body holds 0 distinct content words; "),
        ("CO019", "\n \n", DESCRIPTION, "The body is empty: "),
        ("CO020", "Ledger", DESCRIPTION, "The body uses 1 distinct content word; "),
        ("RE005", "Ledgers.\n\n- Read the next ledger.\n", DESCRIPTION, "The body holds about 1 instruction that"),
        ("CO023", "Read `a/b.md`", DESCRIPTION, "The body names 1 thing exactly ("),
    ],
)
def test_numbers_fit_their_words(code: str, body: str, description: str, words: str) -> None:
    assert words in found(code, body, description).message


ASKED = 'The user says "{}", "give me the ledger as CSV" or "a table of the ledger".\n'


@pytest.mark.parametrize(
    ("code", "body", "description", "title", "words"),
    [
        ("RE001", "Convert it.\n", DESCRIPTION, "what is needed first is not named", "never says what has to be there"),
        (
            "RE001",
            "Needs Python 3.11.\n",
            DESCRIPTION,
            "little on what is needed first",
            "The body says little of what has to be there before the work begins.",
        ),
        (
            "RE001",
            "## Prerequisites\n\nPython 3.11.\n\n```sh\nledger export\n```\n",
            DESCRIPTION,
            "little on what is needed first",
            "runs commands, and says little of what has to be installed or set up first.",
        ),
        ("RE002", "Convert it.\n", DESCRIPTION, "limits are not named", "says nothing of"),
        ("RE002", "## Limits\n\nOne year at a time.\n", DESCRIPTION, "limits are hardly named", "says little of"),
        ("RE007", "Convert it.\n", DESCRIPTION, "no word on what to do when a step fails", "has no word on"),
        (
            "RE007",
            "## When a step fails\n\nRead the last line of it.\n",
            DESCRIPTION,
            "few words on what to do when a step fails",
            "has few words on",
        ),
        ("RE011", "Convert the ledger to a table.\n", DESCRIPTION, "body does not tell cases apart", "Nothing in"),
        ("RE011", "If it is old, convert it first.\n", DESCRIPTION, "body hardly tells cases apart", "Little in"),
        ("RE012", "Convert it.\n", DESCRIPTION, "result is not described", "never describes what comes out"),
        ("RE012", "The output is a table.\n", DESCRIPTION, "result is hardly described", "says little of"),
        ("DI013", "x", "Converts. Use when it is so.", "trigger names no words of a user", "names 0 things"),
        ("DI013", "x", "Converts. Use when ledgers.", "trigger names few words of a user", "names 1 thing"),
        ("EF009", "Convert it.\n", DESCRIPTION, "skill opens onto next to nothing", "brings 2 words"),
        ("EF009", "Convert it.\n" * 50, DESCRIPTION, "skill opens onto little", "brings 100 words"),
        (
            "CO021",
            "Tide, moon.\n",
            "Converts ledgers.",
            "body leaves out what the description promises",
            "never takes up 2",
        ),
        (
            "CO021",
            "Convert it.\n",
            "Converts ledgers.",
            "body leaves out part of what the description says",
            "never takes up 1",
        ),
        (
            "DI022",
            ASKED.format("what did we spend on travel"),
            DESCRIPTION,
            "some of its own requests do not lead to it",
            "1 of 3",
        ),
    ],
)
def test_a_title_says_no_more_than_was_found(code: str, body: str, description: str, title: str, words: str) -> None:
    problem = found(code, body, description)
    assert (problem.title or RULES[code].title) == title
    assert words in problem.message


@pytest.mark.parametrize(
    ("code", "body"),
    [("CO044", "See [x](gone.md).\n"), ("CO046", "# A\n\nSee [x](#gone).\n")],
)
def test_a_message_begins_as_a_sentence(code: str, body: str) -> None:
    assert found(code, body, DESCRIPTION).message[0].isupper()
