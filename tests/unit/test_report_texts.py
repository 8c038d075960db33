"""What a report says of many skills, of code in a hint, of its cost, and of evidence that is not whole."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aces_ci import publication
from aces_ci.core.change import ChangeSet
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Event, EventKind
from aces_ci.core.evidence import Evidence, PolicySource, RunEnded, Skipped, Structure, Tier
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.merge import merge
from aces_ci.core.trial import Arm
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers import comment, html, text
from aces_ci.renderers.annotations import notes_of
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_comparison, a_run, a_score, a_trial, an_event

PLACE = Place(links=PageLinks("https://github.com"), forge="github")


def a_finding(skill: str, **changes: Any) -> Finding:
    """An error against the specification with a fix of one line."""
    name = skill.rsplit("/", 1)[-1]
    fields: dict[str, Any] = {
        "skill": skill,
        "code": "SP004",
        "severity": Severity.ERROR,
        "category": Category.SPEC,
        "path": f"{skill}/SKILL.md",
        "line": 2,
        "title": "name differs from the directory",
        "message": "The folder and the name differ.",
        "hint": f"name: {name}",
        "replacement": ("name: other", f"name: {name}"),
        **changes,
    }
    return Finding(**fields)


def advice(skill: str) -> Finding:
    return a_finding(
        skill,
        code="DI012",
        severity=Severity.WARNING,
        category=Category.QUALITY,
        line=3,
        hint="say when",
        replacement=None,
    )


def a_skill(path: str, *findings: Finding) -> list[Evidence]:
    conformant = not any(f.severity is Severity.ERROR for f in findings)
    return [a_changed_skill(path), Structure(skill=path, conformant=conformant, score=80), *findings]


def many() -> list[Evidence]:
    """Nine skills with advice, nine with one error, one with two: in the order of the alphabet."""
    rows: list[Evidence] = [a_run()]
    for number in range(1, 10):
        path = f"skills/a{number}"
        rows += a_skill(path, advice(path))
    for number in range(1, 10):
        path = f"skills/m{number}"
        rows += a_skill(path, a_finding(path))
    rows += a_skill("skills/z1", a_finding("skills/z1"), a_finding("skills/z1", line=9))
    return [*rows, RunEnded(seconds=0.3)]


def commented(rows: list[Evidence]) -> str:
    return comment.RENDERER.render(assemble(rows), PLACE)


def test_of_many_skills_the_worst_have_the_rows() -> None:
    rows = [line for line in commented(many()).splitlines() if line.startswith("| `")]
    assert len(rows) == 8
    assert rows[0].startswith("| `z1`")
    assert all("❌" in row for row in rows)


def test_a_fix_that_is_a_line_of_code_stays_code() -> None:
    text = commented(many())
    assert "`name: m2`" in text
    assert "Name: m2" not in text


def test_a_missing_line_that_has_to_be_written_stays_code_too() -> None:
    rows: list[Evidence] = [a_run()]
    for name in ("m1", "m2"):
        rows += a_skill(f"skills/{name}", a_finding(f"skills/{name}", replacement=None))
    shown = commented([*rows, RunEnded()])
    assert "**Fix**: `name: m1`\n" in shown
    assert "differ. `name: m2` [`SP004`]" in shown
    assert "| `name: m2` |" in shown


def test_the_lead_says_which_of_several_skills_it_speaks_of() -> None:
    lead = commented(many()).splitlines()[3]
    assert "`m1`" in lead
    alone = [a_run(), *a_skill("skills/m1", a_finding("skills/m1")), RunEnded()]
    assert " of `m1`" not in commented(alone).splitlines()[3]


TRIAL = a_trial(skill="skills/lost")
ORPHANS: dict[str, list[Evidence]] = {
    "structure": [Structure(skill="skills/lost", conformant=False, score=10)],
    "finding": [a_finding("skills/lost")],
    "trial": [TRIAL, a_score(TRIAL)],
}


@pytest.mark.parametrize("kind", ORPHANS)
def test_evidence_about_a_skill_that_no_line_announces_is_refused(kind: str) -> None:
    rows = [a_run(), *a_skill("skills/here"), *ORPHANS[kind], RunEnded()]
    with pytest.raises(UsageError, match="`skills/lost`") as caught:
        assemble(rows)
    assert caught.value.exit_code == 2


def test_the_same_lines_twice_cost_once() -> None:
    trial = a_trial()
    rows: list[Evidence] = [a_run(), *a_skill(trial.skill), trial, a_score(trial), RunEnded(seconds=7.5)]
    once, twice = assemble(rows).cost, assemble([*rows, *rows]).cost
    assert (twice.seconds, twice.usd_micros, twice.tokens) == (once.seconds, once.usd_micros, once.tokens)
    assert once.seconds == 7.5
    assert len(merge([*rows, *rows]).trials) == 1


def test_shards_add_their_seconds() -> None:
    parts: list[Evidence] = [
        a_run(shard=(1, 2)),
        RunEnded(shard=(1, 2), seconds=2.0),
        RunEnded(shard=(2, 2), seconds=3.0),
    ]
    assert merge(parts).seconds == 5.0


def cost_line(rows: list[Evidence]) -> str:
    return next(line for line in commented(rows).splitlines() if line.startswith("**Cost**"))


def test_a_run_that_asked_a_forge_does_not_claim_no_network() -> None:
    whole = [*a_skill("skills/m1", advice("skills/m1")), RunEnded(seconds=0.2)]
    assert cost_line([a_run(), *whole]).endswith(", no model was called")
    local = a_run(event=an_event(kind=EventKind.LOCAL, forge="local", change_request=None))
    assert cost_line([local, *whole]).endswith(", no network")
    path = "skills/m1"
    tried = a_trial(skill=path, usage=type(a_trial().usage)(usd_micros=0))
    assert "no model" not in cost_line([a_run(), *a_skill(path), tried, RunEnded(seconds=0.2)])


def test_a_tier_without_a_key_links_to_the_page_that_turns_that_tier_on() -> None:
    missing = [Skipped(tier=tier, skill=None, code="no_key", because="no key") for tier in (Tier.JUDGE, Tier.LIVE)]
    (line,) = (
        row
        for row in commented([a_run(), *a_skill("skills/m1"), *missing, RunEnded()]).splitlines()
        if "turn on" in row
    )
    judge, live = line.split(" · live: ")
    assert "/docs/judge.md" in judge and "/docs/live.md" in live and "judge.md" not in live


def test_text_keeps_the_characters_of_a_path_that_it_tells_to_write() -> None:
    skill = "skills/m`1"
    found = a_finding(skill, path=f"{skill}/x`@octocat`.md", hint="add x`@octocat`.md", replacement=None)
    skipped = Skipped(tier=Tier.LIVE, skill=skill, code="no_evals", because="no evals/")
    shown = text.RENDERER.render(assemble([a_run(), *a_skill(skill, found), skipped, RunEnded()]), PLACE)
    assert f"{skill}/x`@octocat`.md:2:1: error" in shown
    assert "  fix: add x`@octocat`.md\n" in shown
    assert f"skipped: live ({skill})" in shown


def test_two_findings_of_one_rule_on_one_line_are_two_and_the_same_one_twice_is_one() -> None:
    first, second = (a_finding("skills/m1", fingerprint=mark, message=f"Links to {mark}.") for mark in ("ab", "ab.2"))
    assert [*merge([a_run(), *a_skill("skills/m1", first, second, first)]).findings.values()] == [first, second]


def test_a_level_holds_ten_annotations_new_ones_first_and_the_last_counts_the_rest() -> None:
    path = "skills/m1"
    many = [
        a_finding(path, code=code, line=line, fingerprint=str(line), severity=severity, new=line > 8)
        for code, severity in (("CO044", Severity.WARNING), ("SP004", Severity.ERROR))
        for line in range(1, 15)
    ]
    notes = notes_of(assemble([a_run(), *a_skill(path, *many), RunEnded()]))
    for level in ("error", "warning"):
        rows = [note for note in notes if note.level == level]
        assert len(rows) == 10 and rows[-1].title == "5 more in the summary"
        assert [row.line for row in rows[:7]] == [9, 10, 11, 12, 13, 14, 1]


def test_what_a_change_brought_is_told_from_what_was_there_wherever_findings_are_listed() -> None:
    skill = "skills/m1"
    found = [
        a_finding(skill, code=code, path=f"{skill}/{code}.md", severity=Severity.WARNING, new=new, replacement=None)
        for code, new in (("CO044", True), ("DI012", False), ("RE007", None))
    ]
    rows = [a_run(), *a_skill(skill, *found), RunEnded()]
    plain, page, told = text.RENDERER.render(assemble(rows), PLACE), html.RENDERER.render(assemble(rows), PLACE), {}
    for finding in found:
        (line,) = (row for row in plain.splitlines() if f" {finding.code} " in row)
        (cell,) = re.findall(rf"<tr>(?:(?!<tr>).)*>{finding.code}</a>", page)
        (row,) = (row for row in commented(rows).splitlines() if row.startswith("| ") and f"{finding.code}.md" in row)
        told[finding.code] = (line.partition(")")[0][-4:], cell.partition("</td>")[0][-12:], row.split(" | ")[0])
    assert told["CO044"] == ("(new", ", new</span>", "| advice")
    assert told["DI012"] == ("(old", ", old</span>", "| advice, old")
    assert told["RE007"][1].endswith("warning") and told["RE007"][2] == "| advice"
    assert "**Worth fixing, does not block** (3, 2 new)" in commented(rows)


def test_the_page_reads_from_base_to_head_and_keeps_paths_whole() -> None:
    rows = [a_run(), *a_skill("skills/m1", a_finding("skills/m1")), RunEnded()]
    page = html.RENDERER.render(assemble(rows), PLACE)
    assert "d20aa91 → c41f7d8" in page
    assert '<td data-th="Where" class="where">' in page
    assert ".where { min-width:" in page
    assert "<code>skills/<wbr>m1/<wbr>SKILL.md:2</code>" in page, "a long path breaks between folders alone"


def test_the_page_shows_a_path_with_all_its_characters() -> None:
    rows = [a_run(), *a_skill("skills/m1", a_finding("skills/m1", path="skills/m1/a`<b>`.md")), RunEnded()]
    assert "<wbr>a`&lt;b&gt;`.md:2</code>" in html.RENDERER.render(assemble(rows), PLACE)


def test_the_log_ends_with_one_result_a_measured_skill_and_one_line_a_reason() -> None:
    trials, scores = a_comparison({arm: {"two-clocks": [1.0, 0.0, 1.0]} for arm in Arm})
    names = [f"skills/s{number}" for number in range(6)]
    skipped = [Skipped(tier=Tier.LIVE, skill=name, code="no_evals", because="no evals/") for name in names]
    rows = [a_run(), *a_skill(trials[0].skill), *trials, *scores, *(a_changed_skill(n) for n in names), *skipped]
    result, skips = publication.closing(assemble([*rows, RunEnded()]))
    assert result.startswith("result: log-triage  cannot tell yet")
    assert skips == "skipped: live (no evals/): s0, s1, s2, s3 and 2 more"


@pytest.mark.parametrize("code", ["key_refused", "unknown_model"])
def test_a_provider_that_refused_was_called(code: str) -> None:
    refused = Skipped(tier=Tier.JUDGE, skill=None, code=code, because="the provider said no")
    line = cost_line([a_run(), *a_skill("skills/m1"), refused, RunEnded(seconds=0.2)])
    assert "no model" not in line and "0.00" in line


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (an_event(), "github pull_request #42 · acme/agent-skills"),
        (an_event(kind=EventKind.LOCAL, forge="local", title="", change_request=None), "local · acme/agent-skills"),
    ],
)
def test_the_first_line_of_a_log_says_once_where_it_runs(event: Event, said: str) -> None:
    changes = ChangeSet(merge_base="a" * 40, head="b" * 40, skills=())
    first = next(publication.opening(event, changes, PolicySource(ref="main")))
    assert first.endswith(f" · {said}")


@pytest.mark.parametrize("worktree", [False, True])
def test_a_head_that_no_commit_holds_is_called_the_working_tree(worktree: bool) -> None:
    report = assemble([a_run(event=an_event(worktree=worktree)), *a_skill("skills/a"), RunEnded()])
    sha = report.event.head_sha[:7]
    assert (f"working tree on [`{sha}`]" in comment.RENDERER.render(report, PLACE)) is worktree
    assert (f"→ working tree on {sha}" in html.RENDERER.render(report, PLACE)) is worktree
