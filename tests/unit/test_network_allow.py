"""`network.allow` before and after the gateway: what the policy may say, who gets it, what the comment tells."""

from __future__ import annotations

import json
import re

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.evidence import Planned
from aces_ci.core.live import HostRow
from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.core.spending.control import ArmSlot, Configuration
from aces_ci.core.spending.hosts import MOST, wrong_with
from aces_ci.core.trial import Arm
from aces_ci.forges._links import PageLinks
from aces_ci.ports.renderer import Place
from aces_ci.renderers._live.reached import network_lines
from aces_ci.renderers.comment import RENDERER as COMMENT
from aces_ci.renderers.json_report import RENDERER as REPORT
from aces_ci.settings.load import load
from aces_ci.settings.model import Settings
from aces_ci.settings.source import read
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.network import environment, host_rows
from aces_ci.trialling import design_of
from tests.builders import a_comparison, a_trial
from tests.golden.live_evidence import Told, run_of
from tests.unit.test_live_tier import obedient, plan, run

HOSTS = ("files.example.org", "mirror.example.net")


# -- what the policy may say ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["files.example.org", "t.co", "pypi.org", "a-b.c-d.example", "xn--bcher-kva.example"])
def test_an_exact_name_of_the_public_internet_may_be_allowed(name: str) -> None:
    assert wrong_with(name) is None


WRONG = [
    ("*.example.org", "no patterns"),
    ("*", "no patterns"),
    ("files.example.?rg", "no patterns"),
    ("https://files.example.org", "alone, without scheme"),
    ("files.example.org/x", "alone, without scheme"),
    ("me@files.example.org", "alone, without scheme"),
    ("files.example.org:443", "without a port"),
    ("files.example.org:8443", "without a port"),
    ("93.184.215.14", "no addresses"),
    ("127.0.0.1", "no addresses"),
    ("127.1", "no addresses"),
    ("2130706433", "no addresses"),
    ("0x7f000001", "no addresses"),
    ("0177.0.0.0x1", "no addresses"),
    ("[::1]", "no addresses"),
    ("::ffff:10.0.0.1", "no addresses"),
    ("Files.example.org", "write files.example.org"),
    ("münchen.example", "xn-- form"),
    ("localhost", "with a dot"),
    ("", "with a dot"),
    ("files..example.org", "with a dot"),
    ("files.example.org.", "with a dot"),
    ("-files.example.org", "with a dot"),
    ("files_x.example.org", "with a dot"),
    (f"{'a' * 64}.example.org", "with a dot"),
    ("a." * 130 + "org", "with a dot"),
    ("printer.local", "public internet"),
    ("metadata.google.internal", "public internet"),
    ("x.localhost", "public internet"),
    ("1.0.0.10.in-addr.arpa", "public internet"),
    ("api.anthropic.com", "model provider"),
    ("api.openai.com", "model provider"),
    ("mine.openai.azure.com", "model provider"),
    ("bedrock-runtime.eu-west-1.amazonaws.com", "model provider"),
    ("europe-west4-aiplatform.googleapis.com", "model provider"),
    ("openrouter.ai", "model provider"),
]


@pytest.mark.parametrize(("name", "why"), WRONG)
def test_everything_else_is_refused_at_its_place_in_the_file(name: str, why: str) -> None:
    assert why in (wrong_with(name) or "")
    text = f"live:\n  sandbox:\n    network:\n      allow:\n        - pypi.org\n        - {name!a}\n"
    with pytest.raises(UsageError) as told:
        load(policy=read(text.replace("'", '"').encode(), "aces.yml"))
    # White space around a name is nobody's intention and would never match: it is refused, not trimmed.
    assert told.value.message.startswith("aces.yml:6:11: `live.sandbox.network.allow.1` "), told.value.message
    assert why in told.value.message and told.value.line == 6


def test_a_long_list_is_refused() -> None:
    allow = [f"h{number}.example.org" for number in range(MOST + 1)]
    assert load(policy=read(f"live: {{sandbox: {{network: {{allow: {allow[1:]}}}}}}}".encode(), "aces.yml"))
    with pytest.raises(UsageError, match=f"at most {MOST} hosts"):
        load(policy=read(f"live: {{sandbox: {{network: {{allow: {allow}}}}}}}".encode(), "aces.yml"))


