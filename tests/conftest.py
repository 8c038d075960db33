"""Fixtures that every suite may use."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The read-only data that lies beside the checkout: corpus, cases, transcripts, tools."""
    path = ROOT.parent / "shared"
    assert path.is_dir(), f"{path} is missing: the corpus and the real cases live beside the checkout"
    return path
