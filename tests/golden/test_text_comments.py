"""Whole comments of text-only runs, made from a real history by the same path as `run`; and what holds in each."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from aces_ci.core.event import Trust
from aces_ci.core.evidence import Evidence, RunStarted, Skipped, Tier
from aces_ci.core.proposal import Proposed
from aces_ci.core.report import Links
from aces_ci.core.wire import read_lines
from aces_ci.forges._links import PageLinks
from aces_ci.jobs.run import Options, run
from aces_ci.ports.renderer import Place
from aces_ci.renderers.comment import RENDERER
from aces_ci.shell.demo import demo_repository
from aces_ci.tiers.assemble import assemble
from tests.builders import a_run, an_event
from tests.golden.test_live_comments import Markdown

REPO = "acme/agent-skills"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> list[Evidence]:
    """The demonstration's evidence, as if it came from a pull request."""
    out = tmp_path_factory.mktemp("demo")
    with demo_repository() as repository:
        options = Options(repo=repository, base="main", head="work", output=out, post=False)
        run(options, env={}, stdout=io.StringIO(), stderr=io.StringIO())
    text = (out / "evidence.jsonl").read_text("utf-8")
    rows = list(read_lines(text.splitlines(keepends=True)))
    header = rows[0]
    assert isinstance(header, RunStarted)
    event = an_event(head_sha=header.event.head_sha, base_sha=header.event.base_sha)
    end = [row for row in rows[1:] if type(row).__name__ != "RunEnded"]
    from aces_ci.core.evidence import RunEnded

    started = a_run(event=event, merge_base=header.merge_base, settings=header.settings, unowned=header.unowned)
    return [started, *end, RunEnded(seconds=0.9)]


def text_of(rows: list[Evidence]) -> str:
    report = assemble(rows, links=Links(report="https://ci.example/report", log="https://ci.example/log"))
    return RENDERER.render(report, Place(links=PageLinks("https://github.com"), forge="github"))


def only(rows: list[Evidence], skill: str) -> list[Evidence]:
    """Without the other skills."""
    return [r for r in rows if getattr(r, "skill", getattr(r, "path", skill)) in {skill, None}]


def without_findings(rows: list[Evidence]) -> list[Evidence]:
    return [row for row in rows if type(row).__name__ != "Finding"]


def waiting(rows: list[Evidence]) -> list[Evidence]:
    """The same from a fork."""
    header = rows[0]
    assert isinstance(header, RunStarted)
    event = an_event(trust=Trust.FORK, head_repo="mira-k/agent-skills", head_sha=header.event.head_sha)
    kept = [row for row in only(rows, "skills/log-triage")[1:] if not isinstance(row, Skipped)]
    tiers = [
        Skipped(tier=tier, skill=None, code="fork", because="fork, not approved") for tier in (Tier.JUDGE, Tier.LIVE)
    ]
    proposed = Proposed(
        skill="skills/log-triage",
        cases=5,
        cases_changed=0,
        arms=3,
        agents=1,
        attempts=(3, 8),
        runs=(45, 120),
        usd_micros=(3_600_000, 9_600_000),
        minutes=(20.0, 50.0),
    )
    return [a_run(event=event, merge_base=header.merge_base, settings=header.settings), *kept, proposed, *tiers]


def nothing(rows: list[Evidence]) -> list[Evidence]:
    header = rows[0]
    assert isinstance(header, RunStarted)
    return [a_run(event=header.event, unowned=("README.md", "docs/a.md"))]


MADE: dict[str, Callable[[list[Evidence]], list[Evidence]]] = {
    "blocked_with_a_good_neighbour": lambda rows: rows,
    "blocked": lambda rows: only(rows, "skills/parcel-quote"),
    "advice": lambda rows: only(rows, "skills/log-triage"),
    "clean": lambda rows: without_findings(only(rows, "skills/log-triage")),
    "waits": waiting,
    "nothing": nothing,
}


@pytest.mark.parametrize("name", MADE)
def test_comment(name: str, evidence: list[Evidence], snapshot: SnapshotAssertion) -> None:
    assert text_of(MADE[name](evidence)) == snapshot(extension_class=Markdown)


@pytest.mark.parametrize(
    ("unowned", "said"),
    [
        ((), "no skill changed"),
        (("a.md",), "no skill changed; 1 changed file belongs to no skill"),
    ],
)
def test_where_no_skill_changed_files_are_counted_only_where_there_are_some(
    unowned: tuple[str, ...], said: str, evidence: list[Evidence]
) -> None:
    header = evidence[0]
    assert isinstance(header, RunStarted)
    text = text_of([a_run(event=header.event, unowned=unowned)])
    assert text.split("\n")[1] == f"### ✅ aces-ci: {said}"


@pytest.mark.parametrize("name", MADE)
def test_what_holds_in_every_comment(name: str, evidence: list[Evidence]) -> None:
    text = text_of(MADE[name](evidence))
    before_folds = text.split("<details>")[0]
    assert sum(bool(line.strip()) for line in before_folds.splitlines()) <= 25
    assert len(text.encode()) < 60_000
    assert "$" not in re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert text.startswith("<!-- aces-ci:comment v1 key=default head=")
    assert "#L" not in text.replace("?plain=1#L", "").replace(".py#L", "")
    if name != "nothing":
        assert "**not** tested" in text or "blocked" in text or "nothing that needs a secret" in text


def test_three_hundred_skills_with_hostile_names_stay_under_the_limit(evidence: list[Evidence], tmp_path: Path) -> None:
    from tests.builders import a_changed_skill

    many = [a_changed_skill(f"skills/{'|`@all' * 12}-{n}") for n in range(300)]
    text = text_of([evidence[0], *many])
    assert len(text.encode()) < 60_000
    assert "| 292 " in text or "| 300 " in text
