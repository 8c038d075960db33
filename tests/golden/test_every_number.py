"""No number anywhere lacks its n and interval, or the reason why not: every format of every live run, number by number.

Each format is read as a reader reads it: what is a version, a link, a place, a price, a date or a count of something
that was counted is named here, once; every other number must belong to a sentence or a row with its interval.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from aces_ci import compose
from aces_ci.core.evidence import Evidence
from aces_ci.core.report import Links, Report
from aces_ci.core.wire import read_lines, to_line
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers._live.plain import live_notes
from aces_ci.tiers.assemble import assemble
from tests.golden.live_evidence import (
    CANNOT_TELL,
    CONTAMINATED,
    IMPROVED,
    LOST,
    LOST_FEW,
    MAIN_NEVER_RAN,
    NEW_SKILL,
    NO_DIFFERENCE,
    REGRESSED,
    STORED_MAIN,
    UNDECIDED_TWIN,
    causes_of,
    run_of,
)

TWENTY_BY_TEN = {"live": {"seed": 7, "attempts": {"looks": [5, 10]}}}


def regressed() -> list[Evidence]:
    lines = run_of(REGRESSED, UNDECIDED_TWIN)
    return [*lines, causes_of(lines, REGRESSED.path)]


RUNS: dict[str, Callable[[], list[Evidence]]] = {
    "improved": lambda: run_of(IMPROVED),
    "regressed": regressed,
    "cannot_tell": lambda: run_of(CANNOT_TELL, settings={"budget": {"usd": 4.0}}),
    "no_difference": lambda: run_of(NO_DIFFERENCE, settings=TWENTY_BY_TEN),
    "lost": lambda: run_of(LOST),
    "contaminated": lambda: run_of(CONTAMINATED),
    "stored_main": lambda: run_of(STORED_MAIN),
    "new_skill": lambda: run_of(NEW_SKILL),
    "main_never_ran": lambda: run_of(MAIN_NEVER_RAN),
    "lost_few": lambda: run_of(LOST_FEW, settings={"live": {"seed": 7, "attempts": {"looks": [5]}}}),
}
INTERVAL = r"\[[+−-]?[\d.]+,[\s\u00a0][+−-]?[\d.]+\]"


@pytest.fixture(scope="module")
def texts() -> dict[str, dict[str, str]]:
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    found = {}
    for name, make in RUNS.items():
        report = report_of(make())
        found[name] = {renderer.name: renderer.render(report, place) for renderer in compose.renderers()}
    return found


def report_of(lines: list[Evidence]) -> Report:
    read = list(read_lines(f"{to_line(line)}\n" for line in lines))
    return assemble(read, links=Links(report="https://ci.example/report", log="https://ci.example/log"))


NAMED = [
    (r"`[^`\n]*`", "names, digests, places, bars: in code"),
    (r"\]\([^)\n]*\)", "addresses"),
    (r"aces-ci \d+\.\d+\.\d+", "our version"),
    (r"\d{4}-\d\d-\d\d", "dates"),
    (r"seed \d+", "the seed"),
    (r"quality (?:\d+ \([+−±]?\d+\)(?:, )?)+", "a deterministic score and its change: the same text, the same number"),
    (r"[\d.]+\u00a0USD|\$[\d.]+", "money that was paid or is asked for"),
    (r"[\d.]+\u00a0(?:M|k)[\u00a0 ]tokens", "tokens that were used"),
    (r"\d+\u00a0min", "time that it took"),
    (r"\d+ of \d+ (?:runs|that do not)|\d+ of \d+", "counted out of a number that is there"),
    (r"\d+ (?:cases?|runs?|skills?|neighbours?|agents|others?|more runs|finding|changed skill)\b", "counts"),
    (r"\d+ × \d+|all \d+ finished|these \d+,", "the design: cases × runs"),
    (r"looks? [\d, and]+(?: of \d+)?", "planned looks"),
    (r"95\u00a0% intervals?|0\u00a0to\u00a0100|points of 100", "the scale and the level"),
    (r"\.\d+ (?:/ \d+ changed skills )?each way", "the error that was allowed"),
    (r"two votes agree on \d+\u00a0% of \d+ items", "a share of counted items, with their number"),
    (r"after an early stop at look \d of \d", "the look that decided"),
    (r"\(at most \.\d+ decides\)", "what p is held against"),
    (r"\(\d+ more do not count\)|\d+ further runs? past", "runs that are counted and do not count"),
    (r"95\u00a0% interval over \d+ cases: between", "what the ends of the interval rest on"),
    (r"\d+ of \d+ of the base version", "counted out of a number that is there"),
    (r"shrinks lifts by about \d+\u00a0% or more", "an estimate that is called a lower bound"),
    (r"^\d+\. ", "list numbers"),
    (r"steps? \d+", "steps of a trace"),
    (r"5\u00a0% error|differ by 5 points or more", "definitions"),
    (r"the provider answered \d+", "what a provider said"),
    (r"\d+ or more would let it speak|\d also speak", "cases that are needed"),
    (r"[\d.]+ such cases are expected by chance", "an expectation under no difference"),
    (r"at most a fifth|budget\.usd: \d+", "rules"),
    (r"no difference over \d+ points|within \d+ points either way", "the margin of the policy"),
    (r"−?[\d.]+ and −?[\d.]+ points", "both ends of the worst-case bounds"),
    (r"rules out a drop of more than [\d.]+ points?", "itself the end of a 95 % bound"),
    (r"could have shown is about \*\*[\d.]+ points?\*\*", "what the design sees, not an estimate"),
    (r"shows [\d.]+ points or more|To see [\d.]+ points", "what a plan would see"),
    (r"[\d.]+ skill|\(\d of \d+\)|\(\d+\)", "counts of findings"),
    (r"p[\u00a0 ]*[=<][\u00a0 ]*\.?\d+", "p stands beside its difference"),
]


def left(text: str) -> str:
    """What stays when everything that is named above and every estimate with its interval is taken out."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(rf"\*{{0,2}}[+−-]?[\d.]+(?: points)?\*{{0,2}}(?:\u00a0%)?[\u00a0 ]{INTERVAL}", "", text)
    text = re.sub(rf"\*\*[+−]?[\d.]+ points?\*\* against (?:`[^`]+`|no skill), 95\u00a0% interval {INTERVAL}", "", text)
    for pattern, _ in NAMED:
        text = re.sub(pattern, "", text, flags=re.MULTILINE)
    return text


