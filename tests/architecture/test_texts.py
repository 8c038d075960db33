"""Texts that stand in two places are tied here."""

from __future__ import annotations

from pathlib import Path

import yaml

from aces_ci.renderers.dotenv import outputs
from aces_ci.settings.inputs import INPUTS
from aces_ci.settings.load import leaves
from tests.builders import a_changed_skill, a_run

ROOT = Path(__file__).resolve().parents[2]


def test_the_action_offers_exactly_the_inputs_of_the_table() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    offered = {name: (row["default"], row["description"]) for name, row in action["inputs"].items()}
    assert offered == {item.name: (item.default, item.help) for item in INPUTS}


def test_the_action_offers_exactly_the_outputs_that_a_run_writes() -> None:
    from aces_ci.tiers.assemble import assemble

    report = assemble([a_run(), a_changed_skill()])
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    assert set(action["outputs"]) == set(outputs(report))


def test_every_input_that_is_a_setting_names_one() -> None:
    known = {".".join(path) for path, _ in leaves()}
    assert {item.setting for item in INPUTS if item.setting} <= known


def test_every_setting_says_what_it_does() -> None:
    assert [".".join(path) for path, info in leaves() if not info.description] == []
