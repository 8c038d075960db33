"""Whole comments of live runs, made from evidence lines by the same functions as `report`; and what holds in each."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from aces_ci import compose
from aces_ci.core import docs, next_step
from aces_ci.core.change import How, Part
from aces_ci.core.evidence import ChangedSkill, Evidence, Judgement, Planned, Skipped, Tier, Vote
from aces_ci.core.grading.skill_use_summary import FORMS
from aces_ci.core.report import Links, Report
from aces_ci.core.trial import Arm, Trial
from aces_ci.core.wire import read_lines, to_line
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers._live.plain import live_notes, result_lines
from aces_ci.renderers.comment import RENDERER
from aces_ci.tiers.assemble import assemble
from tests.builders import a_score, a_trace
from tests.golden.live_evidence import (
    CANNOT_TELL,
    CONTAMINATED,
    IMPROVED,
    LOST,
    LOST_FEW,
    MAIN_NEVER_RAN,
    NEW_SKILL,
    NO_DIFFERENCE,
    NOTHING_RAN,
    REGRESSED,
    REGRESSED_LOST,
    STORED_MAIN,
    UNDECIDED_TWIN,
    Told,
    causes_of,
    looks_of,
    run_of,
)

NBSP = "\u00a0"
ONE_LOOK = {"live": {"seed": 7, "attempts": {"looks": [5]}}}
TWENTY_BY_TEN = {"live": {"seed": 7, "attempts": {"looks": [5, 10]}}}


class Markdown(SingleFileSnapshotExtension):
    """One readable file a comment."""

    file_extension = "md"
    _write_mode = WriteMode.TEXT


@dataclass(frozen=True)
class Made:
    """A comment and what it was made from."""

    text: str
    exit_code: int
    single: bool


PAGES = Links(report="https://ci.example/report", log="https://ci.example/log")


def comment(lines: Sequence[Evidence], forge: str = "github", pages: Links | None = PAGES) -> Made:
    """Through the wire and back, so that only what evidence can carry is shown."""
    read = list(read_lines(f"{to_line(line)}\n" for line in lines))
    gitlab = forge == "gitlab"
    links = PageLinks(
        server_url="https://gitlab.com" if gitlab else "https://github.com",
        infix="/-" if gitlab else "",
        last_prefix="" if gitlab else "L",
    )
    report = assemble(read, links=pages)
    text = RENDERER.render(report, Place(links=links, forge=forge))
    return Made(text=text, exit_code=report.verdict.exit_code, single=len(report.skills) == 1)


def regressed() -> Made:
    lines = run_of(REGRESSED, UNDECIDED_TWIN, settings={"budget": {"usd": 20.0}})
    return comment([*lines, causes_of(lines, REGRESSED.path)])


def improved(forge: str = "github") -> Made:
    lines = run_of(IMPROVED)
    return comment([*lines, looks_of(lines, IMPROVED.path)], forge)


SCENARIOS = {
    "improved": improved,
    "improved_gitlab": lambda: improved("gitlab"),
    "regressed": regressed,
    "regressed_advise": lambda: comment(run_of(REGRESSED, settings={"gates": {"regression": "advise"}})),
    "accepted": lambda: comment(run_of(REGRESSED, settings={"accepted": True})),
    "cannot_tell": lambda: comment(run_of(CANNOT_TELL, settings={"budget": {"usd": 4.0}})),
    "no_difference": lambda: comment(run_of(NO_DIFFERENCE, settings=TWENTY_BY_TEN)),
    "no_verdict_lost": lambda: comment(run_of(LOST)),
    "no_verdict_contaminated": lambda: comment(run_of(CONTAMINATED)),
    "stored_main": lambda: comment(run_of(STORED_MAIN)),
    "new_skill": lambda: comment(run_of(NEW_SKILL)),
    "incomplete_main": lambda: comment(run_of(MAIN_NEVER_RAN)),
    "incomplete_nothing": lambda: comment(run_of(NOTHING_RAN)),
    "improved_lost": lambda: comment(run_of(LOST_FEW, settings=ONE_LOOK)),
    "several_lost": lambda: comment(run_of(REGRESSED_LOST, CONTAMINATED, LOST, settings={"budget": {"usd": 20.0}})),
}
FLAT = replace(NO_DIFFERENCE, rates=dict.fromkeys(NO_DIFFERENCE.rates, (0.93, 0.93, 0.93)))
WORSE = replace(REGRESSED, rates={case: (main, main, this) for case, (_, main, this) in REGRESSED.rates.items()})
OPEN = replace(CANNOT_TELL, rates=dict.fromkeys(CANNOT_TELL.rates, (0.5, 0.5, 0.6)), stopped="")
WITHOUT_ROWS = {"stored_main", "incomplete_main", "incomplete_nothing"}
"""Nothing is compared in these, so nothing subtracts."""
EXITS = {"regressed": 1, "no_verdict_contaminated": 1, "several_lost": 1}


@pytest.fixture(scope="module")
def made() -> dict[str, Made]:
    return {name: make() for name, make in SCENARIOS.items()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_comment(name: str, made: dict[str, Made], snapshot: SnapshotAssertion) -> None:
    assert made[name].text == snapshot(extension_class=Markdown)
    assert made[name].exit_code == EXITS.get(name, 0)


def test_every_word_stands_in_a_heading(made: dict[str, Made]) -> None:
    headings = {name: one.text.split("\n")[1] for name, one in made.items()}
    for name, words in {
        "improved": "improved, agents do better with this `log-triage`",
        "regressed": "blocked, `ledger-export` got worse than on `main`",
        "regressed_advise": "`ledger-export` got worse than on `main` (does not block)",
        "accepted": "loss in `ledger-export` accepted at `c41f7d8` by a writer",
        "cannot_tell": "cannot tell yet if this `schema-migrate` beats `main`",
        "no_difference": "no difference over 10 points in `chart-style`",
        "no_verdict_lost": "no verdict, 5 of 12 runs of this change could not be scored",
        "incomplete_main": "🚫 aces-ci: no verdict for `log-triage`, no run came of the version on the base",
        "incomplete_nothing": "no verdict for `schema-migrate`, 4 cases planned and none of their runs came",
        "no_verdict_contaminated": "blocked, no fair comparison of `tide-tables`",
    }.items():
        assert words in headings[name], headings[name]


def outside_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", SCENARIOS)
def test_rules_of_every_comment_hold(name: str, made: dict[str, Made]) -> None:
    one = made[name]
    plain = outside_code(one.text)
    assert "$" not in plain, "two dollar signs start maths"
    assert not re.search(r"\[[+−\d.]+, ", plain), "an interval can break"
    assert not re.search(r"\d (?:%|USD|min)\b", plain), "a number can lose its unit"
    assert "@" not in plain.split("<sub>")[0]
    for link in re.findall(r"\((https://git[^)]*\.md[^)]*)\)", one.text):
        assert "?plain=1" in link or link.startswith(docs.BASE)
    before_folds = [line for line in one.text.split("<details>")[0].split("\n") if line.strip()]
    assert len(before_folds) <= 25
    assert len(one.text.encode()) < 60_000
    assert one.text.count("<details>") <= 3 and one.text.count("<details>") == one.text.count("</details>")
    for fold in re.findall(r"<details>.*?</details>", one.text, flags=re.DOTALL):
        assert len(fold.split("\n")) <= 32
    if one.single:
        assert len(one.text.encode()) < 5_000


def numbers(cell: str) -> float | None:
    found = re.match(r"\**([+−]?\d+(?:\.\d)?)", cell.strip())
    return float(found[1].replace("−", "-").replace("+", "")) if found else None


def table_rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.split("\n")
        if line.startswith("| ") and not line.startswith("|:")
    ]


@pytest.mark.parametrize("name", SCENARIOS)
def test_shown_rows_subtract_or_say_that_they_are_rounded(name: str, made: dict[str, Made]) -> None:
    checked = 0
    for fold in re.findall(r"<details>.*?</details>", made[name].text, flags=re.DOTALL):
        for row in table_rows(fold):
            values = [numbers(cell) for cell in row[1:]]
            if len(values) < 3 or any(value is None for value in values[-3:]):
                continue
            checked += 1
            a, b, difference = (value for value in values[-3:] if value is not None)
            if abs(b - a - difference) > 1e-6:
                assert abs(b - a - difference) <= 1.01 and "rounded" in fold, row
    for row in table_rows(made[name].text):
        steps = [numbers(part) for cell in row if "→" in cell for part in cell.split("→")]
        if len(steps) == 3 and None not in steps and row[2] != "–":
            assert steps[2] - steps[1] == pytest.approx(numbers(row[2]), abs=1e-6)  # type: ignore[operator]
            assert steps[2] - steps[0] == pytest.approx(numbers(row[4]), abs=1e-6)  # type: ignore[operator]
            checked += 1
    assert checked or "no_verdict" in name or name in WITHOUT_ROWS


@pytest.mark.parametrize("name", SCENARIOS)
def test_arms_headline_and_lift_subtract_from_each_other(name: str, made: dict[str, Made]) -> None:
    text = made[name].text
    arms = {row[0].strip("*"): numbers(row[1]) for row in table_rows(text) if re.search(r"`[·━●]{20}`", row[2])}
    if not arms or "Rows that do not subtract" in text.split("<details>")[0]:
        return
    this = arms["this change"]
    headline = re.search(r"\*\*([+−]?[\d.]+) points?\*\* against (`main`|no skill)", text)
    lift = re.search(r"(?:against no skill|earns its place:) ([+−][\d.]+)", text)
    assert this is not None
    if headline:
        other = arms["skill on `main`" if headline[2] == "`main`" else "no skill"]
        assert this - (other or 0) == pytest.approx(numbers(headline[1]), abs=1e-6)
    if lift:
        assert this - (arms["no skill"] or 0) == pytest.approx(numbers(lift[1]), abs=1e-6)


@pytest.mark.parametrize("name", SCENARIOS)
def test_bars_match_their_numbers(name: str, made: dict[str, Made]) -> None:
    seen = 0
    for row in table_rows(made[name].text):
        bars = [cell.strip("`") for cell in row if re.fullmatch(r"`[·━●]{20}`", cell)]
        level = next((re.match(r"\**([\d.]+)\**\u00a0\[([\d.]+),\u00a0([\d.]+)\]", cell) for cell in row[1:2]), None)
        if not bars:
            continue
        assert level is not None
        seen += 1
        middle, low, high = (float(value) for value in level.groups())
        bar = bars[0]
        assert abs(bar.index("●") - min(19, middle // 5)) <= 1
        drawn = [place for place, char in enumerate(bar) if char != "·"]
        assert abs(drawn[0] - low // 5) <= 1
        assert abs(drawn[-1] - (-(-high // 5) - 1)) <= 1
    assert seen == made[name].text.count("●")


def test_the_cause_is_cited_with_its_line_and_both_traces(made: dict[str, Made]) -> None:
    text = made["regressed"].text
    assert "**Why: the skill is read and then misleads** in `split-invoice`" in text
    assert re.search(r"1\. \[`SKILL\.md:4`\]\(https://github\.com/.*\?plain=1#L4\) now says `--fast`\. Used in", text)
    assert "**Try** taking it out" in text
    assert "step 3 Bash: python scripts/export.py --fast 2026-10" in text
    assert "step 3 Bash: python scripts/export.py 2026-10" in text


def test_what_is_worth_a_look_is_cited_on_every_page_and_left_out_where_there_is_nothing(
    made: dict[str, Made],
) -> None:
    said = "In 3 of 30 runs, before in 0 of 30, the agent listed `./logs` twice with nothing changed in between. "
    said += "Name the path once. [trace](https://ci.example/report)"
    (line,) = (row for row in made["improved"].text.split("\n") if "twice" in row)
    assert re.fullmatch(r"1\. \[`SKILL\.md:4`\]\(https://github\.com/\S*\?plain=1#L4\) " + re.escape(said), line)
    assert "**Worth a look** (1)\n1. " in made["improved"].text
    assert "Worth a look" not in comment(run_of(IMPROVED)).text + made["regressed"].text + made["cannot_tell"].text
    lines = run_of(IMPROVED)
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    report = report_of([*lines, looks_of(lines, IMPROVED.path)])
    texts = {renderer.name: renderer.render(report, place) for renderer in compose.renderers()}
    plainly = "the agent listed ./logs twice with nothing changed in between. Name the path once."
    assert plainly in texts["html"] and "<h3>Worth a look</h3>" in texts["html"] and plainly in texts["text"]
    (cause,) = json.loads(texts["json"])["skills"][0]["live"]["worth_a_look"]
    assert cause["seen"] == [3, 30] and cause["cites"]


def test_skill_use_stands_on_the_page_with_its_interval_and_the_comment_names_its_forms_alike() -> None:
    lines = run_of(IMPROVED)
    mine = [line for line in lines if isinstance(line, Trial) and line.arm is Arm.WITH_SKILL]
    for number, trial in enumerate(mine):
        trigger = float(number % 4 > 0)
        values = {"skill_use": trigger * 0.8, "skill_use_trigger": trigger, "skill_use_compliance": number % 3 / 2}
        lines += [a_score(trial, metric=name, value=value) for name, value in values.items()]
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    report = report_of(lines)
    texts = {renderer.name: renderer.render(report, place) for renderer in compose.renderers()}
    table = texts["html"].split("<h3>Skill-Use</h3>")[1].split("</table>")[0]
    rows = {
        row[0]: row[1:]
        for line in re.split("<tr[^>]*>", table)[2:]
        if (row := re.findall(r"<td[^>]*>(.*?)</td>", line))
    }
    assert set(rows) == set(FORMS.values())
    for name, (level, runs, cases) in rows.items():
        if name.startswith("boundary"):
            assert (level, runs) == ("no interval: no run says anything of it", "0")
            continue
        assert re.fullmatch(r"\d+ \[\d+, \d+\]", level) and int(runs) > 0 and int(cases) > 0
        said = re.search(rf"(?:^|[ ,:]){re.escape(name)} (\d+)\u00a0\[(\d+),\u00a0(\d+)\]", texts["markdown"])
        assert said and "{} [{}, {}]".format(*said.groups()) == level, name
    assert (rows["trigger"][1], rows["sham triggers"][1]) == ("30", "22")
    bare = report_of(run_of(IMPROVED))
    (html,) = (renderer for renderer in compose.renderers() if renderer.name == "html")
    assert "Skill-Use" not in html.render(bare, place)


def test_runs_of_a_cell_with_one_and_the_same_final_text_are_counted_and_said() -> None:
    """A cache of replies makes attempts identical, and their number then means nothing."""
    told = [a_trace("ls", answer=answer).answer_digest for answer in ("yes", " yes\n", "no", None)]
    assert told[0] == told[1] != told[2] and told[3] is None and told[0] is not None

    def text(same: bool) -> str:
        lines = run_of(IMPROVED)
        for at, line in enumerate(lines):
            if isinstance(line, Trial):
                lines[at] = replace(line, answer="a" * 64 if same else line.digest)
        return comment(lines).text

    assert "18 different answers in 90 runs (by case and arm)" in text(same=True)
    assert "90 different answers in 90 runs (by case and arm)" in text(same=False)
    assert "different answer" not in comment(run_of(IMPROVED)).text


def test_gitlab_twin_says_the_same_with_its_own_links(made: dict[str, Made]) -> None:
    github, gitlab = made["improved"].text, made["improved_gitlab"].text
    assert "[job](" in gitlab and "[log](" not in gitlab
    assert gitlab.replace("gitlab.com", "github.com").replace("/-/", "/").replace("[job]", "[log]") == github


def test_what_was_planned_and_never_ran_is_no_pass_whatever_the_policy_makes_of_the_gate() -> None:
    for told in (MAIN_NEVER_RAN, NOTHING_RAN):
        for mode, code in (("block", 3), ("advise", 0), ("off", 0)):
            one = comment(run_of(told, settings={"gates": {"incomplete": mode}}))
            assert "### 🚫 aces-ci: no verdict" in one.text and one.exit_code == code
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    report = report_of(run_of(replace(NOTHING_RAN, stopped=""), settings={"gates": {"incomplete": "block"}}))
    texts = {renderer.name: renderer.render(report, place) for renderer in compose.renderers()}
    assert "incomplete: 4 cases planned and none of their runs came" in texts["junit"]
    for name in ("text", "html", "json", "summary"):
        assert "4 cases planned and none of their runs came" in texts[name], name


def test_evidence_without_a_plan_misses_the_base_version_of_a_changed_skill_all_the_same() -> None:
    """Its policy compares it and the skill changed; only a plan that leaves it out, or a new skill, has none."""

    def headline(**changes: object) -> str:
        lines = [line for line in run_of(MAIN_NEVER_RAN) if not isinstance(line, Planned)]
        lines = [replace(line, **changes) if isinstance(line, ChangedSkill) else line for line in lines]  # type: ignore[arg-type]
        return comment(lines).text.split("\n")[1]

    assert "no verdict for `log-triage`, no run came of the version on the base" in headline()
    assert "improved, agents do better with this `log-triage` than without it" in headline(how=How.ADDED)
    assert "than without it" in headline(parts=(Part.EVALS,))


def test_a_changed_skill_that_the_policy_holds_against_no_skill_alone_is_not_called_improved() -> None:
    """The gate `regression` reads the base version; a new skill has none, and its heading says what it beats."""

    def told(made_of: Told) -> Told:
        rates = {case: (bare, None, this) for case, (bare, _, this) in made_of.rates.items()}
        return replace(made_of, rates=rates, recorded=None)

    def heading(*lines: Told, looks: tuple[int, ...] = (3, 5, 8)) -> str:
        plan = {"budget": {"usd": 99.0}, "live": {"seed": 7, "attempts": {"looks": list(looks)}}}
        one = comment(run_of(*lines, settings=plan))
        assert one.text.count("Gate not decided") == len(lines)
        return one.text.split("\n")[1].removeprefix("### ")

    for name, made_of, looks, expected in (
        ("up", IMPROVED, (5,), "⚖️ aces-ci: agents do better with this `up` than without it, `main` was not compared"),
        ("flat", FLAT, (10,), "⚖️ aces-ci: `flat` was held against no skill alone, `main` was not compared"),
        ("down", WORSE, (5,), "⚠️ aces-ci: `down` does worse than no skill (does not block)"),
        ("open", OPEN, (3, 8), "⚖️ aces-ci: cannot tell yet if this `open` beats no skill"),
    ):
        assert heading(replace(told(made_of), path=f"skills/{name}"), looks=looks) == expected
    new = replace(told(FLAT), path="skills/new", how=How.ADDED)
    assert heading(new, looks=(10,)) == "✅ aces-ci: no difference over 10 points from no skill in `new`"
    both = (replace(told(IMPROVED), path="skills/new", how=How.ADDED), replace(told(IMPROVED), path="skills/up"))
    assert "this `up` than without it, `main` was not compared" in heading(*both, looks=(5,))


def test_what_to_do_next_is_said_in_the_words_of_the_forge() -> None:
    """Labels and notes start nothing on GitLab: the button of the job does."""
    loss = [*run_of(REGRESSED, settings={"budget": {"usd": 20.0}})]
    undecided = run_of(CANNOT_TELL, settings={"budget": {"usd": 4.0}})
    assert "this commit: label `aces:accept`\\\n" in comment(loss).text
    assert "this commit: label `aces:accept`, then ▶ on `aces-ci` again\\\n" in comment(loss, "gitlab").text
    assert "on `main`, then `/aces live`\n" in comment(undecided).text
    told = comment(undecided, "gitlab").text
    assert "then press ▶ on job `aces-ci:live` in the [pipeline](https://ci.example/log)\n" in told
    assert "/aces live" not in told


def test_the_judges_score_stands_beside_what_it_was_with_the_range_of_its_votes() -> None:
    def judged(side: str, *scores: float) -> Judgement:
        votes = tuple(Vote(score=score, passed=True, reason="r") for score in scores)
        return Judgement(
            skill=IMPROVED.path, side=side, criterion="c", score=sum(scores) / len(scores), votes=votes, judge="m"
        )

    lines = run_of(IMPROVED)
    text = comment([*lines[:-1], judged("head", 8.0, 9.0), judged("base", 7.0, 8.0), lines[-1]]).text
    assert "· judge 8.5 (8.0\u00a0to\u00a09.0), was 7.5 (7.0\u00a0to\u00a08.0)\\\n" in text
    assert ", was" not in comment([*lines[:-1], judged("head", 8.0, 9.0), lines[-1]]).text


def test_a_judge_that_was_not_asked_stands_beside_the_other_checks_and_not_a_second_time() -> None:
    paths = (REGRESSED.path, UNDECIDED_TWIN.path)
    lines = run_of(REGRESSED, UNDECIDED_TWIN, settings={"budget": {"usd": 20.0}})
    skipped = [
        Skipped(tier=Tier.JUDGE, skill=path, code="gate_failed", because="gate already failed") for path in paths
    ]
    text = comment([*lines[:-1], *skipped, lines[-1]]).text
    assert "quality 88 (+2), 88 (+2) · judge not run: gate already failed\\\n" in text
    assert "**Not run** · judge" not in text
    assert "judge" not in comment(lines).text.split("**Other checks**")[1].split("\n")[0]


def test_jobs_that_a_note_names_are_jobs_of_the_component() -> None:
    component = (Path(__file__).parents[2] / "gitlab-ci-component.yml").read_text("utf-8")
    prefix = re.search(r"prefix:\n(?:.*\n)*?\s+default: \"?([\w-]+)", component)
    assert prefix is not None and prefix[1] == next_step.JOB
    assert f"{prefix[1]}:live" == next_step.LIVE_JOB and '"$[[ inputs.prefix ]]:live":' in component


def test_a_plan_that_was_cut_short_says_by_what_and_is_not_listed_as_not_run() -> None:
    lines = run_of(CANNOT_TELL)
    rest = [line for line in lines if not isinstance(line, Skipped)]
    assert "**Not run** · live" not in comment(lines).text
    because = "the last 6 runs were lost to infrastructure"
    lost = comment([*rest[:-1], Skipped(tier=Tier.LIVE, skill=None, code="stopped", because=because), rest[-1]]).text
    assert f"stopped after look 1 of 3 because {because}." in lost and "**Not run** · live" not in lost
    alone = comment([*[r for r in rest if type(r).__name__ not in {"Trial", "Score"}], *lines[-2:-1]]).text
    assert "**Not run** · live: the next look" in alone


def test_many_skills_stand_in_order_of_need_and_the_rest_is_counted() -> None:
    fine = [replace(IMPROVED, path=f"skills/fine-{n}") for n in range(7)]
    open_ = [replace(CANNOT_TELL, path=f"skills/open-{n}", stopped="") for n in range(3)]
    text = comment(run_of(*fine, *open_, REGRESSED)).text
    rows = [row[:2] for row in table_rows(text.split("<details>")[0])[1:]]
    assert [name for name, _ in rows] == ["`ledger-export`", "`open-0`", "`open-1`", "`open-2`", "7 others"]
    assert rows[-1][1] == "nothing new"
    worse = [replace(REGRESSED, path=f"skills/worse-{n}") for n in range(10)]
    text = comment(run_of(*fine[:2], open_[0], *worse)).text
    rows = [row[:2] for row in table_rows(text.split("<details>")[0])[1:]]
    assert len(rows) == 9 and all("regressed" in word for _, word in rows[:8])
    assert rows[-1] == ["5 others", "2 regressed, 1 cannot tell yet, 2 improved: see the report"]


def test_no_number_stands_without_its_interval_or_a_reason(made: dict[str, Made]) -> None:
    """The number that decides, and every difference in a table of metrics."""
    deciding = differences = 0
    for one in made.values():
        for line in one.text.split("\n"):
            if re.match(r"\*\*[+−\d]+ points?\*\*", line):
                deciding += 1
                assert "95\u00a0% interval [" in line
            cells = line.strip("|").split("|")
            if line.startswith("| ") and re.match(r" \*{0,2}[+−]\d", cells[-1]) and "accuracy" in cells[0]:
                differences += 1
                assert "[" in cells[-1]
    assert deciding >= 5 and differences >= 5


def report_of(lines: list[Evidence]) -> Report:
    return assemble(list(read_lines(f"{to_line(line)}\n" for line in lines)))


def test_log_and_terminal_say_the_same_numbers_without_markup(snapshot: SnapshotAssertion) -> None:
    two = run_of(REGRESSED, UNDECIDED_TWIN)
    text = "\n".join(
        [
            *result_lines(report_of(run_of(IMPROVED))),
            *result_lines(report_of(two)),
            *result_lines(report_of(run_of(LOST))),
        ]
    )
    assert "−" not in text and NBSP not in text and "`" not in text
    assert text == snapshot(extension_class=Markdown)


def test_annotation_of_a_regression_stands_at_the_line_that_caused_it() -> None:
    lines = run_of(REGRESSED)
    (note,) = live_notes(report_of([*lines, causes_of(lines, REGRESSED.path)]))
    assert (note.level, note.path, note.line) == ("error", "skills/ledger-export/SKILL.md", 4)
    assert note.title == "ledger-export got worse than on main (-25 points)"
    assert re.fullmatch(
        r"94 to 69 of 100, 95 % interval -46 to -4, 6 cases x 3 runs\. In \d+ of \d+ runs the agent followed this line "
        r"\(--fast\)\. Fix: try taking it out, or limiting it to where it holds\. Traces: report\.html\.",
        note.message,
    )
    assert live_notes(report_of(run_of(IMPROVED))) == []
    assert [n.level for n in live_notes(report_of(run_of(CANNOT_TELL)))] == ["notice"]
    assert [n.level for n in live_notes(report_of(run_of(LOST)))] == ["warning"]


@pytest.mark.parametrize(
    "told", [IMPROVED, REGRESSED, CANNOT_TELL, LOST, CONTAMINATED, NEW_SKILL], ids=lambda t: t.path
)
def test_every_format_renders_every_word(told: Told) -> None:
    report = report_of(run_of(told))
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    texts = {renderer.name: renderer.render(report, place) for renderer in compose.renderers()}
    live = json.loads(texts["json"])["skills"][0]["live"]
    assert report.skills[0].live is not None and live["word"] == report.skills[0].live.word.value
    assert live["seed"] == 20261129 and live["metrics"] and live["cases"]
    word = report.skills[0].live.word.value
    assert word in texts["junit"] and word.replace("_", " ") in texts["html"].lower().replace("_", " ")