def rows(text: str) -> Iterator[list[str]]:
    for line in text.split("\n"):
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("format_", ["markdown", "summary"])
def test_every_number_of_the_comment(run: str, format_: str, texts: dict[str, dict[str, str]]) -> None:
    text = texts[run][format_]
    prose = "\n".join(line for line in text.split("\n") if not line.startswith(("|", "<", "uvx", "#")))
    assert re.findall(r"[^\n]{0,60}\d[^\n]{0,30}", left(prose)) == []
    head: list[str] = []
    for row in rows(text):
        if not re.search(r"\d", " ".join(row)):
            head = row
            continue
        if "Outcome (0" in " ".join(row):
            head = row
            continue
        assert_row(head, row, text)


def assert_row(head: list[str], row: list[str], text: str) -> None:
    """Levels of a case or metric are means whose runs the note below counts; every difference has its interval."""
    if head and "Outcome" in head[1]:
        assert re.search(INTERVAL, row[1]) or row[1] == "not scored", row
        assert re.search(r"paired: (?:tokens|no ratio of tokens, USD, time \(\w)", text), "amounts without their ratios"
    elif head[0] == "Case":
        assert re.search(r"Means of \d+ runs?", text), row
        assert "too small for an interval" in text or "why the interval is wide" in text
    elif head[0] == "Metric":
        last = row[-1].replace("*", "")
        assert re.search(INTERVAL, last) or last.startswith(("no interval: ", "0 (no finding in ")), row
        assert re.search(r"Levels are means of \d+ runs in each of \d+ cases", text)
    elif head[0] == "Skill":
        assert all(re.search(INTERVAL, cell) or cell in ("–", "") for cell in (row[2], row[4])), row
    else:
        raise AssertionError(f"a table that nobody checks: {head} {row}")


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_the_log(run: str, texts: dict[str, dict[str, str]]) -> None:
    lines = texts[run]["text"].split("\n")
    assert any(line.startswith("result:") for line in lines)
    for line in lines:
        if line.startswith("result:"):
            assert re.search(r"\d+ cases x \d+ runs an arm", line), line
            found = re.findall(r"([+-]?\d[\d.]*) \[[+-]?[\d.]+, [+-]?[\d.]+\]", line)
            assert len(found) == line.count("against main") + line.count("against no skill"), line
        elif re.match(r"  (?:no skill|main|this)\s", line):
            assert re.search(r"\d \[[\d.]+, [\d.]+\]", line), line


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_the_test_tab(run: str, texts: dict[str, dict[str, str]]) -> None:
    root = ElementTree.fromstring(texts[run]["junit"])
    said = [case.findtext("system-out") or "" for case in root.iter("testcase") if case.get("name") == "live"]
    assert said
    for text in said:
        assert re.search(r"\d+ cases x \d+ runs an arm", text)
        for clause in text.split("; "):
            if "against" in clause and re.match(r"[+-]?\d", clause):
                assert re.match(r"[+-]?[\d.]+ \[[+-]?[\d.]+, [+-]?[\d.]+\]", clause), clause


