"""The pairs of `fixtures/redteam` as exhibits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aces_ci.core.asking.exhibit import Exhibit
from tests.judge.bench import TEXT, an_exhibit

FILE = Path(__file__).resolve().parents[2] / "fixtures/redteam/attacks.jsonl"
ATTACKS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


def staged(attack: dict[str, Any], which: str) -> Exhibit:
    """The plain skill with the hostile text, or with its control, at the attack's place."""
    said, place = attack[which], attack["place"]
    if place == "description":
        return an_exhibit(TEXT.replace("Finds the cause of an outage in logs. Use when a service is down.", said))
    if "/" in place:
        return an_exhibit(TEXT, **{place.replace("/", "__").replace(".", "_"): said})
    if place == "end":
        return an_exhibit(f"{TEXT}\n{said}\n")
    return an_exhibit(TEXT.replace("# Log triage\n", f"# Log triage\n\n{said}\n"))
