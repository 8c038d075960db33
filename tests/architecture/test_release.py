"""The released form is the tree with two pins, and refuses anything that is no digest."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
IMAGE = "ghcr.io/aces-ci/aces-ci@sha256:" + "a" * 64
BASE = "python:3.11-slim-bookworm@sha256:" + "b" * 64


@pytest.fixture(scope="module")
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_action_names_the_published_image_by_digest(release: ModuleType) -> None:
    text = release.released_action((ROOT / "action.yml").read_text("utf-8"), IMAGE)
    assert f"image: docker://{IMAGE}" in text
    assert "image: Dockerfile" not in text


def test_the_dockerfile_names_its_base_by_digest(release: ModuleType) -> None:
    assert f"ARG BASE={BASE}\n" in release.released_dockerfile((ROOT / "Dockerfile").read_text("utf-8"), BASE)


def test_a_tag_is_no_pin(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "tools/release.py", "--image", "ghcr.io/x:v1", "--base", BASE, str(tmp_path / "o")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "sha256" in done.stderr