def estimates(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if {"point", "low", "high"} <= set(value):
            yield path, value
        for name, item in value.items():
            yield from estimates(item, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from estimates(item, path)


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_the_json(run: str, texts: dict[str, dict[str, str]]) -> None:
    for skill in json.loads(texts[run]["json"])["skills"]:
        live = skill["live"]
        found = list(estimates(live))
        for path, item in found:
            assert item["low"] <= item["point"] <= item["high"] and item["low"] < item["high"], path
            assert item["n"] >= 1 and item["method"] and item["level"] in (0.9, 0.95), path
        for name in ("change", "lift"):
            lift = live[name]
            assert lift is None or lift["estimate"] or lift["because"], name
        for row in live["metrics"]:
            for name in ("change", "lift"):
                lift = row[name]
                assert lift is None or (lift["pairs"] and lift["estimate"]) or lift["because"], row["metric"]
        assert all(row["runs"] for row in live["cases"])
        assert all(row["estimate"] or row["because"] for row in live["ratios"])
        assert all((row["some"] and row["every"]) or row["because"] for row in live["passes"])
        assert live["population"] or live["population_because"] or live["word"] == "no_verdict"
        assert live["attempts"] and live["planned"]


def cells(html: str) -> Iterator[tuple[list[str], list[list[str]], str]]:
    """Head, rows and what follows each table."""
    for found in re.finditer(r"<table>(.*?)</table>(?=(.{0,400}))", html, flags=re.DOTALL):
        plain = [
            [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)]
            for row in re.findall(r"<tr[^>]*>(.*?)</tr>", found[1], re.DOTALL)
        ]
        yield plain[0], plain[1:], found[2]


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_the_page(run: str, texts: dict[str, dict[str, str]]) -> None:
    html = texts[run]["html"]
    seen = set()
    for head, body, after in cells(html):
        seen.add(head[0])
        for row in body:
            named = dict(zip(head, row, strict=True))
            if "Points" in named:
                assert re.fullmatch(INTERVAL, named["95 % interval"]) and "case" in named["Rests on"]
            elif head[0] == "Arm" and "Outcome, 0 to 100" in named:
                assert re.search(INTERVAL, named["Outcome, 0 to 100"]) and int(named["Trials"])
            elif head[0] == "Case":
                assert int(named["Runs"]) and "too small for an interval" in after
            elif head[0] == "Metric":
                for name in ("Against main", "Against no skill"):
                    said = named[name]
                    good = re.search(rf"{INTERVAL}, \d+ cases?$", said) or said == "that arm did not run"
                    assert good or said.startswith("no interval: "), row
                assert "Levels are means over" in after
            elif head[0] == "Arm":
                for name in head[2:4]:
                    assert re.search(INTERVAL, named[name]) or named[name].startswith("no interval: "), row
            elif head[0] == "Amount":
                last = row[-1]
                assert re.search(rf"{INTERVAL}, \d+ cases?$", last) or last.startswith("no interval: "), row
    assert {"Case", "Metric", "Amount", "Arm"} <= seen


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_the_metrics_file(run: str, texts: dict[str, dict[str, str]]) -> None:
    lines = texts[run]["metrics"].split("\n")
    points = [line for line in lines if 'part="point"' in line]
    estimated = list(estimates(json.loads(texts[run]["json"])["skills"]))
    assert bool(points) is any(path.endswith((".change.estimate", ".lift.estimate")) for path, _ in estimated)
    for line in points:
        for other in ("low", "high"):
            assert any(row.startswith(line.split(",part=")[0] + f',part="{other}"') for row in lines), line
        labels = line.split("{")[1].split(",part=")[0]
        assert any(row.startswith(f"aces_lift_cases{{{labels}}}") for row in lines), line


@pytest.mark.parametrize("run", RUNS)
def test_every_number_of_an_annotation(run: str) -> None:
    notes = list(live_notes(report_of(RUNS[run]())))
    assert bool(notes) is (run not in {"improved", "no_difference", "new_skill", "lost_few"}), "nothing to see to"
    for note in notes:
        assert re.search(r"\d+ cases x \d+ runs", note.message), note
        points = re.search(r"\(([+-]\d+) points\)", note.title)
        if points or " of 100" in note.message:
            assert re.search(r"95 % interval [+-]?[\d.]+ to [+-]?[\d.]+,", note.message), note


def test_the_page_shows_the_two_traces_of_a_cause_side_by_side(texts: dict[str, dict[str, str]]) -> None:
    html = texts["regressed"]["html"]
    (row,) = re.findall(r"<tr><td[^>]*><pre>(.*?)</pre></td><td[^>]*><pre>(.*?)</pre></td></tr>", html, flags=re.DOTALL)
    assert "export.py 2026-10" in row[0] and "--fast" not in row[0] and "export.py --fast 2026-10" in row[1]
    assert "<th>skill on the base, split-invoice</th><th>this change, split-invoice</th>" in html
    assert "Try taking it out" in html and "SKILL.md:4 (head)" in html


def test_the_walk_notices_a_bare_number() -> None:
    assert re.search(r"\d", left("The outcome went up by 12 points."))
    assert re.search(r"\d", left("against no skill +48"))
    assert not re.search(r"\d", left("against no skill +48\u00a0[+32,\u00a0+65]"))
