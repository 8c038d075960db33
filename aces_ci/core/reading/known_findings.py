"""The baseline file: findings that a team has decided to live with. It may only shrink."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from aces_ci.core.errors import UsageError
from aces_ci.core.evidence import Structure
from aces_ci.core.finding import Finding

SCHEMA_VERSION = 1
FILE = ".aces-baseline.json"
"""Where it lies unless the settings name another place, from the top of the repository."""
LIMIT = 32 * 1024 * 1024
"""Bytes of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Fingerprints by skill, with the code each stands for, and the score each skill may not fall below."""

    findings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """(those to show, those that are known)."""
        shown: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            listed = finding.fingerprint in self.findings.get(finding.skill, {})
            (known if listed else shown).append(finding)
        return tuple(shown), tuple(known)

    def settle(
        self, structure: Structure, findings: Iterable[Finding], *, previous: str | None = None
    ) -> tuple[Structure, tuple[Finding, ...]]:
        """A skill of a change without what is listed, which it may not lose from, and the word on both.

        What the change itself brought is not known, though an entry is left of an earlier time: it is new. A skill
        that was moved from `previous` is known by either path.
        """
        listed = {**self.findings.get(previous or "", {}), **self.findings.get(structure.skill, {})}
        every = tuple(findings)
        kept = tuple(each for each in every if each.new or not each.fingerprint or each.fingerprint not in listed)
        score = self.scores.get(structure.skill, self.scores.get(previous or ""))
        return replace(structure, known=len(every) - len(kept), recorded_score=score), kept

    def gone(self, findings: Iterable[Finding], unasked: Mapping[str, Collection[str]]) -> int:
        """Entries that no longer occur in the skills of `unasked`, which holds the codes that nobody asked there."""
        kept = self._kept(findings, unasked)
        return sum(len(marks) - len(kept[skill]) for skill, marks in self.findings.items())

    def shrunk(
        self, findings: Iterable[Finding], scores: Mapping[str, int | None], unasked: Mapping[str, Collection[str]]
    ) -> Known:
        """Without what no longer occurs in the skills looked at, and with the better of both scores."""
        kept = self._kept(findings, unasked)
        better = {
            skill: max(old, scores.get(skill) or 0)
            for skill, old in self.scores.items()
            if scores.get(skill, old) is not None
        }
        return Known(findings={skill: marks for skill, marks in kept.items() if marks}, scores=better)

    def _kept(self, findings: Iterable[Finding], unasked: Mapping[str, Collection[str]]) -> dict[str, dict[str, str]]:
        """What still occurs, or could not be seen: its skill was not looked at, or nobody asked for its code."""
        here = {(finding.skill, finding.fingerprint) for finding in findings}
        return {
            skill: {
                mark: code
                for mark, code in marks.items()
                if skill not in unasked or code in unasked[skill] or (skill, mark) in here
            }
            for skill, marks in self.findings.items()
        }


def recorded(findings: Iterable[Finding], scores: Mapping[str, int | None]) -> Known:
    """A first baseline: everything found now."""
    marks: dict[str, dict[str, str]] = {}
    for finding in findings:
        marks.setdefault(finding.skill, {})[finding.fingerprint] = finding.code
    return Known(findings=marks, scores={skill: score for skill, score in scores.items() if score is not None})


def dump(known: Known) -> str:
    """The file: sorted, one entry a line, so that a diff shows what left."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "skills": {
            skill: {
                "score": known.scores.get(skill),
                "findings": dict(sorted(known.findings.get(skill, {}).items(), key=lambda entry: (entry[1], entry[0]))),
            }
            for skill in sorted({*known.findings, *known.scores})
        },
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def load(text: str, name: str) -> Known:
    """The file again.

    Raises:
        UsageError: it is no baseline of this version; located.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UsageError(
            f"{name}:{line}: the baseline file is not JSON: {getattr(error, 'msg', error)}",
            code="baseline_unreadable",
            path=name,
            line=line,
            do="repair it, or delete it and write it anew with --write-baseline",
        ) from error
    try:
        if document["schema_version"] != SCHEMA_VERSION:
            raise UsageError(
                f"{name}:1: this baseline file has schema_version {document['schema_version']!r}, "
                f"and this aces-ci reads {SCHEMA_VERSION}",
                code="baseline_unreadable",
                path=name,
                line=1,
                do="use the aces-ci that wrote it, or delete it and write it anew with --write-baseline",
            )
        skills = {_whole(path): entry for path, entry in document["skills"].items()}
        findings = {
            path: {_whole(k): _whole(v) for k, v in entry["findings"].items()} for path, entry in skills.items()
        }
        scores = {path: int(entry["score"]) for path, entry in skills.items() if entry["score"] is not None}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(
            f"{name}:1: this is no baseline file of aces-ci",
            code="baseline_unreadable",
            path=name,
            line=1,
            why="it maps no path of a skill to its `score`, a number or null, and its `findings`",
            do="name the right file, or delete it and write it anew with --write-baseline",
        ) from error
    return Known(findings=findings, scores=scores)


def _whole(text: object) -> str:
    """Text that a file can hold. Raises ValueError: a half of a surrogate pair, which JSON can spell."""
    whole = str(text)
    whole.encode()
    return whole