@pytest.mark.parametrize(("name", "why"), [*WRONG, ("files.example.org", ""), ("files.example.org\n", "dot")])
def test_the_schema_refuses_no_name_that_we_take_and_takes_none_of_another_form(name: str, why: str) -> None:
    schema = Settings.model_json_schema()["$defs"]["Network"]["properties"]["allow"]["items"]
    fits = re.fullmatch(schema["pattern"], name) is not None
    assert fits or why, "a name that may be allowed has the form"
    assert fits == (not why or "public internet" in why or "model provider" in why)
    assert (wrong_with(name) is None) == (not why)


# -- who gets it ------------------------------------------------------------------------------------------------


def settings(*allow: str, backend: str = "docker") -> Settings:
    box = {"backend": backend, "network": {"allow": list(allow)}}
    return Settings.model_validate({"version": 1, "live": {"sandbox": box}})


def test_the_policys_hosts_are_part_of_the_design_whatever_their_order() -> None:
    chosen = settings("mirror.example.net", "files.example.org", "files.example.org")
    for trust in (Trust.OWN, Trust.SCHEDULED):
        assert design_of(chosen, trust).network == HOSTS
    assert design_of(settings()).network == ()


def test_a_change_from_a_fork_never_gets_them() -> None:
    with pytest.raises(UsageError, match=r"reach files\.example\.org, and changes from forks never may") as told:
        design_of(settings("files.example.org"), Trust.FORK)
    assert told.value.code == "network_allow" and "branch of this repository" in (told.value.do or "")
    assert design_of(settings(), Trust.FORK).network == ()


def test_another_list_is_another_trial() -> None:
    lists: list[tuple[str, ...]] = [(), HOSTS[:1], HOSTS]
    digests = [{trial.digest for trial in plan(network=hosts).trials} for hosts in lists]
    assert not digests[0] & digests[1] and not digests[1] & digests[2] and not digests[0] & digests[2]


def test_both_arms_get_the_same_proxy_and_the_gateway_the_same_hosts() -> None:
    _, _, sandbox = run(obedient, plan(network=HOSTS, workers=1))
    session = sandbox.sessions[0]
    orders = [order for order in session.gateway.received if isinstance(order, ArmSlot)]
    assert {order.arm for order in orders} == {Arm.WITH_SKILL, Arm.BASELINE}
    assert {order.hosts for order in orders} == {HOSTS}
    assert {order.limits.sent_bytes for order in orders} == {16_000_000}
    for job, order in zip(session.jobs, orders, strict=True):
        assert job.network is True
        proxy = f"http://aces:{order.token}@127.0.0.1:8001"
        assert {name: job.environment[name] for name in ("HTTPS_PROXY", "https_proxy")} == {
            "HTTPS_PROXY": proxy,
            "https_proxy": proxy,
        }
        assert "127.0.0.1" in job.environment["NO_PROXY"] == job.environment["no_proxy"]
        assert not {"HTTP_PROXY", "http_proxy", "ALL_PROXY"} & set(job.environment), "the model is on plain HTTP"
    (configured,) = (order for order in session.gateway.received if isinstance(order, Configuration))
    assert [item.tunnel_path for item in configured.listeners] == ["/slots/s0/net.sock", "/slots/s1/net.sock"]


def test_without_hosts_there_is_no_proxy_at_all() -> None:
    _, sink, sandbox = run(obedient, plan())
    session = sandbox.sessions[0]
    assert not any(job.network or set(environment("x", "y")) & set(job.environment) for job in session.jobs)
    (configured,) = (order for order in session.gateway.received if isinstance(order, Configuration))
    assert all(item.tunnel_path is None for item in configured.listeners)
    assert all(trial.connections == () for trial in sink.trials)


# -- what is told -----------------------------------------------------------------------------------------------


def reached(host: str, sent: int = 500, received: int = 2000) -> Connection:
    return Connection(host=host, passage=Passage.REACHED, sent=sent, received=received)


def refused(host: str, why: str = "this host is not allowed") -> Connection:
    return Connection(host=host, passage=Passage.REFUSED, because=why)


