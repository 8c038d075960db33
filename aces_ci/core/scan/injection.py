"""Sentences that turn an agent against the person it works for, in words that attacks use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scan import encoded
from aces_ci.core.scan.disguise import undisguised
from aces_ci.core.scan.injection_abroad import ABROAD


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One phrase at character offsets of a text."""

    kind: str
    severity: Severity
    confidence: Confidence
    what: str
    """What the phrase asks for, a clause that begins with a verb in the third person."""
    start: int
    end: int
    disguised: bool = False
    """Written so that no reviewer reads it: in letters that look alike, between hidden ones, or encoded."""


_W, _C, _I = Severity.WARNING, Severity.CRITICAL, Severity.INFO
_HIGH, _MEDIUM, _LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
_PERSON = r"(the |your |this |any )?(users?|humans?|operators?|owners?|developers?|customers?|person|anyone)"
_PRIVATE = (
    r"(\b(api[ _-]?keys?|access tokens?|auth(entication)? tokens?|session tokens?|credentials?|passwords?|secrets?|"
    r"private keys?|ssh keys?|"
    r"environment variables?|cookies|seed phrases?|chat history|conversation( history)?|system prompts?|personal "
    r"(data|information))\b|\.env\b( files?)?)"
)
_KEPT = (
    r"(\.ssh\b|\bid_(rsa|ed25519)\b|\.aws/credentials|\.netrc\b|\.gnupg\b|\.git-credentials\b|\.npmrc\b|"
    r"\.config/gh\b|\.kube/config|/etc/shadow|\bkeychain\b|\bpassword store\b)"
)
"""Where credentials lie."""


def _options() -> Any:
    """No groups are read, which lets RE2 stay on its fast automaton."""
    options = re2.Options()
    options.never_capture = True
    options.log_errors = False
    return options


