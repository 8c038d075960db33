"""Whether a place in a document asks for something or talks about it.

A skill that teaches reviewers to spot `curl … | sh` is full of what it warns of. Cues are looked for where a
reader would see them: on the line, in the lines just before it, in the headings above it, and in what the skill
says it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

import re2

from aces_ci.core.reading.outline import markup, outline
from aces_ci.core.skill import Skill

NEAR = 4
"""Lines before a place that are read for a cue."""

_CUE = re2.compile(
    r"(?i)\b(never|don['’]?t|do not|does not|must not|should not|mustn['’]?t|shouldn['’]?t|cannot|avoid|"
    r"forbid(den)?|prohibit(ed|s)?|disallow(ed)?|"
    r"block(s|ed|ing|list)?|den(y|ies|ied)|deny-?list|dangerous|destructive|unsafe|insecure|malicious|hostile|"
    r"untrusted|attack(s|er|ers|ing)?|vulnerab\w*|exploit\w*|payloads?|"
    r"injection|inject(ed|ing)?|red flags?|anti-?patterns?|bad|wrong|warnings?|detect(s|ed|ion|ing)?|flag(s|ged|"
    r"ging)?|reject(s|ed)?|refuse[sd]?|scan(s|ned|ning)?( for)?|suspicious|"
    r"poison(ed|ing)?|threats?|misuse|abuse[sd]?|guard(s|ed|rails?)?|evil|phish\w*|social engineering|exfiltrat\w*|"
    r"leak(s|ed|ing|age)?|tamper\w*|"
    r"requires? (explicit )?(confirmation|approval|permission)|(explicit|user|human) (confirmation|approval|"
    r"permission)|irreversible|destroys?|destroyed|wipes?|wiped|loses?|careful(ly)?|caution|catastroph\w*|"
    r"beware|harmful|risky|backdoors?|trojans?|compromis\w*|unauthori[sz]ed|simulat\w*|"
    r"audit(s|ed|ing)?|patterns?|signatures?|indicators?|common mistakes?|pitfalls?|test (case|prompt|input)s?|"
    r"adversarial|jailbreak\w*|red[- ]team\w*|treat .{0,40} as data|"
    r"if (a|an|any|the) .{0,60}(says?|contains?|tells?|asks?|instructs?|claims?))\b|"
    r"[\"'_ ](test_cases?|expected_(risk|severity|verdict|threat)|attack_(vector|type)|is_(malicious|injection))\b|"
    r"[❌🚫⛔⚠✗✘☠]|\bBAD\b|\bWRONG\b"
    r"|禁止|严禁|嚴禁|切勿|危险|危險|攻击|攻擊|黑名单|黑名單|注入|漏洞|不可信|可疑|测试用例|測試案例|テストケース|攻撃|"
    r"금지|위험|공격|테스트 케이스|запрещ|опасн|вредонос|"
    r"\b(niemals|verboten|gefährlich\w*|bösartig\w*|angriff\w*|peligros[oa]s?|prohibid[oa]s?|malicios[oa]s?|ataques?|"
    r"perigos[oa]s?|proibid[oa]s?|dangereu(x|ses?)|interdit(e?s?)?|malveillante?s?|attaques?)\b"
)
_SUBJECT = re2.compile(
    r"(?i)\b(security|secure|vulnerab\w+|pen-?test\w*|penetration|exploit\w*|malware|threat\w*|injection|red[- "
    r"]?team\w*|adversarial|attack\w*|forensic\w*|"
    r"jailbreak\w*|guardrails?|hardening|owasp|ctf|reverse engineering|audit\w*|incident|safety|safeguards?|"
    r"secrets?|privilege escalation|offensive|xss|sqli|"
    r"sandbox\w*|prompt[- ]injection|supply[- ]chain|threat[- ]model\w*)\b"
)


_OFFENSIVE = re2.compile(
    r"(?i)\b(pen-?test\w*|penetration|exploit\w*|red[- ]?team\w*|hacking|offensive|privilege escalation|reverse "
    r"shells?|payloads?|ctf|xss|sqli|"
    r"injection|malware|attack\w*|metasploit|post-exploitation|threat\w*|forensics?)\b"
)


_ADDRESS = re2.compile(r"(?i)[a-z][a-z0-9+.-]{1,20}://[^\s)>\]\"'`|;]+|\b(?:[a-z0-9-]+\.)+[a-z]{2,12}/[^\s)>\]\"'`|;]*")
"""Whoever owns a host chooses its name, so `…/security-scan/x.sh` is no word of warning about itself."""


class Stance(StrEnum):
    """What a place in a document does with what stands there."""

    ASKS = "asks"
    """Nothing near it says otherwise: an agent would do it."""
    NEAR_A_CUE = "near_a_cue"
    """Words of warning, detection or prohibition stand near it."""
    TALKS = "talks"
    """The skill is about such things, and words near it say so too."""


def about_security(skill: Skill) -> bool:
    """Whether name, description or title of the skill say that security is its subject."""
    headings = outline(skill.body).headings[:1]
    about = " ".join((skill.directory, skill.name or "", skill.description or "", *(h.text for h in headings)))
    return len({word.lower() for word in _SUBJECT.findall(about.replace("-", " ").replace("_", " "))}) >= 1


def about_attacks(skill: Skill) -> bool:
    """Whether its name or description says that attacks themselves are its subject: their commands are its matter."""
    about = " ".join((skill.root, skill.name or "", skill.description or ""))
    return _OFFENSIVE.search(about.replace("-", " ").replace("_", " ")) is not None


def stance(text: str, line: int, *, subject: bool, markdown: bool = True) -> Stance:
    """The stance of the 1-based `line` of a document."""
    if not _cued(text, line, markdown):
        return Stance.ASKS
    return Stance.TALKS if subject else Stance.NEAR_A_CUE


@lru_cache(maxsize=4096)
def _cued(text: str, line: int, markdown: bool) -> bool:
    lines = _lines(text)
    if line <= len(lines) and _warns(lines[line - 1]):
        return True
    seen = 0
    for at in range(line - 2, max(-1, line - 14), -1):
        if at < len(lines) and lines[at].strip():
            seen += 1
            if _warns(lines[at]):
                return True
        if seen >= NEAR:
            break
    return markdown and any(_CUE.search(heading) for heading in _headings(text, line))


def _warns(line: str) -> bool:
    line = line[:2000]
    if _CUE.search(line) is None:
        return False
    return "." not in line or _CUE.search(_ADDRESS.sub(" ", line)) is not None


@lru_cache(maxsize=256)
def _lines(text: str) -> Sequence[str]:
    return text.split("\n")


def _headings(text: str, line: int) -> Sequence[str]:
    """The heading above the line and those above that, the document's title left out."""
    found: list[str] = []
    level = 7
    for heading in reversed(markup(text).headings):
        if heading.line <= line and heading.level < level:
            level = heading.level
            if level > 1:
                found.append(heading.text)
    return found
