"""Every evaluation file of the public corpus and of the hand-made cases loads as it should."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.dialects.suites import files_below, suite_of

# Skill below the corpus, to (dialect, cases) of each of its files, in order. Of two skills the snapshot lacks fixtures
# that it does not list: 4 of 13 and 3 of 18 cases are left out for that, and named.
EXPECTED = {
    "NVIDIA__SkillEvaluator/src/skillevaluator/tier3/reference_skills/api-caller": [("skillevaluator", 5)],
    "NVIDIA__SkillEvaluator/src/skillevaluator/tier3/reference_skills/calculator": [("skillevaluator", 2)],
    "NVIDIA__skills/skills/accelerated-computing-cudf": [("skillevaluator", 9)],
    "NVIDIA__skills/skills/dali-dynamic-mode": [("agentskills", 6)],
    "NVIDIA__skills/skills/data-designer": [("cases", 1)],
    "NVIDIA__skills/skills/dynamo-interconnect-check": [("cases", 6)],
    "NVIDIA__skills/skills/mcore-create-issue": [("skillevaluator", 0)],
    "NVIDIA__skills/skills/nvidia-skill-finder": [("skillevaluator", 17)],
    "NVIDIA__skills/skills/warp-compile-time-optimizer": [("skillevaluator", 15)],
    "getsentry__skills/skills/pr-writer": [("axis-scenario", 1)],
    "getsentry__skills/skills/skill-writer": [("axis-scenario", 1)] * 3,
    "microsoft__waza/examples/code-explainer": [("waza", 4), ("waza-triggers", 16)],
    "openai__skills/skills/.curated/notion-meeting-intelligence": [("openai-evaluations", 1)] * 2,
}


def skill_files(shared: Path, skill: Path) -> dict[str, bytes]:
    """A skill of the corpus, with an empty file for each one that the snapshot lists as left out."""
    root = skill.relative_to(shared / "corpus").as_posix()
    files = files_below(skill)
    with (shared / "corpus/OMITTED_CODE.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            path = f"{row['repo'].replace('/', '__')}/{row['path']}"
            if path.startswith(f"{root}/"):
                files.setdefault(path.removeprefix(f"{root}/"), b"")
    return files


@pytest.mark.parametrize("skill", EXPECTED)
def test_public_suites_load_as_their_dialect_with_all_their_cases(shared: Path, skill: str) -> None:
    suite = suite_of(skill_files(shared, shared / "corpus" / skill), skill.rpartition("/")[2])
    assert [(file.dialect, len(file.reading.cases)) for file in suite.files] == EXPECTED[skill]


def test_the_only_errors_of_the_corpus_are_files_that_are_not_there_an_empty_list_and_a_copied_id(
    shared: Path,
) -> None:
    corpus = shared / "corpus"
    with (corpus / "INDEX.csv").open(encoding="utf-8", newline="") as rows:
        partial = {f"{r['repo'].replace('/', '__')}/{r['path']}" for r in csv.DictReader(rows) if r["complete"] == "no"}
    seen = 0
    for manifest in sorted(corpus.rglob("SKILL.md")):
        files = skill_files(shared, manifest.parent)
        if not any("eval" in path for path in files):
            continue
        for file in suite_of(files, manifest.parent.name).files:
            seen += 1
            for error in file.reading.errors:
                gone = manifest.parent.relative_to(corpus).as_posix() in partial and "does not exist" in error.message
                assert gone or error.message.startswith(("holds no case", "id `")), (manifest, error)
    assert seen >= 40


SYNTHETIC = {
    "e01-spec": ("agentskills", 1, None),
    "e02-expectations": ("skill-creator", 1, None),
    "e03-nvidia-list": ("skillevaluator", 2, None),
    "e06-empty-list": ("skillevaluator", 0, "holds no case"),
    "e08-trailing-comma": (None, 0, "not JSON"),
    "e10-mixed-ids": ("agentskills", 2, None),
    "e12-files-root-relative": ("agentskills", 1, None),
    "e14-files-traversal": ("agentskills", 0, "leaves the skill"),
    "e16-no-assertions": ("agentskills", 1, None),
    "e18-answer-leak": ("agentskills", 1, None),
}


@pytest.mark.parametrize("case", SYNTHETIC)
def test_hand_made_suites_load_as_their_manifest_says(shared: Path, case: str) -> None:
    dialect, count, error = SYNTHETIC[case]
    (file,) = suite_of(files_below(shared / "cases/synthetic" / case / "skills/log-summary"), "log-summary").files
    assert (file.dialect, len(file.reading.cases)) == (dialect, count)
    assert [error in found.message for found in file.reading.errors if error] == ([True] if error else [])
    assert all(found.line for found in file.reading.errors)


def test_every_hand_made_suite_is_in_the_table(shared: Path) -> None:
    assert {path.name for path in (shared / "cases/synthetic").glob("e*")} == set(SYNTHETIC)


def test_paths_of_the_specification_begin_at_the_skill(shared: Path) -> None:
    root = shared / "cases/synthetic/e12-files-root-relative/skills/log-summary"
    (case,) = suite_of(files_below(root), "log-summary").cases
    assert [file.source for file in case.files] == ["evals/files/app.log"]


def test_the_second_case_of_the_list_is_negative(shared: Path) -> None:
    root = shared / "cases/synthetic/e03-nvidia-list/skills/log-summary"
    assert [case.trigger for case in suite_of(files_below(root), "log-summary").cases] == [True, False]
