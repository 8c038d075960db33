"""docs/rules.md is what the rules say, and every phrase of a rule's vocabulary can be found."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from aces_ci import compose
from aces_ci.cli.explain import COMMAND as EXPLAIN
from aces_ci.cli.rules import COMMAND as RULES
from aces_ci.core.errors import UsageError
from aces_ci.core.reading.glossary import ALIASES, WORDS
from aces_ci.core.reading.outline import PHRASE_HEADS
from aces_ci.core.reading.rule_page import markdown


def test_the_page_of_all_rules_is_generated(root: Path) -> None:
    written = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    assert written == markdown(compose.rules()), "aces-ci rules --format markdown > docs/rules.md"


def test_every_phrase_of_two_words_begins_with_a_known_head() -> None:
    lost = []
    for rule in compose.rules():
        module = importlib.import_module(rule.check.__module__)
        for name, value in vars(module).items():
            if name.startswith("_") and isinstance(value, frozenset):
                phrases = [word for word in value if isinstance(word, str) and " " in word]
                lost += [(rule.code, phrase) for phrase in phrases if phrase.split()[0] not in PHRASE_HEADS]
    assert lost == []


def run(command: object, *args: str) -> str:
    from click import Command

    assert isinstance(command, Command)
    result = CliRunner().invoke(command, list(args), catch_exceptions=False, standalone_mode=False)
    assert result.exit_code == 0
    return result.stdout


def test_explain_knows_every_rule_by_code_and_by_slug() -> None:
    for rule in compose.rules():
        page = run(EXPLAIN, rule.code.lower())
        assert (
            page.startswith(f"{rule.code} {rule.slug}\n") and rule.hint in page and "bad:" in page and "good:" in page
        )
    assert run(EXPLAIN, "broken-link").startswith("CO044 ")


@pytest.mark.parametrize("word", ["inconclusive", "cannot", "no-difference", "Skill Lift"])
def test_explain_knows_the_words_of_a_verdict(word: str) -> None:
    args = ["cannot", "tell"] if word == "cannot" else [word]
    assert len(run(EXPLAIN, *args).splitlines()) > 2


def test_aliases_lead_to_words() -> None:
    assert set(ALIASES.values()) <= set(WORDS)


def test_a_word_that_is_none_is_a_usage_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError) as caught:
        run(EXPLAIN, "inconclusve")
    assert "inconclusive" in (caught.value.do or "")


def test_the_list_can_be_narrowed() -> None:
    lines = run(RULES, "SP").splitlines()
    assert len(lines) == 14 and all(line.startswith("SP0") for line in lines)


def test_there_are_about_fifty_rules_of_quality_and_spec() -> None:
    codes = [rule.code for rule in compose.rules() if rule.code[:2] in ("SP", "CO", "DI", "RE", "EF")]
    assert len(codes) >= 50
