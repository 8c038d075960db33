"""Rule 6 as a table: each reason alone refuses, in one sentence of its own."""

from __future__ import annotations

import dataclasses

import pytest

from aces_ci.core.approval import Approval, Ask, Consent, Refusal, Standing, Via, decide, still_holds
from aces_ci.core.slash import Command, Purpose, is_command, read_command

HEAD, OTHER = "3fa9c1e2d4b5a69788796a5b4c3d2e1f00112233", "4fa9c1e2d4b5a69788796a5b4c3d2e1f00112233"
BEFORE, AT, AFTER = "2026-11-29T12:00:00Z", "2026-11-29T12:00:05Z", "2026-11-29T12:00:09Z"
COMMAND = Ask(purpose=Purpose.LIVE, via=Via.COMMAND, actor="ana", person=True, at=AT, sha=HEAD, base_ref="main")
LABEL = dataclasses.replace(COMMAND, via=Via.LABEL)
NOW = Standing(
    head_sha=HEAD,
    base_ref="main",
    open=True,
    draft=False,
    permission="write",
    own=False,
    structure_at=BEFORE,
    voided_at=BEFORE,
)
REFUSED: list[tuple[str, Ask, dict[str, object], dict[str, object]]] = [
    ("rerun", COMMAND, {"attempt": 2}, {}),
    ("used", COMMAND, {"used": True}, {}),
    ("closed", COMMAND, {}, {"open": False}),
    ("draft", COMMAND, {}, {"draft": True}),
    ("bot", LABEL, {"person": False}, {}),
    ("permission", COMMAND, {}, {"permission": "triage"}),
    ("permission", COMMAND, {}, {"permission": "read"}),
    ("permission", COMMAND, {}, {"permission": ""}),
    ("edited", COMMAND, {"edited": True}, {}),
    ("no_sha", COMMAND, {"sha": None}, {}),
    ("moved", COMMAND, {"sha": OTHER}, {}),
    ("moved", LABEL, {}, {"head_sha": OTHER}),
    ("retargeted", COMMAND, {}, {"base_ref": "lax"}),
    ("ambiguous", COMMAND, {}, {"same_head": 2}),
    ("ambiguous", COMMAND, {}, {"same_head": 0}),
    ("label_gone", LABEL, {}, {"label": False}),
    ("unseen", LABEL, {}, {"structure_at": None}),
    ("too_early", LABEL, {}, {"structure_at": AFTER}),
    ("too_early", LABEL, {}, {"structure_at": AT}),
    ("voided", LABEL, {}, {"voided_at": AFTER}),
    ("voided", COMMAND, {}, {"voided_at": AT}),
]


@pytest.mark.parametrize("ask", [COMMAND, LABEL, dataclasses.replace(COMMAND, via=Via.ENVIRONMENT)])
@pytest.mark.parametrize("permission", ["write", "maintain", "admin"])
def test_a_writer_approves_one_commit(ask: Ask, permission: str) -> None:
    found = decide(ask, dataclasses.replace(NOW, permission=permission))
    assert isinstance(found, Approval)
    assert (found.sha, found.base_ref, found.actor, found.via) == (HEAD, "main", "ana", ask.via)


@pytest.mark.parametrize(("code", "ask", "asked", "stands"), REFUSED)
def test_each_reason_alone_refuses(code: str, ask: Ask, asked: dict[str, object], stands: dict[str, object]) -> None:
    found = decide(
        dataclasses.replace(ask, **asked),  # type: ignore[arg-type]
        dataclasses.replace(NOW, **stands),  # type: ignore[arg-type]
    )
    assert isinstance(found, Refusal)
    assert found.code == code
    assert found.because.count(". ") == 0, "one sentence"
    assert ";" in found.because or ":" in found.because, "it says what to do instead"
    assert "{" not in found.because
    assert "@" not in found.because


