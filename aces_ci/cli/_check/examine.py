"""Found skills become a Checkup: each assessed, known findings set aside, the profile's gate asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aces_ci.changes.parse import manifest_of
from aces_ci.changes.worktree import Found
from aces_ci.cli._check.linters import linted
from aces_ci.cli._check.siblings import siblings_of
from aces_ci.core.evidence import Structure
from aces_ci.core.finding import Finding
from aces_ci.core.reading.checkup import Checked, gate
from aces_ci.core.reading.known_findings import Known
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import Sibling, Skill
from aces_ci.tiers.lint import CODES
from aces_ci.tiers.structural import assess


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What the caller asked for."""

    rules: Sequence[Rule]
    profile: Profile
    min_score: int
    disabled: frozenset[str]
    selected: frozenset[str] | None
    """Codes to show; None shows all."""
    known: Known
    lint: bool = False
    """Whether scripts are linted as well."""

    @property
    def contract(self) -> frozenset[str]:
        """The codes that profile `strict` insists on."""
        only = frozenset({Profile.STRICT})
        return frozenset(rule.code for rule in self.rules if rule.profiles == only or rule.strict_severity is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """One skill, with all its findings and those that are shown."""

    found: Found
    skill: Skill
    checked: Checked
    everything: tuple[Finding, ...]
    known: int
    unasked: frozenset[str]
    """Codes that nobody asked for here: disabled, of another profile, not linted, or unanswerable."""


def examine(found: Sequence[Found], demand: Demand) -> list[Examined]:
    """Every skill, in order; its siblings are the skills whose folders lie beside its own."""
    skills = [entry.skill() for entry in found]
    by_place = {(entry.top, entry.root): skill for entry, skill in zip(found, skills, strict=True)}
    beside: dict[tuple[Path, str], tuple[Sibling, ...]] = {}
    result = []
    for entry, skill in zip(found, skills, strict=True):
        folder = (entry.top, entry.root.rpartition("/")[0])
        if folder not in beside:
            beside[folder] = siblings_of(*folder, by_place) if entry.root != "." else ()
        siblings = tuple(sibling for sibling in beside[folder] if sibling.path != entry.root)
        result.append(_one(entry, skill, siblings, demand))
    return result


def _one(found: Found, skill: Skill, siblings: tuple[Sibling, ...], demand: Demand) -> Examined:
    structure, everything = assess(
        skill, demand.rules, profile=demand.profile, siblings=siblings, disabled=demand.disabled
    )
    if demand.lint:
        scripts = linted(skill, demand.disabled)
        everything = (*everything, *scripts.findings)
        structure = replace(structure, ignored={**structure.ignored, **scripts.ignored})
    shown, known = demand.known.split(everything)
    if demand.selected is not None:
        shown = tuple(finding for finding in shown if finding.code in demand.selected)
    checked = Checked(
        structure=structure,
        findings=shown,
        manifest=skill.path_of(manifest_of(found.files) or skill.manifest),
        source=_source(skill, shown),
        blocked=gate(structure, shown, min_score=_floor(structure, demand), contract=demand.contract),
    )
    unlinted = frozenset() if demand.lint else CODES
    return Examined(
        found=found,
        skill=skill,
        checked=checked,
        everything=everything,
        known=len(known),
        unasked=unlinted.union(structure.skipped_rules),
    )


def _floor(structure: Structure, demand: Demand) -> int:
    """A skill that the baseline knows may keep its score, not lose from it."""
    return min(demand.min_score, demand.known.scores.get(structure.skill, demand.min_score))


def _source(skill: Skill, findings: Sequence[Finding]) -> dict[tuple[str, int], str]:
    """The lines that findings point at."""
    prefix = "" if skill.root == "." else f"{skill.root}/"
    texts: dict[str, list[str]] = {}
    lines: dict[tuple[str, int], str] = {}
    for finding in findings:
        if finding.whole_file:
            continue
        if finding.path not in texts:
            name = finding.path.removeprefix(prefix)
            file = skill.files.get(name)
            text = skill.text if name == skill.manifest else (file.text if file else None)
            texts[finding.path] = (text or "").split("\n")
        rows = texts[finding.path]
        if finding.line <= len(rows):
            lines[finding.path, finding.line] = rows[finding.line - 1]
    return lines
