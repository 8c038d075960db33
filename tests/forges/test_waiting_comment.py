"""What a maintainer reads under a fork's change that waits: what approving starts, and the words that start it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aces_ci import compose, rendering
from aces_ci.core.event import EventKind, Trust
from aces_ci.core.evidence import RunEnded, Skipped, Structure, Tier
from aces_ci.core.proposal import Proposed
from aces_ci.core.report import Report
from aces_ci.core.slash import Command, Purpose, read_command
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run, an_event

HEAD = "3fa9c1e2d4b5a69788796a5b4c3d2e1f00112233"


def waiting(forge: str = "github", *files: str) -> Report:
    """A fork's report with a skill whose `files` changed."""
    event = an_event(
        kind=EventKind.CHANGE_REQUEST,
        forge=forge,
        server_url="https://forge.example",
        repo="acme/agent-skills",
        head_repo="mira-k/agent-skills",
        head_sha=HEAD,
        base_ref="main",
        change_request=42,
        trust=Trust.FORK,
    )
    skill = replace(a_changed_skill("skills/tide-tables"), files=files, has_evals=True)
    rows = [
        replace(a_run(), event=event),
        skill,
        Structure(skill=skill.path, conformant=True, score=84),
        *(
            Skipped(tier=tier, skill=None, code="fork", because="fork, not approved")
            for tier in (Tier.JUDGE, Tier.LIVE)
        ),
        RunEnded(seconds=0.3),
    ]
    return assemble(rows)


def comment(report: Report, *, smaller: bool = False) -> str:
    place = rendering.place_of(report, key="default")
    return compose.renderer("markdown").render(report, replace(place, smaller=smaller))


@pytest.mark.parametrize("smaller", [False, True])
def test_the_printed_command_is_the_one_that_is_understood(smaller: bool) -> None:
    rows = comment(waiting(), smaller=smaller).split("\n")
    line = rows[rows.index("```text") + 1]
    assert rows[rows.index("```text") + 2] == "```"
    assert read_command(line) == Command(purpose=Purpose.LIVE, sha=HEAD)
    assert "set the label `aces:live`" in rows[rows.index("```text") - 1]
    assert "a push takes it back" in rows[rows.index("```text") - 1]


def test_scripts_and_cases_that_changed_are_named_and_linked_to_the_fork_s_commit() -> None:
    root = "skills/tide-tables"
    body = comment(waiting("github", f"{root}/scripts/pull.py", f"{root}/evals/evals.json", f"{root}/SKILL.md"))
    at = f"https://forge.example/mira-k/agent-skills/blob/{HEAD}/{root}"
    assert f"agents may run [`pull.py`]({at}/scripts/pull.py)" in body
    assert f"[`evals.json`]({at}/evals/evals.json) changes; the cases of `main` decide" in body
    assert "agents do the cases that there are, which were not counted" in body
    assert "Why forks wait" in body


def test_names_of_files_are_inert_and_not_too_many() -> None:
    root = "skills/tide-tables/scripts"
    odd = f"{root}/a`](https://evil.example) @all.sh"
    body = comment(waiting("github", odd, *(f"{root}/{number}.sh" for number in range(9))))
    assert "and 7 more" in body
    assert "](https://evil.example)" not in body.replace("``a`](https://evil.example) @all.sh``", "")


@pytest.mark.parametrize("forge", ["github", "gitlab"])
def test_both_forges_are_told_the_same_figures(forge: str) -> None:
    report = waiting(forge)
    (skill,) = report.skills
    row = Proposed(
        skill=skill.change.path,
        cases=5,
        arms=3,
        agents=2,
        attempts=(3, 8),
        runs=(90, 240),
        usd_micros=(3_600_000, 9_600_000),
        minutes=(20.0, 50.0),
    )
    body = comment(replace(report, skills=(replace(skill, proposed=row),))).replace("\u00a0", " ")
    told = "5 cases × 3 to 8 runs × 3 arms × 2 agents = 90 to 240, about 3.60 to 9.60 USD and 20 to 50 min, stopped at"
    assert told in body
    assert "about $3.60" in body
    uneven = comment(replace(report, skills=(replace(skill, proposed=replace(row, runs=(90, 200))),)))
    assert "5 cases, 90 to 200 runs, about" in uneven, "factors that do not give the sum are not shown"


def test_on_gitlab_it_is_a_button_and_no_comment() -> None:
    body = comment(waiting("gitlab"))
    assert "**Approve** (this commit only; a push takes it back)" in body
    assert "▶ on job `aces-ci:live`" in body
    assert "/aces live" not in body


def test_the_budget_is_named_in_dollars_where_it_is_known() -> None:
    report = waiting()
    report = replace(report, cost=replace(report.cost, cap_usd_micros=10_000_000), unverified=True)
    assert "stopped at 10.00 USD" in comment(report).replace("\u00a0", " ")
    assert "this list is the word of the fork's own job" in comment(report)
    unknown = comment(replace(report, cost=replace(report.cost, cap_usd_micros=None)))
    assert "stopped at the budget of `main`" in unknown