def test_hosts_are_summed_over_the_arms_allowed_ones_first_and_unused_ones_too() -> None:
    cut = Connection(host=HOSTS[0], passage=Passage.CUT, because="more than 9 bytes sent in this trial", sent=9)
    trials = [
        a_trial(connections=(reached(HOSTS[0]), refused("evil.example"), refused("a.example"))),
        a_trial(arm=Arm.BASELINE, connections=(reached(HOSTS[0]), cut, refused("evil.example"))),
    ]
    rows = host_rows(trials, HOSTS)
    assert [(row.host, row.allowed, row.refused) for row in rows] == [
        (HOSTS[0], True, 0),
        (HOSTS[1], True, 0),
        ("evil.example", False, 2),
        ("a.example", False, 1),
    ]
    first = rows[0]
    assert (first.trials, first.reached, first.cut, first.sent, first.received) == (2, 2, 1, 1009, 4000)
    assert first.reasons == ("more than 9 bytes sent in this trial",)
    assert rows[1] == HostRow(host=HOSTS[1], allowed=True)


def test_the_summary_carries_them_from_the_evidence_to_the_report() -> None:
    from aces_ci.core.live_plan import LivePlan, Surroundings
    from aces_ci.tiers.compare import summarise

    trials, scores = a_comparison(
        {Arm.WITH_SKILL: {"c": [1.0]}, Arm.BASELINE: {"c": [0.0]}}, connections=(reached(HOSTS[0]),)
    )
    summary = summarise(trials, scores, LivePlan(surroundings=Surroundings(network=HOSTS)))
    assert [(row.host, row.reached) for row in summary.connections] == [(HOSTS[0], 2), (HOSTS[1], 0)]
    told = "\n".join(network_lines(summary))
    assert "`files.example.org` 2 connections in 2 runs, 4\u00a0kB received, 1\u00a0kB sent" in told
    assert "`mirror.example.net` not used" in told


def test_a_name_that_an_agent_chose_is_shown_as_data() -> None:
    from aces_ci.core.live_plan import LivePlan
    from aces_ci.tiers.compare import summarise

    hostile = "`@everyone` <img src=x> [a](https://evil.example)"
    trials, scores = a_comparison(
        {Arm.WITH_SKILL: {"c": [1.0]}, Arm.BASELINE: {"c": [0.0]}},
        connections=(refused(hostile), *(refused(f"h{n}.example") for n in range(9)), refused("", "only CONNECT")),
    )
    lines = network_lines(summarise(trials, scores, LivePlan()))
    assert len(lines) == 1 and lines[0].startswith("Refused by the gateway: ")
    assert "``" in lines[0] and "and 6 more in the report" in lines[0]
    shown = lines[0].replace("`` `@everyone` <img src=x> [a](https://evil.example) ``", "")
    assert "<img" not in shown and "](" not in shown and "@everyone" not in shown


def test_a_run_that_reaches_the_model_alone_says_nothing_of_it() -> None:
    from aces_ci.core.live_plan import LivePlan
    from aces_ci.tiers.compare import summarise

    trials, scores = a_comparison({Arm.WITH_SKILL: {"c": [1.0]}, Arm.BASELINE: {"c": [0.0]}})
    summary = summarise(trials, scores, LivePlan())
    assert summary.connections == () and network_lines(summary) == []


def test_the_comment_and_the_report_say_what_passed() -> None:
    told = Told(
        path="skills/log-triage",
        rates={"a": (0.2, 0.5, 0.9), "b": (0.2, 0.5, 0.9), "c": (0.1, 0.4, 0.9)},
        attempts=3,
        seed=5,
        changes={"connections": (reached(HOSTS[0]), refused("evil.example"))},
    )
    *lines, end = run_of(told)
    place = Place(links=PageLinks(server_url="https://github.com"), forge="github")
    report = assemble([*lines, Planned(skill=told.path, network=HOSTS), end])
    comment = COMMENT.render(report, place)
    assert "Network beside the model, the same in every arm: `files.example.org` 27 connections in 27 runs" in comment
    assert "`mirror.example.net` not used" in comment
    assert "Refused by the gateway: `evil.example` 27\u00a0×." in comment
    (skill,) = json.loads(REPORT.render(report, place))["skills"]
    rows = skill["live"]["connections"]
    assert [(row["host"], row["allowed"], row["reached"], row["refused"]) for row in rows] == [
        (HOSTS[0], True, 27, 0),
        (HOSTS[1], True, 0, 0),
        ("evil.example", False, 0, 27),
    ]
