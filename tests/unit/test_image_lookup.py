"""An image that is only looked for is never built, and what goes into it decides its name."""

from __future__ import annotations

from typing import Any, cast

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest
from aces_ci.sandboxes._docker.engine import Missing
from aces_ci.sandboxes._docker.images import ensure
from aces_ci.workers.ragas.client import WORKER


class Engine:
    """Knows images by tag; a build makes one."""

    def __init__(self) -> None:
        self.images: dict[str, dict[str, object]] = {}
        self.contexts: list[bytes] = []

    def image(self, tag: str) -> dict[str, object]:
        if tag not in self.images:
            raise Missing(tag)
        return self.images[tag]

    def build(self, context: bytes, *, tag: str, arguments: dict[str, str], network: str | None) -> Any:
        self.contexts.append(context)
        self.images[tag] = {"Id": f"sha256:{tag}", "Config": {}}
        return iter(())


def request(**changes: Any) -> ImageRequest:
    return ImageRequest(recipe=WORKER.recipe, files=WORKER.context(), **changes)


def test_the_workers_image_is_found_after_it_was_built_and_never_built_unasked() -> None:
    engine = Engine()
    with pytest.raises(UsageError, match="is not here"):
        ensure(cast(Any, engine), request(build=False))
    assert engine.contexts == []
    built = ensure(cast(Any, engine), request())
    assert ensure(cast(Any, engine), request(build=False)) == built
    assert b"ragas==0.4.3" in engine.contexts[0]


def test_other_constraints_are_another_image() -> None:
    engine = Engine()
    first = ensure(cast(Any, engine), request())
    other = ImageRequest(recipe=WORKER.recipe, files=(StagedFile(path="constraints.txt", data=b"ragas==9\n"),))
    assert ensure(cast(Any, engine), other) != first
