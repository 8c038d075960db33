"""How long a question may take is the user's to say: a model that runs on a CPU answers in minutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from aces_ci import compose
from aces_ci.core.event import Trust
from aces_ci.judging import Bench
from aces_ci.ports.provider import Provider, ProviderOptions
from aces_ci.settings.load import load
from aces_ci.shell.files import Folder


@dataclass
class Opened:
    """The real provider of OpenAI, which tells with what it was opened."""

    seen: list[ProviderOptions] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(next(item for item in compose.providers() if item.name == "openai"), name)

    def open(self, options: ProviderOptions) -> Provider:
        self.seen.append(options)
        return cast(Any, self).__getattr__("open")(options)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("said", "limit", "silence"), [((), 300, 120), (("judge.seconds=1200",), 1200, 480)])
def test_the_settings_say_how_long_a_question_may_take(
    tmp_path: Path, said: tuple[str, ...], limit: float, silence: float
) -> None:
    factory = Opened()
    bench = Bench(
        factories=cast(Any, (factory,)),
        rubrics=(),
        env={"OPENAI_API_KEY": "sk-canary-0123456789"},
        folder=Folder(tmp_path, Path("out")),
    )
    asker = bench.asker(load(overrides=("judge.model=gpt-5.4", *said)).settings, Trust.OWN)
    cast(Any, asker).close()
    assert cast(Any, asker).patience == pytest.approx(1.1 * limit), (
        "nobody gives up on money while it may still come back"
    )
    assert [(options.limit, options.timeout) for options in factory.seen] == [(limit, silence)]
