"""A report that somebody else's job wrote: what it may say, and what is put right before anyone reads it.

`docs/trust.md` rule 10. The forge tells which run of which commit it was (`Origin`); the report is the
fork's word about its own files and nothing else. It may not speak of another commit, of paid results, of
acceptance; and its verdict must follow from its own gates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import ChangedSkill, Tier
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.foreign_json import refused
from aces_ci.core.gate import Outcome
from aces_ci.core.proposal import ScriptChange
from aces_ci.core.report import Links, Report
from aces_ci.core.verdict import Facts, decide

SKILLS = 500
FINDINGS = 5_000
NAMES = 20_000
TEXT = 2_000
COUNT = 1_000_000
"""Cases, runs and the like."""
MONEY = 100_000 * 1_000_000
"""Millionths of a dollar: no plan is dearer."""
MINUTES = 100_000
_SHA = re.compile(r"[0-9a-f]{40}")
_CODE = re.compile(r"[A-Z]{2}[0-9]{3}")
_VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){2}([.+-]?[a-z0-9]{1,20}){0,3}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The event as the forge's server tells it, and the pages of the run that wrote the report."""

    event: Event
    links: Links
    cap_usd_micros: int | None = None
    """What the poster's own settings let a run cost; None: they could not be read, or set no cap."""


def vet(report: Report, origin: Origin) -> Report:
    """The report with our own event, pages and budget in place of the claimed ones, marked as unverified.

    Raises:
        UsageError: it breaks one of the rules; the code names which.
    """
    for code, broken, why in _RULES:
        if broken(report, origin):
            raise refused(code, why)
    # Whoever approves is told of the budget that will hold, which is not the fork's to say.
    cost = replace(report.cost, cap_usd_micros=origin.cap_usd_micros)
    return replace(report, event=origin.event, links=origin.links, cost=cost, unverified=True)


def _other_commit(report: Report, origin: Origin) -> bool:
    return report.event.head_sha != origin.event.head_sha


def _other_change(report: Report, origin: Origin) -> bool:
    claimed, known = report.event, origin.event
    return (claimed.forge, claimed.repo, claimed.change_request, claimed.base_ref) != (
        known.forge,
        known.repo,
        known.change_request,
        known.base_ref,
    )


def _other_trust(report: Report, origin: Origin) -> bool:
    return report.event.kind is not EventKind.CHANGE_REQUEST or report.event.trust is not origin.event.trust


def _paid(report: Report, origin: Origin) -> bool:
    cost = report.cost
    spent = (cost.usd_micros, cost.judge_usd_micros, cost.tokens, cost.saved_usd_micros or 0, cost.reused_trials)
    ran = any(skill.judgements or skill.live is not None for skill in report.skills) or bool(report.imported)
    return ran or any(value != 0 for value in spent)


def _accepted(report: Report, origin: Origin) -> bool:
    return any(gate.outcome is Outcome.ACCEPTED for gate in report.gates)


def _policy(report: Report, origin: Origin) -> bool:
    policy = report.policy
    named = policy.ref in {origin.event.default_branch, "built-in defaults"}
    return not named or (policy.sha is not None and not _SHA.fullmatch(policy.sha))


def _shape(report: Report, origin: Origin) -> bool:
    return (
        len(report.skills) > SKILLS
        or sum(len(skill.findings) for skill in report.skills) > FINDINGS
        or len(report.unowned) > NAMES
        or len(report.gates) > SKILLS * 20
        or len(report.skipped) > SKILLS * 4
        or len(report.missing_shards) > 256
    )


def _ids(report: Report, origin: Origin) -> bool:
    versions = _VERSION.fullmatch(report.version) and _SHA.fullmatch(report.merge_base)
    return not versions or any(not _CODE.fullmatch(finding.code) for finding in _findings(report))


def _paths(report: Report, origin: Origin) -> bool:
    named = [path for skill in report.skills for path in (skill.change.path, *skill.change.files)]
    named += [finding.path for finding in _findings(report)]
    named += report.unowned
    named += [skill.change.previous_path for skill in report.skills if skill.change.previous_path is not None]
    return any(_bad_path(path) for path in named)


def _bad_path(path: str) -> bool:
    parts = path.split("/")
    return (
        not path
        or len(path) > 4096
        or path.startswith("/")
        or ".." in parts
        or (path != "." and "." in parts)
        or "" in parts
        or _CONTROL.search(path) is not None
    )


def _places(report: Report, origin: Origin) -> bool:
    return any(
        not 1 <= finding.line <= 10_000_000
        or (finding.end_line is not None and not finding.line <= finding.end_line <= 10_000_000)
        for finding in _findings(report)
    )


def _scores(report: Report, origin: Origin) -> bool:
    numbers = [
        value
        for skill in report.skills
        if skill.structure is not None
        for value in (
            skill.structure.score,
            skill.structure.previous_score,
            skill.structure.recorded_score,
            *skill.structure.dimensions.values(),
        )
        if value is not None
    ]
    counts = [report.policy.baseline_grows, *(skill.structure.known for skill in report.skills if skill.structure)]
    absurd = any(not 0 <= value <= COUNT for value in counts)
    return absurd or any(not 0 <= value <= 100 for value in numbers) or not 0 <= report.cost.seconds <= 1e6


