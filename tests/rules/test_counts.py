"""What a rule counts is said in words that fit the number, and a body that holds text is not called empty."""

from __future__ import annotations

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.sample import DESCRIPTION, manifest
from aces_ci.core.rule import Rule
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.plugins import load

RULES = {rule.code: rule for rule in load("rules", "RULE", "code") if isinstance(rule, Rule)}


def said(code: str, body: str, description: str) -> str:
    data = manifest(body, description=description).encode()
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)
    (problem,) = RULES[code].check(parse_skill(root="skills/sample", files={"SKILL.md": file}))
    return str(problem.message)


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
    assert words in said(code, body, description)
