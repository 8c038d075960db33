"""A description speaks to the agent that chooses a skill; here its sentences become what a user would ask for.

A sentence that tells the agent when to come, or what the skill is made of, asks for nothing and is left out.
"""

from __future__ import annotations

import re

from aces_ci.core.reading.lexis import vocabulary

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_TO_THE_AGENT = re.compile(
    r"^(?:use|trigger|when|if|any|prefer|skip|you|claude|agents?|users?|this|these|those|there|it|its|also"
    r"|do not|don't|not|never|only|always|for|in|at|based|built|updated|part|works?|no|all"
    r"|(?:the|an?) (?:skill|deliverable|agent|user))"
    r"(?:s|ed|d)?\b",
    re.IGNORECASE,
)
_OF_THE_SKILL = frozenset(
    {"accept", "allow", "contain", "cover", "enable", "exclude", "feature", "include", "let", "need", "offer",
     "provide", "require", "return", "support"}
)  # fmt: skip
"""Verbs of sentences that list what a skill holds."""
_VERBS = vocabulary(
    """add adapt align analyse analyze annotate answer apply architect assemble assess audit augment author automate
    bootstrap break build bump calculate capture carry catch categorize change check choose classify clean clone
    collect combine compare compile compose compress compute configure connect convert coordinate crawl create curate
    debug decide define delegate deploy describe design detect determine develop diagnose diagram discover document
    download draft draw edit embed enforce enhance enrich ensure estimate evaluate examine execute expand explain
    explore export extract fetch file fill filter find fix flag format gather generate get grade group guide handle
    harden help hunt identify implement import improve increase inject inspect install integrate interpret investigate
    keep launch list locate log look maintain make manage map measure merge migrate model monitor move open optimise
    optimize orchestrate organise organize parse perform plan post prepare prevent prioritise prioritize process
    produce profile propose publish pull push put query rank read recommend record refactor release remove rename
    render replace report research reset resolve restore restructure review rewrite route run save scaffold scan
    schedule score scrape search secure select send set simplify sort spot structure style suggest summarise
    summarize surface sync take tell test trace track transcribe transform translate triage tune turn understand
    update upgrade upload use validate verify visualise visualize walk watch wire write"""
)
_ALSO_NOUNS = frozenset(
    {"audit", "design", "document", "draft", "guide", "log", "map", "model", "plan", "process", "profile", "query",
     "record", "release", "report", "research", "review", "route", "score", "search", "structure", "style", "test",
     "trace", "track"}
)  # fmt: skip
_BEFORE_A_THING = frozenset({"a", "an", "the", "any", "all", "your", "my", "our", "new", "existing", "and", "or"})
_NO_VERB = frozenset(
    {"a", "an", "the", "comprehensive", "expert", "guide", "guidelines", "guidance", "suite", "collection", "knowledge",
     "best", "complete", "reference", "rules", "tool", "tools", "patterns", "practices", "instructions", "advanced"}
)  # fmt: skip
_PURPOSE = re.compile(r"[\w ,/-]{0,80}?\b(?:for|to) (\w+ing\b.*)", re.IGNORECASE)
_THAT_DOES = re.compile(r"^[\w -]{0,60}?\b(?:that|which) ((?P<verb>[a-z]+s)\b.*)", re.IGNORECASE)
_ADVERB = re.compile(r"^(?:also|then|optionally|[a-z]+ly) ", re.IGNORECASE)
_FURTHER = re.compile(
    r"(?P<before>, |\b(?:and|or|then) )(?P<verb>[a-z]+s)\b(?= (?!and |or |of |for |in |from |with |to )[A-Za-z])"
)
_SERIES = re.compile(r"^(?:[a-z]+s, )+(?:and |or )?[a-z]+s\b", re.IGNORECASE)
"""`Writes, reviews, and debugs`."""
_WISHED = re.compile(
    r"\b(?:users?|someone|they) (?:wants?|asks?|needs?) (?:you |claude )?to (?P<what>[a-z]{3,}\b[^.;:()\"]{5,120})",
    re.I,
)
_CONSISTS = re.compile(r"\bthis includes:? (?P<what>[a-z]+ing\b[^,;.:()\"]{5,120})", re.IGNORECASE)
_LONG = 160
"""Characters beyond which a request ends where its sentence begins to explain itself."""