_PHRASES = tuple(
    (kind, severity, confidence, what, re2.compile(r"(?im)" + pattern, _options()))
    for kind, severity, confidence, what, pattern in (
        *(("override", _C, _MEDIUM, "tells the agent to drop its instructions", pattern) for pattern in ABROAD),
        ("override", _C, _HIGH, "tells the agent to drop what it was told",
         r"\b(ignore|disregard|forget)\b (everything|anything|all|whatever)\b[\w ,]{0,16}?\b(you (were|have been|had "
         r"been) (told|instructed|asked)|" + _PERSON + r" (has |have |had )?(told|instructed|asked) you)\b"),
        ("override", _C, _HIGH, "tells the agent to drop its instructions",
         r"\b(ignore|disregard|forget|discard|bypass)\b[\w ,]{0,24}?\b(all |any |every |the |your |my )*(of )?(the "
         r"|your )?(previous|prior|above|earlier|preceding|foregoing|existing|system|developer|original|former|"
         r"other)\b[\w ,]{0,24}?\b(instructions?|prompts?|rules|guidelines|directives|commands|constraints|"
         r"policies|guardrails)\b"),
        ("override", _C, _MEDIUM, "tells the agent that its instructions are void",
         r"\b(instructions?|rules|guidelines|directives|constraints|policies|guardrails|limits)\b[\w ,'’]{0,12}\b(you "
         r"(were|have been|had been|got)( \w+)? (given|told|taught|trained)|given to you|of your (system prompt|"
         r"developer|training))\b[\w ,'’]{0,24}\b(no longer (apply|applies|hold|bind|count)|(are|is|were) (now |hereby "
         r")?(void|revoked|cancell?ed|lifted|suspended|obsolete|superseded|disabled))\b"),
        ("conceal", _C, _MEDIUM, "has the agent change what later sessions obey, unseen",
         r"\b(append|add|write|insert|copy|put|store|save|paste)\b[^\n]{0,60}\b(CLAUDE\.md|AGENTS\.md|GEMINI\.md|"
         r"SOUL\.md|MEMORY\.md|cursorrules|copilot-instructions\.md)\b[^\n]{0,120}\b(do not|don['’]?t|never|without)"
         r"\s+(mention|tell|show|report|inform|notify|say|reveal)(ing)?\s+(it|this|that|anyone|anybody|so)\b"),
        ("override", _C, _MEDIUM, "has the agent obey whoever writes what it reads",
         r"\b(treat|regard|take|handle)\b[\w ,]{0,24}\binstructions?\b[^\n.]{0,80}\bas (if|though)\b[^\n.]{0,40}\b("
         r"user|operator|developer|system)\b"),
        ("conceal", _W, _MEDIUM, "tells the agent to keep something from the user",
         r"\b(do not|don['’]?t|never)\s+(show|log)\s+(this|these|that you (did|have|sent|ran))\b[\w ]{0,30}\b(to "
         + _PERSON + r"|step|instruction|action|upload|request|command)s?\b"),
        ("override", _W, _MEDIUM, "claims to stand above the agent's other instructions",
         r"\b(these|this|my|the following) (instructions?|rules?|skill|prompt|directives?)\b[\w "
         r",]{0,20}\b(override|overrides|supersedes?|take precedence over|takes precedence over|replaces?)\b[\w "
         r",]{0,30}\b(system|user|safety|developer|all other|any other|previous|default)\b"),
        ("conceal", _C, _HIGH, "tells the agent to hide what it does from the user",
         r"\b(do not|don['’]?t|never|without|must not|avoid|refrain from)\s+(tell(ing)?|mention(ing)?|inform(ing)?|"
         r"reveal(ing)?|notify(ing)?|disclos(e|ing)|report(ing)?|alert(ing)?|show(ing)?)\s+(this |that |it |these |"
         r"any of this )?(to )?" + _PERSON + r"\s+(about (this|these|it|that you)|that (you|this|it|the)|of (this|"
             r"these)|what you)\b"),
        ("conceal", _C, _MEDIUM, "tells the agent to hide what it does from the user",
         r"\b(do not|don['’]?t|never)\s+(mention|reveal|disclose|report)\s+(this|these|that you (did|have|"
         r"sent|ran)|the existence of (this|these))\b[\w ]{0,30}\b(to " + _PERSON + r"|step|instruction|action|"
             r"upload|request|command)s?\b"),
        ("conceal", _C, _MEDIUM, "asks for an action that the user does not notice",
         r"\b(silently|secretly|covertly|quietly|without (the )?(user['’]?s? )?(knowledge|noticing|being noticed|"
         r"knowing|their knowledge))\b[\w ,]{0,24}\b(send|upload|post|transmit|forward|exfiltrate|collect|copy|"
         r"read|run|execute|install|download|delete|add|include)\b[\w ,./~-]{0,60}"
         r"(\bto https?|https?://|" + _PRIVATE + r"|\b(ssh|keys?|tokens?|backdoor)\b)"),
        ("conceal", _C, _MEDIUM, "tells the agent to hide what it does from the user",
         r"\b(do not|don['’]?t|never|must not)\s+let\s+" + _PERSON + r"\s+(know|notice|find out|suspect)\s+(that (you|"
         r"this|it|the)|about (this|it|these)|what you)\b|\bkeep (this|these|it|that|this step|the upload|the request|"
         r"this action) (hidden|secret|concealed) from " + _PERSON + r"\b"),
        ("conceal", _C, _MEDIUM, "tells the agent what to pretend when it is asked what it did",
         r"\b(if|when|whenever|should)\s+" + _PERSON + r"\s+asks?\b[\w ,]{0,12}\b(what|whether|why|if)\b[\w "
         r",'’]{0,30}\b(did|done|ran|sent|happened|happens|doing|does|read|uploaded)\b[\w ,'’]{0,24}\b(say|claim|"
         r"pretend|answer|reply|respond|insist|tell them)\b[\w ,]{0,12}\b(you|it) (only|just|merely|did not|didn['’]t|"
         r"never|have not|haven['’]t|know nothing|was only)\b"),
        ("persona", _C, _HIGH, "puts the agent into a mode without limits",
         r"\b(you are now|act as|pretend (to be|you are)|enter|switch to|activate)\b[\w ,']{0,24}\b(DAN|do "
         r"anything now|god mode|jailbroken|unrestricted (mode|ai|assistant)|unfiltered (mode|ai|assistant)|no "
         r"(restrictions|limits|guidelines|rules|filters))\b"),
        ("persona", _W, _MEDIUM, "puts the agent into a mode without limits",
         r"\b(you are now in|act as if in|pretend to be in)\b[\w ,']{0,16}\b(developer|debug|maintenance|admin|"
         r"sudo) mode\b"),
        ("persona", _W, _MEDIUM, "declares the agent's limits void",
         r"\b(you (have|are under) no|there are no|without any)\b[\w ]{0,16}\b(restrictions|limitations|ethical|"
         r"content (policy|policies)|safety (rules|guidelines|filters))\b"),
        ("extract", _W, _MEDIUM, "asks for the agent's hidden instructions",
         r"\b(reveal|print|output|repeat|show|display|leak|dump|return)\b[\w ]{0,16}\b(your|the (full|entire|"
         r"complete|hidden|original))\b[\w ]{0,16}\b(system prompt|hidden instructions|initial instructions|"
         r"developer message)\b"),
        ("exfiltrate", _C, _HIGH, "asks the agent to send private data away",
         r"\b(send|post|upload|forward|transmit|exfiltrate|leak|email|submit|report)\b[\w ,'’]{0,40}" + _PRIVATE
         + r"[\w ,'’()`]{0,40}?"
             r"\b(to|via|using|at)\b[\w ,:`'\"]{0,24}(https?://|[\w.+-]+@[\w-]+\.|webhook|telegram|discord|"
             r"pastebin|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})"),
        ("exfiltrate", _C, _MEDIUM, "asks the agent to read stored credentials and to pass them on",
         r"\b(read|open|load|take|copy|get|grab|fetch|collect)\b[^\n]{0,40}" + _KEPT + r"[^\n]{0,40}\b(and|then)\b[\w "
         r",]{0,16}\b(paste|include|post|send|upload|attach|append|share|submit|e-?mail|embed|encode)\b"),
        ("embed", _W, _MEDIUM, "asks the agent to put private data into a URL or a message",
         r"\b(append|include|embed|encode|add|attach)\b[\w ,'’]{0,30}" + _PRIVATE
         + r"[\w ,'’]{0,40}\b(in|into|to|"
             r"as)\b[\w ,'’]{0,16}\b(url|query (string|parameter)|image (url|link)|markdown image|commit message)s?\b"),
        ("role", _W, _MEDIUM, "imitates a message of the system or of another role",
         r"(<\|(im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)\|>|\[/?INST\]|<</?SYS>>|"
         r"^\s*#{2,4}\s*system\s*(prompt|message|override)?\s*:|</?system-reminder>|\bBEGIN SYSTEM (PROMPT|"
         r"MESSAGE)\b|\[SYSTEM (OVERRIDE|MESSAGE|NOTE)\])"),
        ("approve", _W, _MEDIUM, "tells the agent not to ask before it acts",
         r"\b(do not|don['’]?t|never|without)\s+(ask(ing)?|wait(ing)?|request(ing)?|seek(ing)?|"
         r"prompt(ing)?)\s+(the user |for user |user |them )?(for |to )?(permission|confirmation|approval|"
         r"consent)\b"),
        ("approve", _W, _MEDIUM, "tells the agent to approve what it is asked to confirm",
         r"\b(always|automatically|blindly) (allow|approve|accept|confirm|click)\b[\w ,]{0,20}\b(permissions?|"
         r"approvals?|confirmations?|safety|security)\b[\w ,]{0,12}\b(prompts?|requests?|dialogs?|questions?|checks?)"
         r"\b"),
        ("approve", _W, _MEDIUM, "tells the agent to approve what it is asked to confirm",
         r"\b(permission|approval|confirmation|consent)s? (prompt|request|dialog|question|box|window|check)s?\b[\w "
         r",'’]{0,30}\b(approve|accept|confirm|allow|grant|answer yes|click (yes|allow|ok|approve))\b[\w ,'’]{0,16}\b("
         r"yourself|automatically|without (showing|asking|telling|waiting)|for (the user|them)|on (the user|their)"
         r"['’s]* behalf)\b"),
        ("approve", _W, _MEDIUM, "switches off the permissions of an agent",
         r"\b(run|use|pass|start|launch|invoke|add|set)\b[^\n]{0,60}(--dangerously-skip-permissions|"
         r"--dangerously-bypass-approvals-and-sandbox|--allow-all-tools|bypassPermissions)\b"),
        ("approve", _I, _LOW, "tells the agent to approve or to skip checks",
         r"\b(auto-?approve|skip (all |any |the )?(confirmations?|permission (checks|prompts)|safety checks?)|"
         r"always (allow|approve) (all|every|any)|bypass (all |any )?(permissions?|approvals?|confirmations?|"
         r"safety)|disable (all |any |the )?(safety|security) (checks?|features?|controls?))\b"),
    )
)  # fmt: skip
_LIMITED = re2.compile(r"(?i)\b(only|never|not|cannot|n['’]t)\s+(ever\s+)?$")
"""`Only send your key to …` narrows where it may go."""


