"""The keys of a case in the JSON datasets that share one shape: what a reader of it understands."""

from __future__ import annotations

CASE_KEYS = frozenset(
    {
        "id", "prompt", "question", "expected_output", "ground_truth", "assertions", "expectations",
        "expected_behavior", "expected_skill", "expected_script", "acceptable_skills", "acceptable_alternates",
        "should_trigger", "files", "bucket", "generated", "must_not",
    }
)  # fmt: skip
