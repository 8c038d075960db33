"""An image that is only looked for is never built, and what goes into it decides its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest, Program
from aces_ci.sandboxes._docker.engine import Missing
from aces_ci.sandboxes._docker.images import DEFAULT_BASE, ensure, gateway
from aces_ci.workers.ragas.client import WORKER


class Engine:
    """Knows images by tag; a build makes one."""

    def __init__(self) -> None:
        self.images: dict[str, dict[str, object]] = {}
        self.contexts: list[bytes] = []
        self.networks: list[tuple[str, str | None, str | None]] = []

    def image(self, tag: str) -> dict[str, object]:
        if tag not in self.images:
            raise Missing(tag)
        return self.images[tag]

    def build(self, context: bytes, *, tag: str, arguments: dict[str, str], network: str | None) -> Any:
        self.contexts.append(context)
        self.networks.append((tag.partition(":")[0], network, arguments.get("BASE")))
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


def test_nothing_of_an_author_is_ever_built_with_a_network() -> None:
    engine = Engine()
    own = StagedFile(path="Dockerfile", data=f"FROM {DEFAULT_BASE}\nRUN true\n".encode())
    asked = ImageRequest(recipe="builtin", environment=(own,))
    with pytest.raises(UsageError, match="is not here"):
        ensure(cast(Any, engine), replace(asked, build=False))
    assert engine.contexts == []
    built = ensure(cast(Any, engine), asked)
    harness, environment, sealed = engine.networks
    assert harness == ("aces-ci/builtin", None, DEFAULT_BASE)
    assert environment == ("aces-ci/environment", "none", None)
    assert sealed[:2] == ("aces-ci/builtin-environment", "none")
    assert sealed[2] is not None and sealed[2].startswith("aces-ci/environment:")
    assert b"FROM aces-ci/builtin:" in engine.contexts[1] and DEFAULT_BASE.encode() not in engine.contexts[1]
    assert ensure(cast(Any, engine), replace(asked, build=False)) == built
    assert ensure(cast(Any, engine), ImageRequest(recipe="builtin")) != built


def test_a_gateway_that_was_found_before_is_not_asked_for_again() -> None:
    engine, program = Engine(), Program(image="ours:1", command=())
    engine.images["ours:1"] = {"Id": "sha256:ours"}
    found = gateway(cast(Any, engine), program)
    assert found == "sha256:ours"
    engine.images.clear()
    assert gateway(cast(Any, engine), replace(program, digest=found)) == found
