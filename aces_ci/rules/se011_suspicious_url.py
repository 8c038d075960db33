"""A URL leads where nobody can tell who answers.

Bare IP addresses, link shorteners, request collectors and paste sites, names written in punycode, and a name
before an `@` that is not the host. In documents about such attacks it is a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import re2

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.documents import documents
from aces_ci.core.scan.snippets import is_markdown
from aces_ci.core.scan.stance import Stance, about_security, stance
from aces_ci.core.scripts.hazards import hosts
from aces_ci.core.scripts.hazards.hosts import Host
from aces_ci.core.skill import Skill

_WHY: Mapping[Host, str] = {
    Host.ADDRESS: "is a bare IP address: no name, no certificate that a reader could check",
    Host.SHORTENER: "is a link shortener: it can lead anywhere, and elsewhere tomorrow",
    Host.DROP: "collects whatever is sent to it",
}
_DISGUISED = re2.compile(r"(?i)\bhttps?://[\w.-]+\.[a-z]{2,}(:[^@/\s]*)?@[\w.-]+")
_PUNYCODE = re2.compile(r"(?i)(^|\.)xn--")


def check(skill: Skill) -> Iterator[Problem]:
    subject = about_security(skill)
    for path, text in documents(skill):
        if "://" not in text:
            continue
        seen: set[str] = set()
        for number, row in enumerate(text.split("\n"), start=1):
            for url in hosts.urls(row) if "://" in row else ():
                why = _why(url)
                _, name = hosts.host(url)
                if why is None or name in seen:
                    continue
                seen.add(name)
                told = stance(text, number, subject=subject) if is_markdown(path) else Stance.ASKS
                calm = told is not Stance.ASKS
                yield Problem(
                    path=path,
                    line=number,
                    column=row.find(url) + 1,
                    message=f"The address {url[:80]} {why}.",
                    severity=Severity.INFO if calm else Severity.WARNING,
                    confidence=Confidence.LOW if calm else Confidence.MEDIUM,
                )


def _why(url: str) -> str | None:
    kind, name = hosts.host(url)
    if _DISGUISED.search(url):
        return "hides its host behind a name before the @"
    if _PUNYCODE.search(name):
        return "is written in punycode, which can look like another name"
    return _WHY.get(kind)


RULE = Rule(
    code="SE011",
    slug="suspicious-url",
    title="address leads where nobody can tell",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    hint="link to the host's own name over https, or leave the link out",
    check=check,
    fires_on="openclaw/skills/skills/0xmevdad/openswarm-fight-club",
    silent_on="anthropics/skills/skills/claude-api",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\nGet it from http://203.0.114.9/tool or https://bit.ly/3xYz.\n")},
            lines=(7, 7),
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nLog in at https://github.com@login.dev/x first.\n")}, lines=(7,)
        ),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\nSee https://docs.python.org, http://localhost:8000, http://192.168.1.5.\n"
                )
            }
        ),
    ),
)
