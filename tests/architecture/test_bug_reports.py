"""What other teams ran into with git, comments, annotations and forks: each report has its tests, by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "../shared/cases/bug_reports.md"
SECTIONS = ("Git and CI events", "Reporting")
TESTED: dict[str, tuple[str, ...]] = {
    "B14": (
        "changes/test_repository.py::test_a_shallow_clone_is_deepened_until_the_merge_base_is_certain",
        "changes/test_repository.py::test_deepening_stops_at_the_first_step_that_settles_it",
        "changes/test_repository.py::test_an_unreachable_remote_is_one_error_that_names_the_setting",
        "changes/test_repository.py::test_a_merge_of_the_change_request_finds_both_sides",
    ),
    "B15": ("changes/test_repository.py::test_a_complete_clone_stays_complete_and_is_not_fetched_into",),
    "B16": (
        "changes/test_real_cases.py::test_the_changed_skills_of_a_real_change",
        "changes/test_real_cases.py::test_the_cases_are_all_there",
    ),
    "B19": (
        "changes/test_hostile_repository.py::"
        "test_a_checkout_of_another_user_is_read_without_touching_anyones_configuration",
    ),
    "B21": (
        "contracts/test_forge.py::test_a_comment_past_page_one_is_found",
        "contracts/test_forge_fakes.py::test_pygithub_walks_the_same_pages",
        "contracts/test_forge_fakes.py::test_python_gitlab_walks_the_same_pages",
    ),
    "B22": (
        "contracts/test_forge.py::test_marker_planted_by_another_author_is_ignored",
        "contracts/test_forge.py::test_our_own_comment_that_only_quotes_the_marker_is_ignored",
        "contracts/test_forge.py::test_a_comment_that_can_no_longer_be_edited_is_followed_by_a_new_one",
        "forges/test_github_runner.py::test_without_graphql_nothing_is_guessed_and_nothing_is_doubled",
    ),
    "B24": (
        "forges/test_reports_on_both.py::test_a_hundred_and_twenty_broken_skills_fit_into_one_comment",
        "forges/test_reports_on_both.py::test_a_forge_that_finds_even_that_too_long_gets_less_and_still_the_verdict",
        "contracts/test_forge.py::test_too_long_is_written_smaller_once",
    ),
    "B25": (
        "contracts/test_forge.py::test_lacking_rights_is_a_notice_and_nothing_raises",
        "forges/test_github_runner.py::test_a_read_only_token_leaves_summary_outputs_and_annotations",
        "forges/test_fork_posting.py::test_an_honest_report_becomes_one_comment_that_says_whose_word_it_is",
        "e2e/test_act_github.py::test_a_fork_s_job_may_not_write_and_the_trusted_job_posts_for_it",
    ),
    "B28": (
        "forges/test_github_runner.py::test_the_check_run_takes_all_annotations_in_chunks_of_fifty",
        "forges/test_github_runner.py::test_ten_annotations_of_each_level_and_the_last_says_how_many_are_left",
        "forges/test_github_runner.py::test_the_worst_comes_first_among_those_that_are_shown",
        "contracts/test_forge.py::test_annotations_reach_the_log_in_one_line_each",
    ),
}


def test_every_report_of_these_sections_is_here() -> None:
    text = REPORTS.read_text("utf-8")
    found: set[str] = set()
    for part in re.split(r"(?m)^## ", text):
        if part.partition("\n")[0] in SECTIONS:
            found |= set(re.findall(r"(?m)^### (B\d+) ", part))
    assert found == set(TESTED)


@pytest.mark.parametrize("place", sorted({place for places in TESTED.values() for place in places}))
def test_the_named_test_is_there(place: str) -> None:
    file, _, name = place.partition("::")
    assert re.search(rf"(?m)^(?:    )?def {name}\(", (ROOT / "tests" / file).read_text("utf-8"))
