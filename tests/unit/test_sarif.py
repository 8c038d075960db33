"""SARIF as the standard has it, inside what GitHub accepts; what a viewer would turn into a link stays text."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from fluidattacks_core.sarif import SarifLog

from aces_ci import compose
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.formats.code_quality import code_quality
from aces_ci.core.formats.sarif import MAX_RESULTS, sarif
from aces_ci.core.reading.further_codes import FURTHER
from aces_ci.core.repo_path import text_of


def test_links_in_a_message_are_escaped() -> None:
    finding = Finding(
        skill="skills/a",
        code="SP004",
        severity=Severity.ERROR,
        category=Category.SPEC,
        path="skills/a/SKILL.md",
        line=2,
        title="name differs from the directory",
        message="The skill calls itself [free money](https://evil.example).",
        hint="name: a",
    )
    document: Any = sarif([finding], [], "0.4.0")
    text = document["runs"][0]["results"][0]["message"]["text"]
    assert text.startswith("The skill calls itself \\[free money\\](https://evil.example).")


def test_more_than_the_forge_shows_are_cut_worst_first_and_stay_far_below_its_size() -> None:
    mild = Finding(
        skill="skills/a",
        code="RE007",
        severity=Severity.INFO,
        category=Category.QUALITY,
        path="skills/a/SKILL.md",
        line=1,
        title="no word on failure",
        message="m" * 3_000,
        hint="add one",
    )
    many = [replace(mild, line=line, fingerprint=f"{line:016x}") for line in range(1, MAX_RESULTS + 31)]
    worst = replace(mild, code="SE004", severity=Severity.CRITICAL, category=Category.SECURITY, line=9)
    document: Any = sarif([*many, worst], [], "0.4.0")
    (run,) = document["runs"]
    assert len(run["results"]) == MAX_RESULTS and run["results"][0]["ruleId"] == "SE004"
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "31 more findings" in notice["message"]["text"]
    assert len({result["partialFingerprints"]["acesCi/v1"] for result in run["results"]}) == MAX_RESULTS
    assert len(gzip.compress(json.dumps(document, indent=1).encode())) < 10_000_000


MILD = Finding(
    skill="skills/a",
    code="RE007",
    severity=Severity.INFO,
    category=Category.QUALITY,
    path="skills/a/SKILL.md",
    line=1,
    title="no word on failure",
    message="m",
    hint="add one",
)


def one(finding: Finding) -> Any:
    document: Any = sarif([finding], compose.rules(), "0.4.0")
    SarifLog.model_validate_json(json.dumps(document))
    (result,) = document["runs"][0]["results"]
    return result


def test_a_document_of_every_code_is_valid_and_describes_each() -> None:
    """The typed models are made from the OASIS schema and forbid what it does not know."""
    codes = [*(rule.code for rule in compose.rules()), *FURTHER]
    findings = [replace(MILD, code=code, line=line) for line, code in enumerate(codes, start=1)]
    document: Any = sarif(findings, compose.rules(), "0.4.0")
    SarifLog.model_validate_json(json.dumps(document))
    (run,) = document["runs"]
    described = run["tool"]["driver"]["rules"]
    assert len(described) == len(codes) and all(rule["help"]["text"] for rule in described)
    assert all(described[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert all(len(rule["properties"]["tags"]) <= 10 for rule in described)


@pytest.mark.parametrize("break_it", [{"line": 0}, {"column": -1}])
def test_the_models_refuse_what_the_schema_does(break_it: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        one(replace(MILD, **break_it))


@pytest.mark.parametrize(
    ("place", "region"),
    [
        ({}, {"startLine": 1, "startColumn": 1, "endLine": 1}),
        ({"line": 7, "end_line": 3}, {"startLine": 7, "startColumn": 1, "endLine": 7}),
        ({"line": 2, "column": 5}, {"startLine": 2, "startColumn": 5, "endLine": 2}),
        (
            {"line": 2, "column": 5, "end_column": 5},
            {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 6},
        ),
        (
            {"line": 2, "column": 9, "end_line": 4, "end_column": 3},
            {"startLine": 2, "startColumn": 9, "endLine": 4, "endColumn": 3},
        ),
    ],
)
def test_a_region_has_what_github_asks_for_and_never_ends_before_it_begins(
    place: dict[str, Any], region: dict[str, int]
) -> None:
    assert one(replace(MILD, **place))["locations"][0]["physicalLocation"]["region"] == region


@pytest.mark.parametrize(
    "raw", [b"skills/a%20b/SKILL.md", b"skills/a b/#1?.md", b"s/\xff\n.md", "s/ü/[x]&y:z.md".encode(), b"s/%0A/100%.md"]
)
def test_an_address_leads_to_the_file_of_those_bytes(raw: bytes) -> None:
    uri = one(replace(MILD, path=text_of(raw)))["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == raw and uri.isascii() and ":" not in uri


def test_the_worst_stay_although_they_are_old() -> None:
    old = replace(MILD, code="SE004", severity=Severity.CRITICAL, category=Category.SECURITY, new=False)
    many = [replace(MILD, line=line, new=True) for line in range(1, MAX_RESULTS + 1)]
    document: Any = sarif([*many, old], [], "0.4.0")
    assert document["runs"][0]["results"][0]["ruleId"] == "SE004"


def test_text_that_cannot_be_compressed_stays_inside_ten_megabytes() -> None:
    """Random ideographs beyond the first plane: twelve bytes each as JSON writes them, and nothing repeats."""
    seed = random.Random(7)
    text = "".join(map(chr, seed.choices(range(0x20000, 0x2A6D0), k=400_000)))
    many = [
        replace(MILD, line=line, message=text[79 * line : 79 * line + 990], fingerprint=f"{line:016x}")
        for line in range(1, MAX_RESULTS + 1)
    ]
    document: Any = sarif(many, [], "0.4.0")
    kept = len(document["runs"][0]["results"])
    assert 2_000 < kept < MAX_RESULTS
    (notice,) = document["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert f"{MAX_RESULTS - kept} more findings" in notice["message"]["text"]
    sample = json.dumps(document["runs"][0]["results"][:200], indent=1).encode()
    assert len(gzip.compress(sample)) / 200 * kept < 10_000_000


def test_a_finding_without_an_identity_is_what_it_says_and_no_two_are_one() -> None:
    """Those on evals bring none; their line moves with every case above them."""
    lost = replace(MILD, code="EV900", category=Category.EVALS, message="Case `a` is gone.", line=3)
    then = code_quality([lost, replace(lost, message="Case `b` is gone."), lost])
    now = code_quality([replace(each, line=9) for each in (lost, replace(lost, message="Case `b` is gone."), lost)])
    marks = [entry["fingerprint"] for entry in then]
    assert len(set(marks)) == 3 and marks == [entry["fingerprint"] for entry in now]
