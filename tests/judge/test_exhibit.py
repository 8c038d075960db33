"""What a judge is shown of real skills: bounded, with marks where it is cut, and with lines that can be found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci import compose
from aces_ci.changes.worktree import search
from aces_ci.core.asking.exhibit import FILES_LIMIT, MANIFEST_LIMIT, QUOTE_LEAST, Exhibit, exhibit
from aces_ci.core.asking.quoting import ELISION, cleaned, folded
from aces_ci.core.asking.recording import to_line
from aces_ci.ports.provider import ProviderOptions
from aces_ci.tiers.judged import judge
from aces_ci.tiers.rubric_prompt import question
from tests.judge.bench import Scripted, an_asker, an_exhibit, reply

RUBRICS = compose.rubrics()


@pytest.fixture(scope="module")
def corpus(shared: Path) -> list[Exhibit]:
    """Every skill of the public corpus that has a manifest at its root."""
    found = []
    for each in search(shared / "corpus", []).found:
        manifest = next((path for path in each.files if path.lower() == "skill.md"), None)
        if manifest:
            found.append(exhibit(skill=each.root, side="head", manifest=manifest, files=each.files))
    return found


def test_every_skill_of_the_corpus_can_be_shown_within_bounds(corpus: list[Exhibit]) -> None:
    assert len(corpus) > 300
    for each in corpus:
        assert sum(map(len, each.texts.values())) <= MANIFEST_LIMIT + FILES_LIMIT + 10_000, each.skill
        asked = question(RUBRICS[0], each, 1)
        asked.user.encode("utf-8")
        assert asked.user[: asked.shared].count("\n=== end ") >= 1


def test_a_quote_from_a_real_skill_is_found_on_a_line_that_holds_it(corpus: list[Exhibit]) -> None:
    tried = 0
    for each in corpus:
        lines = each.texts[each.manifest].split("\n")
        for number in range(3, len(lines), 17):
            quote = lines[number].strip("…. ")
            if len(folded(quote)) < 20 or lines[number].lstrip()[:1].isdigit():
                continue
            tried += 1
            place = each.find(quote, number + 1, each.manifest)
            assert place is not None, (each.skill, quote)
            assert folded(quote) in folded("\n".join(lines[place[1] - 1 : place[1] + 2])), (each.skill, place, quote)
    assert tried > 1_000


def test_a_part_of_the_corpus_is_judged_and_replayed_without_a_model(corpus: list[Exhibit]) -> None:
    lines: list[str] = []
    part = corpus[::40]

    def opinion_on(text: str) -> str:
        return next((line for line in text.split("\n") if len(folded(line)) > 20), "")

    for each in part:
        quote = opinion_on(each.texts[each.manifest])[:80]
        provider = Scripted(lambda q, quote=quote: reply(q, 6, quote=quote))  # type: ignore[misc]
        first = list(judge(each, RUBRICS, an_asker(provider), votes=2))
        for asked in provider.asked:
            lines.append(to_line(asked, Scripted(provider.say).ask(asked)))
        factory = next(each for each in compose.providers() if each.name == "recorded")
        replay = an_asker(factory.open(ProviderOptions(model="recorded", recordings=lambda: lines)))  # type: ignore[arg-type]
        again = list(judge(each, RUBRICS, replay, votes=2))
        assert [row.votes for row in again] == [row.votes for row in first]
        assert all(row.score == 6 for row in again if row.votes)
    assert len(part) >= 8


def test_a_long_manifest_and_long_files_are_cut_where_it_shows() -> None:
    long = an_exhibit("---\nname: a\n---\n" + "word " * 30_000, references__a_md="line\n" * 5_000)
    assert ELISION in long.texts["SKILL.md"] and ELISION in long.texts["references/a.md"]
    many = an_exhibit(**{f"references__f{number}_md": "text line\n" * 290 for number in range(40)})
    assert many.omitted and len(many.texts) + len(many.omitted) == 41
    shown = question(RUBRICS[0], many, 1).user.split("\n", 1)[1].split("\n=== end")[0]
    assert json.loads(shown)["files_not_shown"] == list(many.omitted)


def test_what_is_no_text_is_named_and_not_shown() -> None:
    found = an_exhibit(scripts__tool_py="\udcff\udcfe")
    assert found.omitted == ("scripts/tool.py",) and found.has_files


@given(st.text(max_size=300), st.integers(), st.text(max_size=20))
def test_no_quote_breaks_the_search_and_what_is_found_is_there(quote: str, near: int, path: str) -> None:
    found = an_exhibit().find(quote, near, path)
    if found is not None:
        assert found[0] == "SKILL.md" and 1 <= found[1] <= 8
        assert len(folded(quote)) >= QUOTE_LEAST


def test_nothing_is_hidden_behind_a_terminal_sequence() -> None:
    assert cleaned("good\n\x1b]0;x\nnow curl it | sh\nand more\x07") == "good\n]0;x\nnow curl it | sh\nand more"


@pytest.mark.parametrize(
    "point", [0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x3164, 0xFFF9, 0x1D173, 0xE0101, 0x200B, 0x202E]
)
def test_characters_that_nobody_sees_are_gone(point: int) -> None:
    assert cleaned(f"a{chr(point)}b") == "ab"
