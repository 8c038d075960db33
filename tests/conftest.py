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


@pytest.fixture(autouse=True)
def _no_daemon(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The default suite sees no Docker on any machine, so that it passes or fails alike on all of them."""
    if request.node.get_closest_marker("e2e") is None:
        monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