def requests(name: str, description: str) -> tuple[str, ...]:
    """One request for each sentence that says what the skill does; else of what users want there; else of its name."""
    text = " ".join(description.split())
    made = (_request(sentence.strip(" .!?\"'")) for sentence in _SENTENCE.split(text))
    return tuple(filter(None, made)) or (_wished(text) or f"Please help me with {name.replace('-', ' ')}.",)


def _wished(text: str) -> str | None:
    """What the sentences that speak to the agent let a user ask for."""
    wished, consists = _WISHED.search(text), _CONSISTS.search(text)
    if wished:
        return f"Please {_cut(wished['what'])}."
    return f"I need help with {_cut(consists['what'])}." if consists else None


def _request(clause: str) -> str | None:
    """The sentence as a request; None where it asks for nothing."""
    clause = _ADVERB.sub("", _cut(clause)).strip()
    words = clause.split()
    if len(words) < 2 or not words[0][0].isalpha() or _TO_THE_AGENT.match(clause):
        return None
    first = words[0].strip(",:").lower()
    if _bare(first) in _OF_THE_SKILL:
        return None
    if _opens(first, words[1].lower()):
        return f"Please {_imperative(clause)}."
    does = _THAT_DOES.match(clause)
    if does and _bare(does["verb"].lower()) in _VERBS:
        return f"Please {_imperative(does[1])}."
    if _speaks_of_itself(words):
        return None
    purpose = _PURPOSE.match(clause)
    if purpose and not first.endswith("s"):
        return f"I need help with {purpose[1]}."
    return f"I need help with {'' if first.endswith('ing') else 'this: '}{_within(clause)}."


def _opens(first: str, second: str) -> bool:
    """Whether a sentence begins with what is to be done."""
    if first in _NO_VERB:
        return False
    if first in _ALSO_NOUNS:
        return second.strip(",") in _BEFORE_A_THING
    return first in _VERBS or _bare(first) in _VERBS


def _speaks_of_itself(words: list[str]) -> bool:
    """`Ruzzy is a fuzzer`, `Coverage analysis measures code`: a subject and what it is or does."""
    early = [word.lower() for word in words[1:5]]
    return any(word in {"is", "are", "was", "has", "have", "can"} for word in early) or any(
        word.endswith("s") and _bare(word) in _VERBS - _ALSO_NOUNS for word in early[:3]
    )


def _cut(clause: str) -> str:
    """Without what the description adds for the agent that routes, and without explanations of a long one."""
    clause = re.split(r"[,;:(]? (?:use (?:this |it )?(?:when|for|if)|including|such as)\b", clause, flags=re.I)[0]
    if len(clause) > _LONG:
        clause = re.split(r"(?<=[^:;—–]{20})(?:[:;] | [—–-] )", clause)[0]
    if clause.count("(") > clause.count(")"):
        clause = clause.rpartition("(")[0]
    return clause.rstrip(" ,;:")


def _within(clause: str) -> str:
    """The clause inside a sentence; the first letter of a name stays."""
    second = clause.partition(" ")[2][:1]
    return clause if clause[1:2].isupper() or second.isupper() else clause[0].lower() + clause[1:]


def _imperative(clause: str) -> str:
    """`Reads tide tables and tells X` as `read tide tables and tell X`: only the verbs that open a part change."""
    series = _SERIES.match(clause)
    if series:
        return re.sub(r"[a-z]+s\b", lambda found: _known(found[0]), series[0].lower()) + clause[series.end() :]
    first, _, rest = clause.partition(" ")
    verb = first.lower() if first.strip(",").isalpha() and not first.isupper() else first
    if verb.strip(",") in _VERBS:
        return f"{verb} {rest}"
    return f"{_bare(verb)} {_FURTHER.sub(lambda found: found['before'] + _known(found['verb']), rest)}"


def _known(verb: str) -> str:
    return _bare(verb) if _bare(verb) in _VERBS else verb


def _bare(verb: str) -> str:
    """Third person to imperative; a word that is no such verb stays."""
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3 else verb
