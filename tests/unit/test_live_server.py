"""One server of one's own: for agents and judge, unless a setting gives the judge another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from aces_ci.jobs.live_order import Wanted, settings_of

AGENTS, JUDGES = "http://127.0.0.1:9001", "http://127.0.0.1:9002"


@pytest.mark.parametrize(
    ("overrides", "judge"), [((), AGENTS), ((f"judge.base_url={JUDGES}",), JUDGES)], ids=["one server", "two servers"]
)
def test_a_setting_for_the_judge_outranks_the_server_of_all(
    tmp_path: Path, overrides: tuple[str, ...], judge: str
) -> None:
    settings = settings_of(
        Wanted(paths=(Path("skill"),), provider_url=AGENTS, overrides=overrides, repo=tmp_path), env={}
    )
    assert str(settings.judge.base_url).rstrip("/") == judge
