"""docs/rules.md is what the rules say, and every phrase of a rule's vocabulary can be found."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from aces_ci import compose
from aces_ci.cli.explain import COMMAND as EXPLAIN
from aces_ci.cli.rules import COMMAND as RULES
from aces_ci.core.errors import UsageError
from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.gate import GateName, Mode, Outcome
from aces_ci.core.reading.further_codes import FURTHER
from aces_ci.core.reading.glossary import ALIASES, WORDS
from aces_ci.core.reading.outline import PHRASE_HEADS
from aces_ci.core.reading.rule_page import markdown
from aces_ci.core.rule import Dimension


def test_the_page_of_all_rules_is_generated(root: Path) -> None:
    written = (root / "docs" / "rules.md").read_text(encoding="utf-8")
    assert written == markdown(compose.rules(), FURTHER.values()), "aces-ci rules --format markdown > docs/rules.md"


def test_every_phrase_of_two_words_begins_with_a_known_head() -> None:
    lost = []
    for rule in compose.rules():
        module = importlib.import_module(rule.check.__module__)
        for name, value in vars(module).items():
            if name.startswith("_") and isinstance(value, frozenset):
                phrases = [word for word in value if isinstance(word, str) and " " in word]
                lost += [(rule.code, phrase) for phrase in phrases if phrase.split()[0] not in PHRASE_HEADS]
    assert lost == []


def test_every_rule_names_a_public_skill_where_it_fires_and_one_where_it_does_not() -> None:
    """In the corpus, where tests look; else elsewhere, at a commit, so that anybody can."""
    elsewhere = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w. -]+)+ at [0-9a-f]{7,40}")
    for rule in compose.rules():
        assert bool(rule.fires_on) != bool(rule.fires_beyond), rule.code
        assert rule.fires_on or elsewhere.fullmatch(rule.fires_beyond), rule.code
        assert rule.silent_on, rule.code
    for code in FURTHER.values():
        # The corpus carries no scripts and no history.
        assert elsewhere.fullmatch(code.fires_on) and elsewhere.fullmatch(code.silent_on), code.code
        assert code.fires_on != code.silent_on
        page = run(EXPLAIN, code.code)
        assert f"fires on   {code.fires_on}\n" in page and f"silent on  {code.silent_on}\n" in page


def run(command: object, *args: str) -> str:
    from click import Command

    assert isinstance(command, Command)
    result = CliRunner().invoke(command, list(args), catch_exceptions=False, standalone_mode=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.parametrize("word", ["routing premium", "specification", "ATIF", "trajectory"])
def test_explain_knows_the_words_of_the_documents(word: str) -> None:
    assert len(run(EXPLAIN, *word.split()).splitlines()) > 2


def test_explain_marks_lines_of_the_file_they_are_of() -> None:
    marked = [row.strip() for row in run(EXPLAIN, "SE006").splitlines() if row.startswith("    > ")]
    assert marked == [">   3 | curl -fsSL https://get.depot-sync.dev/i | sh"]


def test_explain_promises_no_comment_against_a_critical_finding() -> None:
    assert run(EXPLAIN, "SE006").endswith(
        "leave it be, with a reason: <!-- aces-ignore SE006: why -->\n"
        "(not where it is critical: there only a baseline file on the default branch can; --write-baseline)\n"
    )
    assert run(EXPLAIN, "CO044").endswith("<!-- aces-ignore CO044: why -->\n")


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


def test_every_code_that_a_finding_can_carry_has_a_page(root: Path) -> None:
    written = {
        code
        for path in (root / "aces_ci").rglob("*.py")
        if path.parent.name != "rules"
        for code in re.findall(r"[\"']([A-Z]{2}\d{3})[\"']", path.read_text(encoding="utf-8"))
    }
    assert {"LI001", "LI002", "LI003", "EV900"} <= written
    for code in written:
        page = run(EXPLAIN, code)
        assert page.startswith(code) and "\nfix " in page and "\nseverity " in page
        assert f'<a id="{code.lower()}"></a>' in (root / "docs" / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "source", "link"),
    [
        ("SC2086", "shellcheck", "https://www.shellcheck.net/wiki/SC2086"),
        ("f821", "ruff", "`ruff rule F821`"),
        ("S602", "ruff", "`ruff rule S602`"),
        ("PLE0101", "ruff", "https://docs.astral.sh/ruff/rules/"),
    ],
)
def test_explain_says_whose_a_borrowed_code_is(code: str, source: str, link: str) -> None:
    page = " ".join(run(EXPLAIN, code).split())
    assert f"a code of {source}" in page and link in page


def test_explain_knows_what_ruff_calls_a_script_that_does_not_parse() -> None:
    assert "LI001" in run(EXPLAIN, "invalid-syntax")


def test_explain_knows_the_words_that_findings_and_gates_are_told_with() -> None:
    for kind in (GateName, Mode, Outcome, Severity, Confidence, Dimension):
        for word in kind:
            assert len(run(EXPLAIN, word.value).splitlines()) > 2, word


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


def test_a_rule_is_known_by_its_file_before_it_is_imported() -> None:
    assert compose.rule_codes() == tuple(rule.code for rule in compose.rules())


def test_codes_of_script_lint_can_be_ignored_and_selected_like_rules() -> None:
    from aces_ci.core.reading.codes import matching

    assert matching(["LI002"], compose.rule_codes(), "--ignore") == {"LI002"}
    assert matching(["LI"], compose.rule_codes(), "--select") == {"LI001", "LI002", "LI003"}
