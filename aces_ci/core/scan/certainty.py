"""What keeps a hazard from being critical: its place, its skill, or a weak sign.

A critical finding holds a merge back, so it is said of what cannot be mistaken. A script is run; a document is read,
and there only code that is hidden, or fetched from where no maker publishes, or a secret that is sent off counts.
"""

from __future__ import annotations

import re2

from aces_ci.core.scan.snippets import Site
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.skill import Skill

READ_FIRST = "It stands in a document, where a reader sees it before it runs."
DOWNLOADS = frozenset({"pipe-to-shell", "download-and-run"})
"""Shapes by which what a host serves is run."""
_IN_DOCUMENTS = DOWNLOADS | {"decoded-code", "send-secret", "reverse-shell", "dns-exfiltration"}
"""Shapes that a document can give an agent to do, and that no guide has a reason to."""
_TRIED = re2.compile(
    r"(?i)(^|[/_.-])(tests?|__tests__|specs?|fixtures?|testdata|samples?|examples?|evals?|mocks?|demos?|corpus|payloads?|"
    r"poc|attacks?|malicious|evil|vulnerable|red[-_]?team\w*|injections?|jailbreaks?|defen[cs]es?|threats?|exploits?)([/_.-]|$)|\.bats$|(^|/)conftest\.py$"
)
"""Names of files and folders in which things are tried out or shown."""
_STANDS_IN = re2.compile(
    r"(?i)(^|[.-])(evil|attackers?|malicious|malware|hackers?|bad|exfil|c2|phish\w*|untrusted|victim|suspicious|sketchy|"
    r"some|any|your?|my|foo|bar|test|server|domain|host|site|website|company|vendor|unknown|x+|random)\d*([.-]|$)"
)
"""What hosts are called that nobody owns: who means it needs one that answers."""
_SHOWN_ADDRESS = re2.compile(r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+|1\.2\.3\.4|x\.x\.x\.x")
"""RFC 5737, and what people write for an address."""
_BARE = re2.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|evil|local|xyz)\b")
_TELLS = re2.compile(
    r"(?i)\b(run|runs|execute|copy|paste|type|enter|launch|start|install|call|invoke|use)\b[^.!?`]{0,60}`|"
    r"(运行|執行|执行|复制|複製|粘贴|实行|実行|실행|запусти|выполни|ejecut|execut|führ|lance[rz]?)"
)
_GENERAL = frozenset(
    {"install", "installer", "setup", "get", "download", "downloads", "raw", "api", "cdn", "app", "www", "main",
     "master", "head", "refs", "heads", "tools", "scripts", "script", "bin", "releases", "latest", "https",
     "githubusercontent",
     "github", "com", "sh", "bash", "static", "files", "file", "dist", "src", "assets", "blob", "bootstrap", "evil",
     "attacker", "malicious"}
)  # fmt: skip


def tried(path: str) -> bool:
    """Whether a path names what is tried out or shown there: tests, fixtures, samples, attacks."""
    return _TRIED.search(path) is not None


def doubt(skill: Skill, hazard: Hazard, path: str, site: Site, text: str, line: int, *, security: bool) -> str:
    """Why a hazard is no more than a warning where it stands; "" where nothing speaks against it.

    `security` tells whether attacks or their defence are what the skill is about.
    """
    if hazard.doubt:
        return hazard.doubt
    if site in {Site.LOAD, Site.SCRIPT}:
        return _in_a_script(skill, hazard, path, text, security=security)
    return _in_a_document(hazard, path, site, text, line, security=security)


def _in_a_script(skill: Skill, hazard: Hazard, path: str, text: str, *, security: bool) -> str:
    if tried(path) and (security or hazard.kind is Kind.DESTRUCTIVE):
        return "It is tried out there, or shown."
    if hazard.shape in DOWNLOADS and _names_its_product(skill, hazard.target or "", text):
        return "The address carries the name of what is installed."
    return ""


def _in_a_document(hazard: Hazard, path: str, site: Site, text: str, line: int, *, security: bool) -> str:
    if hazard.shape not in _IN_DOCUMENTS:
        return READ_FIRST
    if security or tried(path):
        return "Attacks, or how to stand them, are what it is about."
    if hazard.shape in DOWNLOADS and hosts.host(hazard.target or "")[0] in {Host.UNKNOWN, Host.KNOWN, Host.VENDOR}:
        return READ_FIRST
    if any(_STANDS_IN.search(name) or _SHOWN_ADDRESS.fullmatch(name) for name in _named_hosts(hazard)):
        return "The host is one that examples are given."
    rows = text.split("\n")
    if site is Site.INLINE and not (line <= len(rows) and _TELLS.search(rows[line - 1])):
        return "It is named in a sentence, which tells nobody to run it."
    return ""


def _named_hosts(hazard: Hazard) -> tuple[str, ...]:
    """The hosts that a hazard leads to, as far as they are written out."""
    text = f"{hazard.source} {hazard.target or ''}"
    return (*(hosts.host(url)[1] for url in hosts.urls(text)), *_BARE.findall(text))


def _names_its_product(skill: Skill, url: str, text: str) -> bool:
    """Whether an address carries the name of what the skill or the script speaks of: its maker's own, most likely.

    A weak sign, for an attacker can name both; the finding stays, as a warning. An address over plain http, a bare one
    and one of a site for pastes is weighed without it.
    """
    kind, name = hosts.host(url)
    if kind not in {Host.UNKNOWN, Host.KNOWN}:
        return False
    labels = name.split(".")
    parts = url.split("://", 1)[-1].split("/")[1:3] if kind is Host.KNOWN or labels[0] in {"raw", "git"} else []
    words = {word.lower().removesuffix(".git") for word in (*labels[-3:-1], *parts) if len(word) > 2}
    around = hosts.without(f"{skill.root} {skill.name or ''} {skill.description or ''} {text}").lower()
    return any(
        word in around
        if len(word) > 4
        else re2.search(rf"(?:^|[^a-z]){re2.escape(word)}(?:[^a-z]|$)", around) is not None
        for word in words - _GENERAL
    )