@lru_cache(maxsize=512)
def find(text: str) -> tuple[Marker, ...]:
    """Every phrase of a text, in its order; a sentence may be broken over lines, disguised, or encoded."""
    found = _phrases(text)
    plain = undisguised(text)
    if plain is not None:
        for marker in _phrases(plain.text):
            start, end = plain.offsets[marker.start], plain.offsets[marker.end - 1] + 1
            if text[start:end] != plain.text[marker.start : marker.end]:
                _add(found, replace(marker, start=start, end=end, disguised=True, confidence=_HIGH))
    for blob in encoded.find(text):
        for marker in [marker for marker in _phrases(blob.text) if marker.severity is _C][:1]:
            what = f"holds an encoded sentence, which {marker.what}"
            _add(found, replace(marker, start=blob.start, end=blob.end, disguised=True, confidence=_HIGH, what=what))
    return tuple(sorted(found, key=lambda marker: marker.start))


def _phrases(text: str) -> list[Marker]:
    flat = text.replace("\n\n", "\r\r").replace("\n", " ").replace("\r\r", "\n\n")
    found: list[Marker] = []
    for kind, severity, confidence, what, pattern in _PHRASES:
        for match in pattern.finditer(text if kind == "role" else flat):
            start, end = match.start(), match.end()
            if kind == "exfiltrate" and _LIMITED.search(flat[max(0, start - 24) : start]):
                continue
            _add(found, Marker(kind=kind, severity=severity, confidence=confidence, what=what, start=start, end=end))
    return found


def _add(found: list[Marker], marker: Marker) -> None:
    """One marker a place: the first pattern that matches there says what it is."""
    if not any(marker.start < other.end and marker.end > other.start for other in found):
        found.append(marker)


def without(text: str, marker: Marker) -> str:
    """The text with the phrase blanked, so that its own `do not` is no word of warning about it."""
    blank = "".join(c if c == "\n" else " " for c in text[marker.start : marker.end])
    return text[: marker.start] + blank + text[marker.end :]


def quoted(text: str, start: int, end: int) -> bool:
    """Whether the phrase stands in quotation marks or a code span: it is spoken of, not said."""
    before, after = text[max(0, start - 200) : start], text[end : end + 200]
    for opening, closing in (('"', '"'), ("“", "”"), ("‘", "’"), ("`", "`"), ("«", "»")):
        same = opening == closing
        opened = before.count(opening) % 2 == 1 if same else before.rfind(opening) > before.rfind(closing)
        if opened and closing in after:
            return True
    return bool(re2.search(r"(^|[\s(:])'[^']*$", before)) and "'" in after