def test_reasons_are_told_apart() -> None:
    said = {}
    for code, ask, asked, stands in REFUSED:
        found = decide(
            dataclasses.replace(ask, **asked),  # type: ignore[arg-type]
            dataclasses.replace(NOW, **stands),  # type: ignore[arg-type]
        )
        assert isinstance(found, Refusal)
        said[code] = found.because
    assert len(set(said.values())) == len(said) >= 14


def test_own_branches_may_leave_the_sha_out() -> None:
    found = decide(dataclasses.replace(COMMAND, sha=None), dataclasses.replace(NOW, own=True))
    assert isinstance(found, Approval)
    assert found.sha == HEAD


@pytest.mark.parametrize(
    ("stands", "code"),
    [
        ({"head_sha": OTHER}, "moved"),
        ({"base_ref": "lax"}, "retargeted"),
        ({"open": False}, "closed"),
        ({"draft": True}, "draft"),
        ({"permission": "read"}, "permission"),
        ({"voided_at": AFTER}, "voided"),
        ({"same_head": 2}, "ambiguous"),
    ],
)
def test_an_approval_is_asked_again_before_it_spends(stands: dict[str, object], code: str) -> None:
    approval = decide(LABEL, NOW)
    assert isinstance(approval, Approval)
    used = dataclasses.replace(NOW, label=False, structure_at=AFTER)
    assert still_holds(approval, used) is None, "using it took the label off and edited our comment"
    refusal = still_holds(approval, dataclasses.replace(used, **stands))  # type: ignore[arg-type]
    assert refusal is not None
    assert refusal.code == code


@pytest.mark.parametrize(
    ("body", "command"),
    [
        (f"/aces live {HEAD}", Command(purpose=Purpose.LIVE, sha=HEAD)),
        (f"/aces live {HEAD}\r\nthanks", Command(purpose=Purpose.LIVE, sha=HEAD)),
        ("/aces live", Command(purpose=Purpose.LIVE)),
        (f"/aces accept {HEAD}", Command(purpose=Purpose.ACCEPT, sha=HEAD)),
        (
            f"/aces live {HEAD} attempts=5 case=two-clocks case=b.1",
            Command(purpose=Purpose.LIVE, sha=HEAD, attempts=5, cases=("two-clocks", "b.1")),
        ),
    ],
)
def test_commands(body: str, command: Command) -> None:
    assert read_command(body) == command


@pytest.mark.parametrize(
    "body",
    [
        "/aces",
        "/aces  live",
        "/aces\tlive",
        f"/aces live {HEAD[:7]}",
        f"/aces live {HEAD.upper()}",
        f"/aces live {HEAD} {OTHER}",
        f"/aces live {HEAD} model=x",
        f"/aces live {HEAD} attempts=0",
        f"/aces live {HEAD} attempts=500",
        f"/aces live {HEAD} case=../x",
        f"/aces live {HEAD} case=$(id)",
        "/aces merge",
    ],
)
def test_what_is_not_a_command_is_told_in_a_sentence(body: str) -> None:
    said = read_command(body)
    assert is_command(body)
    assert isinstance(said, str)
    assert said.endswith(".")


@pytest.mark.parametrize(
    "body", ["nice", f" /aces live {HEAD}", f"> /aces live {HEAD}", f"x\n/aces live {HEAD}", "/acesx"]
)
def test_only_the_first_line_from_its_first_character_counts(body: str) -> None:
    assert not is_command(body)


def test_an_accepted_loss_survives_a_rerun_and_is_recorded_without_a_push() -> None:
    asked = dataclasses.replace(LABEL, purpose=Purpose.ACCEPT, attempt=3, used=True)
    approval = decide(asked, NOW)
    assert isinstance(approval, Approval)
    kept = Consent(accepted=approval).recorded()
    assert kept["accepted"] is True
    assert kept["acceptance"] == {"sha": HEAD, "base_ref": "main", "by": "ana", "via": "label", "at": AT}
    pushed = decide(asked, dataclasses.replace(NOW, head_sha=OTHER))
    assert isinstance(pushed, Refusal)
    assert Consent(accepted=pushed).recorded() == {}
    assert Consent(live=pushed, accepted=None).refusals == (pushed,)
    assert Consent().recorded() == {}
