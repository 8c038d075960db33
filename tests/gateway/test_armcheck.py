"""The arm check looks at what the model was shown, not at what anyone says."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from aces_ci.core.spending.control import Expectation
from aces_ci.core.spending.exchange import ArmCheck, Protocol
from aces_ci.core.trial import Arm
from aces_ci.gateway.armcheck import ArmWatch
from tests.gateway.rig import BODIES, ORDER, PATHS, TOKEN, rig

DESCRIPTION = "Builds a Quartz ledger report from a CSV file. Use for ledger totals."
PROMISES = {
    Arm.BASELINE: Expectation(
        absent=(DESCRIPTION[:40], "Run scripts/quartz.py with the ledger"), unlisted=("quartz-report",)
    ),
    Arm.WITH_SKILL: Expectation(listed=(DESCRIPTION[:40],)),
}
BODY = "# Quartz\n\nRun scripts/quartz.py with the ledger and report the last line it prints.\nNever round.\n"
LISTING = f"Skills:\n- quartz-report: {DESCRIPTION}\n"
PROMPT = "Report on ledger.csv."


def _said(protocol: Protocol, *turns: tuple[str, str], system: str = "") -> dict[str, Any]:
    """A request with these (role, text) turns and system text."""
    rows: list[dict[str, Any]] = [{"role": role, "content": text} for role, text in turns]
    if protocol is Protocol.MESSAGES:
        return {"system": [{"type": "text", "text": system}], "messages": rows}
    if protocol is Protocol.RESPONSES:
        parts = [{**row, "content": [{"type": "input_text", "text": row["content"]}]} for row in rows]
        return {"instructions": system, "input": parts}
    return {"messages": [{"role": "system", "content": system}, *rows]}


def _check(arm: Arm, protocol: Protocol, *requests: dict[str, Any]) -> ArmCheck:
    watch = ArmWatch(PROMISES[arm])
    for number, request in enumerate(requests, start=1):
        watch.look(protocol, request, number)
    return watch.verdict()


@pytest.mark.parametrize("protocol", list(Protocol))
class TestEveryProtocol:
    def test_a_baseline_without_the_skill_is_fair(self, protocol: Protocol) -> None:
        check = _check(Arm.BASELINE, protocol, _said(protocol, ("user", PROMPT), system="be brief"))
        assert check == ArmCheck(fair=True)

    def test_a_listing_in_a_baseline_is_not(self, protocol: Protocol) -> None:
        for request in (
            _said(protocol, ("user", PROMPT), system=LISTING),
            _said(protocol, ("user", LISTING + PROMPT)),
            _said(protocol, ("user", PROMPT), ("assistant", "ok"), ("user", BODY)),
            _said(protocol, ("user", LISTING.replace(" ", "\n  ")), ("user", PROMPT)),
        ):
            check = _check(Arm.BASELINE, protocol, _said(protocol, ("user", PROMPT)), request)
            assert check.fair is False and check.target_seen
            assert check.because == "request 2 shows the target skill to the model"

    def test_a_name_that_the_model_guessed_is_no_contamination(self, protocol: Protocol) -> None:
        request = _said(
            protocol,
            ("user", PROMPT),
            ("assistant", f"I would use quartz-report: {DESCRIPTION}"),
            ("user", "quartz-report: no such file"),
        )
        assert _check(Arm.BASELINE, protocol, request).fair is True

    def test_with_skill_needs_the_listing_before_the_model_speaks(self, protocol: Protocol) -> None:
        listed = _said(protocol, ("user", PROMPT), system=LISTING)
        without = _said(protocol, ("user", PROMPT))
        late = _said(protocol, ("user", PROMPT), ("assistant", "ok"), ("user", LISTING))
        assert _check(Arm.WITH_SKILL, protocol, without, listed).fair is True
        for requests in ((without,), (without, late)):
            check = _check(Arm.WITH_SKILL, protocol, *requests)
            assert check.fair is False
            assert check.because == "no request listed the target skill to the model"

    def test_nothing_asked_or_nothing_promised_cannot_be_told(self, protocol: Protocol) -> None:
        assert _check(Arm.BASELINE, protocol).fair is None
        watch = ArmWatch(Expectation())
        watch.look(protocol, _said(protocol, ("user", PROMPT)), 1)
        assert watch.verdict().fair is None


def test_a_listing_in_a_tool_description_counts() -> None:
    watch = ArmWatch(PROMISES[Arm.BASELINE])
    tool = {"name": "skill", "description": LISTING, "input_schema": {}}
    watch.look(Protocol.MESSAGES, {"messages": [], "tools": [tool]}, 1)
    assert watch.verdict().fair is False


@pytest.mark.parametrize("protocol", list(Protocol))
def test_through_the_gateway_only_forwarded_requests_count(protocol: Protocol) -> None:
    async def scenario() -> None:
        order = replace(ORDER, expectation=Expectation(absent=("secret listing",)))
        async with rig(order=order) as it:
            bad = {**BODIES[protocol], "unknown": "secret listing"}
            await it.post(protocol, bad)
            assert (await it.gateway.disarm("s0")).arm.fair is None
            it.gateway.arm(order)
            key = "input" if protocol is Protocol.RESPONSES else "messages"
            turns = [{"role": "user", "content": "the secret\nlisting"}]
            url, headers = it.url + PATHS[protocol], {"x-api-key": TOKEN}
            async with it.client.post(url, json={**BODIES[protocol], key: turns}, headers=headers) as response:
                assert response.status == 200
            assert (await it.gateway.disarm("s0")).arm.fair is False

    asyncio.run(scenario())