def _figures(report: Report, origin: Origin) -> bool:
    """Counts, dollars and minutes of a run that waits; comparisons are false for what is no number."""
    return any(
        row is not None
        and not (
            row.skill == skill.change.path
            and all(0 <= value <= COUNT for value in (row.cases, row.own_cases, row.cases_changed or 0, row.arms))
            and all(0 <= value <= COUNT for value in (row.agents, *row.attempts, *row.runs))
            and all(0 <= value <= MONEY for value in row.usd_micros or ())
            and all(0 <= value <= MINUTES for value in row.minutes)
            and len(row.because) <= TEXT
            and all(_of_skill(script, skill.change) for script in row.scripts)
        )
        for skill in report.skills
        for row in (skill.proposed,)
    )


def _of_skill(script: ScriptChange, change: ChangedSkill) -> bool:
    return script.path in change.files and 0 <= (script.lines or 0) <= 10_000_000


def _severities(report: Report, origin: Origin) -> bool:
    return any(
        (finding.severity is Severity.ERROR and finding.category is not Category.SPEC)
        or (finding.severity is Severity.CRITICAL and finding.category is not Category.SECURITY)
        for finding in _findings(report)
    )


def _belongs(report: Report, origin: Origin) -> bool:
    paths = [skill.change.path for skill in report.skills]
    known = {*paths, None}
    return (
        len(set(paths)) != len(paths)
        or any(
            finding.skill != skill.change.path or not _inside(finding.path, skill.change.path)
            for skill in report.skills
            for finding in skill.findings
        )
        or any(skill.structure and skill.structure.skill != skill.change.path for skill in report.skills)
        or any(gate.skill not in known for gate in report.gates)
        or any(item.skill not in known for item in report.skipped)
    )


def _inside(path: str, skill: str) -> bool:
    return skill == "." or path == skill or path.startswith(f"{skill}/")


def _doubled(report: Report, origin: Origin) -> bool:
    gates = [(gate.gate, gate.skill) for gate in report.gates]
    skipped = [(item.tier, item.skill) for item in report.skipped]
    return len(set(gates)) != len(gates) or len(set(skipped)) != len(skipped)


def _silent(report: Report, origin: Origin) -> bool:
    """A tier without results must say why: else a fork's comment would look complete."""
    told = {(item.tier, item.skill) for item in report.skipped}
    return any(
        (tier, skill.change.path) not in told and (tier, None) not in told
        for skill in report.skills
        if skill.change.how.value != "deleted"
        for tier in (Tier.JUDGE, Tier.LIVE)
    )


def _texts(report: Report, origin: Origin) -> bool:
    said: list[str] = [report.policy.head_problem or ""]
    for finding in _findings(report):
        said += [finding.title, finding.message, finding.hint, finding.url or "", *(finding.replacement or ())]
    said += [gate.reason for gate in report.gates] + [item.because for item in report.skipped]
    said += [skill.change.name for skill in report.skills]
    return any(len(text) > TEXT for text in said)


def _verdict(report: Report, origin: Origin) -> bool:
    """Whether the verdict is another than the one that follows from the report's own gates and findings."""
    facts = Facts(
        skills=len(report.skills),
        findings_to_fix=sum(finding.severity is Severity.WARNING for finding in _findings(report)),
        waits=any(item.code == "fork" for item in report.skipped),
    )
    return decide(report.gates, facts) != report.verdict


def _unreported(report: Report, origin: Origin) -> bool:
    """Whether a gate is met, or absent, although the report's own findings break it."""
    broken = {(gate.gate.value, gate.skill) for gate in report.gates if gate.outcome is not Outcome.MET}
    return any(
        (finding.category.value, skill.change.path) not in broken
        for skill in report.skills
        for finding in skill.findings
        if finding.severity in (Severity.ERROR, Severity.CRITICAL) and finding.new is not False
    )


def _findings(report: Report) -> Iterator[Finding]:
    for skill in report.skills:
        yield from skill.findings


_Rule = Callable[[Report, Origin], bool]
_RULES: tuple[tuple[str, _Rule, str], ...] = (
    ("shape", _shape, "it holds more skills, findings or names than any change has"),
    ("commit", _other_commit, "it speaks of another commit than the run's"),
    ("change", _other_change, "it speaks of another change request, target or repository than the run's"),
    ("trust", _other_trust, "it calls itself something else than a change request of this origin"),
    ("paid", _paid, "it claims judge, live or imported results, which a job without secrets cannot have"),
    ("accepted", _accepted, "it claims that a writer accepted a loss"),
    ("policy", _policy, "it claims a policy that is not the default branch's"),
    ("ids", _ids, "a version, commit or rule code in it is none"),
    ("paths", _paths, "a path in it is no path of a repository"),
    ("places", _places, "a line number in it is none"),
    ("scores", _scores, "a score in it is outside 0 to 100, or a count in it is none"),
    ("figures", _figures, "a figure of the run that waits in it is none, or a script in it did not change"),
    ("severity", _severities, "a finding in it has a severity that its category does not have"),
    ("belongs", _belongs, "a finding, gate or reason in it belongs to no skill of its own"),
    ("doubled", _doubled, "a gate or a reason stands in it twice"),
    ("silent", _silent, "a tier has no result in it and no reason"),
    ("texts", _texts, "a text in it is longer than any that aces-ci writes"),
    ("unreported", _unreported, "it holds an error that none of its gates speaks of"),
    ("verdict", _verdict, "its verdict does not follow from its own gates"),
)
