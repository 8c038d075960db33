"""A text that only begins like a patch changes no file."""

from __future__ import annotations

import pytest

from aces_ci.core.scripts.files.patch import touches


@pytest.mark.parametrize("text", ["*** Begin Patch\n*** End Patch\n", "*** Begin Patch", "a\n+++ b\n", ""])
def test_a_patch_without_a_file_touches_none(text: str) -> None:
    assert touches(text) == ()
