"""The words of a verdict, each in a paragraph that a newcomer can use."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "improved": "Agents do better with this change: the interval of the difference lies above 0 by more than chance "
    "would put it there, and the difference is more than the floor of 5 points.",
    "regressed": "Agents do worse with this change than with the version it is compared with, by more than chance "
    "and by more than the floor of 5 points. Gate `regression` blocks by default.",
    "no difference": "The whole interval lies within the margin (10 points by default) of 0: surely no large effect "
    "either way. This is a finding, not a lack of one.",
    "cannot tell": "The interval holds both 0 and an effect that would matter. The report says what it rules out, the "
    "smallest lift this run could have seen, and what it would cost to know. Also called inconclusive.",
    "no verdict": "The comparison was not fair, so no number from it counts: runs lost to the provider, an arm that "
    "saw the skill, files of the evaluation touched. The reason stands beside it.",
    "incomplete": "Something that was planned never came: a shard, every run of a skill, or the version that a change "
    "is compared with. Nothing is concluded from what is there, and the heading never says that the check passes.",
    "skipped": "A tier did not run, and the reason is given: no key, no evals, a fork that nobody approved. Skipped is "
    "neither green nor red.",
    "accepted": "A writer accepted an intended loss at one commit with the label `aces:accept`. The gate shows it, the "
    "history records it, and the next push voids it.",
    "lift": "The difference between two arms on the same cases: with the skill minus without it, or with the changed "
    "skill minus the one at the merge base. Never shown without its interval.",
    "arm": "One of the conditions under which an agent works on a case: without the skill (baseline), with the skill "
    "at the merge base (previous), with the changed skill (with_skill).",
    "gate": "A predicate over evidence that can block, advise, or be off. Gates never pass by absence: what one needs "
    "and does not find makes it undecided.",
    "conformant": "No finding of category spec: the specification of agentskills.io forbids nothing in this skill.",
    "quality": "The structural score, 0 to 100, from deterministic rules in four dimensions: correctness .35, "
    "discoverability .25, reliability .25, efficiency .15. Same text, same number. It does not measure whether an "
    "agent gets better; in published data it says almost nothing about that.",
    "baseline": "In `check`: the file of findings a team lives with; it may only shrink. In `live`: the arm without "
    "the skill.",
    "security": "Gate `security` is broken by a critical finding of the scan that this change brings; what was there "
    "before is shown and does not block. Warnings and notes of the scan never block.",
    "judge": "A model reads the skill against ten criteria and quotes for each. Gate `judge` advises; it may block "
    "only with a judge that was calibrated. Needs a key; costs cents.",
    "evals": "The cases below `evals/` that live trials run. Gate `evals` is broken where a change measures less than "
    "before (EV900): it blocks for forks and advises on own branches.",
    "coverage": "Gate `coverage` is broken where a skill has no evals. Off by default.",
    "severity": "How bad a finding is. error: the specification forbids it, and it blocks. critical: the security scan "
    "is sure enough to block it in a change that brings it. warning: worth fixing. info: a note, shown with -v.",
    "confidence": "How sure a rule is to be right at this place: high, medium or low. Apart from how bad it would be.",
    "routing premium": "The lift beside the neighbouring skills minus the lift of the skill alone, with its interval: "
    "what being chosen among others adds or costs. Measured with `workspace.mode: both`.",
    "specification": "The format of Agent Skills that agentskills.io publishes: SKILL.md, its frontmatter, names and "
    "lengths. What it forbids is an error (category spec, codes SP); everything else that rules say is advice.",
    "trajectory": "What an agent did in one run, step by step: messages, calls, results, tokens. Written in ATIF, the "
    "agent trajectory interchange format of Harbor; `aces-ci trace convert` makes one of an agent's own log.",
    "merge base": "The commit at which a branch left the branch it is to be merged into; what changed since then there "
    "is somebody else's.",
}

ALIASES: Mapping[str, str] = {
    "inconclusive": "cannot tell",
    "cannot_tell": "cannot tell",
    "no_difference": "no difference",
    "equivalent": "no difference",
    "invalid": "no verdict",
    "no_verdict": "no verdict",
    "score": "quality",
    "structural": "quality",
    "spec": "conformant",
    "premium": "routing premium",
    "agent skills": "specification",
    "atif": "trajectory",
    "trace": "trajectory",
    "merge_base": "merge base",
    "regression": "regressed",
    **dict.fromkeys(("critical", "error", "warning", "info", "note"), "severity"),
    **dict.fromkeys(("high", "medium", "low"), "confidence"),
    **dict.fromkeys(("correctness", "discoverability", "reliability", "efficiency"), "quality"),
    **dict.fromkeys(("block", "advise", "off", "met", "broken", "undecidable"), "gate"),
    "with_skill": "arm",
    "previous": "arm",
    "gates": "gate",
    "skill lift": "lift",
}


def meaning(word: str) -> tuple[str, str] | None:
    """(the word as it is used, its paragraph), or None for a word of no verdict."""
    key = " ".join(word.lower().replace("-", " ").split())
    key = ALIASES.get(key, ALIASES.get(key.replace(" ", "_"), key))
    return (key, WORDS[key]) if key in WORDS else None
