"""Lexical routing: which skill's card a request resembles most, and what would set two cards apart.

An agent sees name and description of every skill and picks one. Shared words are a crude model of that choice, and
a fair warning: what even a word count cannot tell apart, a model often confuses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log

from aces_ci.core.reading.lexis import STOP, stem, stems, words
from aces_ci.core.reading.outline import outline
from aces_ci.core.skill import Sibling, Skill

MOST_REQUESTS = 40
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{8,140})[\"”]")
_SAID = frozenset(
    {"user", "users", "says", "say", "asks", "ask", "asked", "request", "requests", "trigger", "triggers"}
)
_PROMPTS = ("prompt", "question", "query", "input", "task")


def card(name: str, description: str) -> frozenset[str]:
    """What can be matched of a skill before it is opened."""
    return stems(f"{name.replace('-', ' ').replace('_', ' ')} {description}")


def requests(skill: Skill) -> tuple[str, ...]:
    """Realistic requests that the skill itself names: prompts of its evals that call for it, phrases in quotes."""
    found = dict.fromkeys([*_of_evals(skill), *_quoted(skill)])
    return tuple(found)[:MOST_REQUESTS]


def _of_evals(skill: Skill) -> Iterator[str]:
    for path, file in sorted(skill.files.items()):
        if not (path.startswith("evals/") and path.endswith(".json")) or file.text is None or file.size > 500_000:
            continue
        try:
            document = json.loads(file.text)
        except (ValueError, RecursionError):
            continue
        cases = document.get("evals", document.get("cases")) if isinstance(document, dict) else document
        for case in cases if isinstance(cases, list) else ():
            if isinstance(case, dict) and _calls(case):
                text = next((case[key] for key in _PROMPTS if isinstance(case.get(key), str)), None)
                if text and len(text) < 600:
                    yield text


def _calls(case: Mapping[str, object]) -> bool:
    """Whether a case wants the skill to be used."""
    if case.get("should_trigger") is False or case.get("trigger") is False:
        return False
    return not ("expected_skill" in case and not case["expected_skill"])


def _quoted(skill: Skill) -> Iterator[str]:
    for part in outline(skill.body).told:
        if not _SAID.isdisjoint(part.vocabulary):
            for match in _QUOTED.finditer(part.text):
                if match[1].count(" ") >= 2:
                    yield match[1]


def rank(request: str, cards: Sequence[frozenset[str]]) -> list[float]:
    """How much of the request each card matches, rare words counting more; 0 for no shared word."""
    asked = stems(request)
    spread = Counter(word for entry in cards for word in entry & asked)
    return [sum(log(1 + len(cards) / spread[word]) for word in entry & asked) for entry in cards]


def apart(skill: Skill, sibling: Sibling, most: int = 4) -> list[str]:
    """Words of the body, most frequent first, that neither card nor body of the sibling holds."""
    mine = card(skill.name or "", skill.description or "")
    theirs = card(sibling.name, sibling.description) | stems(sibling.body)
    counts: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for word in words(skill.body):
        if word in STOP or len(word) < 4:
            continue
        root = stem(word)
        if root not in theirs:
            counts[root] += 2 if root in mine else 1
            spelled.setdefault(root, word)
    return [spelled[root] for root, _ in counts.most_common(most)]
