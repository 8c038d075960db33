"""Whether an order to an agent is an attack beyond doubt: one sentence is none, two signs without honest use are."""

from __future__ import annotations

from collections.abc import Sequence

import re2

from aces_ci.core.finding import Severity
from aces_ci.core.scan.certainty import tried
from aces_ci.core.scan.injection import Marker
from aces_ci.core.skill import Skill

NEAR = 400
"""Characters within which a second sign belongs to the first."""
_SUBJECT = re2.compile(
    r"(?i)\b(prompts?|prompting|evals?|evaluat\w*|tests?|testing|tester|benchmark\w*|moderat\w*|classif\w*|detect\w*|"
    r"scan(s|ner|ning)?|guard\w*|defen[cs]e\w*|defend\w*|filters?|saniti[sz]\w*|firewall|llm|persona|role-?play\w*|lint\w*|"
    r"review\w*|quality|bug ?bounty)\b|注入|防护|防御|测试|提示词|检测|审计|安全"
)
"""What skills are about that quote such sentences."""
_OBEYS = re2.compile(
    r"(?i)\b(follow|obey|heed|listen to|trust|do)\b[\w ,]{0,20}\b(only|this (file|skill|text|document)|these|me|what "
    r"(it|i|this))\b|\bonly (follow|obey|this|these|my)\b|\bwithout (asking|telling|informing|confirm\w*)\b|"
    r"\b(reveal|leak|exfiltrate|send|upload|post|transmit|delete|wipe|execute|run|download|paste|forward)\b[^.\n]{0,80}"
    r"(\bkeys?\b|\btokens?\b|\bsecrets?\b|\bpasswords?\b|credential|system prompt|\bfiles?\b|\.env\b|\.ssh\b|https?://|"
    r"`|\bcommands?\b|\bscripts?\b|\bdata\b)"
)
"""What a sentence that voids other orders has the agent do instead."""
_OWN = re2.compile(
    r"(?i)\b(ssh keys?|private keys?|environment variables?|cookies|seed phrases?)\b|\.env\b|"
    r"\.ssh\b|id_(rsa|ed25519)|\.aws/|\.netrc|\.gnupg|\.git-credentials|\.npmrc|\.config/gh|\.kube/|/etc/shadow|"
    r"keychain|\d{1,3}(\.\d{1,3}){3}|webhook\.site|ngrok|pastebin|requestbin"
)
"""Data that no service asks for, and places where none is found."""
_UNSEEN = re2.compile(
    r"(?is)\b(silently|secretly|covertly|quietly|without)\b.*\b(send|upload|post|transmit|forward|exfiltrate|leak)\b.*"
    r"(https?://|\bssh|\bkeys?\b|\btokens?\b)"
)
_LATER = re2.compile(r"(?i)\b(CLAUDE|AGENTS|GEMINI)\.md\b|cursorrules|copilot-instructions")


def beyond_doubt(skill: Skill, path: str, text: str, marker: Marker, markers: Sequence[Marker], place: str) -> bool:
    """Whether the phrase stands with a second sign, in a skill that has no reason to quote it."""
    about = " ".join((skill.name or "", skill.description or "", skill.directory)).replace("-", " ").replace("_", " ")
    if tried(path) or (_SUBJECT.search(about) and place != "comment"):
        return False
    if place == "comment" and marker.kind != "conceal":
        return True  # what is hidden from the page and orders the agent about is two signs by itself
    said = text[marker.start : marker.end]
    if marker.kind == "exfiltrate":
        return _OWN.search(said) is not None or _joined(marker, markers)
    if marker.kind == "conceal" and (_UNSEEN.search(said) or _LATER.search(said)):
        return True
    if marker.kind in {"override", "persona"}:
        around = text[marker.start : marker.end + NEAR].split("\n\n")[0]
        return _OBEYS.search(around[len(said) :]) is not None or _joined(marker, markers)
    return _joined(marker, markers)


def _joined(marker: Marker, markers: Sequence[Marker]) -> bool:
    """Whether a phrase of another kind stands by it."""
    return any(
        other.kind != marker.kind
        and other.severity is Severity.CRITICAL
        and other.start < marker.end + NEAR
        and marker.start < other.end + NEAR
        for other in markers
    )
