"""`network.allow` in real containers: the sandbox stays without a network, and the gateway lets through what is named.

The host is ours: an HTTPS server on the loopback of the gateway's container, which the tests' own internet
(`tests/fakes/gateway_with_hosts.py`) says to be public. No setting of the product can say so.
"""

from __future__ import annotations

import json

import pytest

from aces_ci.core.live_plan import LivePlan, Surroundings
from aces_ci.core.plan import Subject, TrialPlan
from aces_ci.core.spending.connection import Passage
from aces_ci.core.spending.control import Limits as RequestLimits
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.core.trial import Ending, Trial
from aces_ci.ports.sandbox import Program
from aces_ci.renderers._live.reached import network_lines
from aces_ci.tiers import live
from aces_ci.tiers.compare import summarise
from tests.e2e import live_rig as rig
from tests.fakes import tls_host

pytestmark = pytest.mark.e2e

CLIS = ("claude-code", "codex", "opencode", "builtin")
HOSTS = (tls_host.NAME, "inward.example.org")
PORT = 9443
CAP = 500_000
_START = f"""
import runpy, subprocess, sys
host = subprocess.Popen([sys.executable, "-m", "tests.fakes.tls_host", "{PORT}"], stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL)
sys.argv[1:] = ["{PORT}"]
runpy.run_module("tests.fakes.gateway_with_hosts", run_name="__main__")
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> str:
    return rig.images(("builtin",), tmp_path_factory.mktemp("fetch"))["builtin"]


def _plan(image: str, pem: str, hosts: tuple[str, ...]) -> TrialPlan:
    fixtures = {
        "agent.py": (rig.ROOT / "tests/fakes/network_agent.py").read_bytes(),
        "host.pem": tls_host.public_part(pem).encode(),
    }
    case = Case(id="fetch", prompt="Fetch it.", files=tuple(CaseFile(source=name, target=name) for name in fixtures))
    subject = Subject(skill="s", lineup=Lineup(target=(rig.tide_skill(),)), cases=(case,), fixtures=fixtures)
    who = rig.Contender(
        harness="command",
        version="1",
        model="m",
        api=Protocol.MESSAGES,
        upstream="scripted",
        image=image,
        command=("python3", "agent.py", "host.pem", "around"),
    )
    return rig.plan([who], subjects=[subject], network=hosts, workers=2)


def _run(image: str, hosts: tuple[str, ...]) -> rig.MemorySink:
    pem, sink = tls_host.certificate(), rig.MemorySink()
    program = Program(
        image=rig.GATEWAY,
        command=("python3", "-c", _START),
        environment={"PYTHONPATH": "/opt/app:/opt/packages", "CERTIFICATE": pem},
    )
    means = rig.means(program=program, requests=RequestLimits(received_bytes=CAP))
    assert live.run(_plan(image, pem, hosts), means, sink, run_id="e2e-network").stopped == ""
    return sink


@pytest.fixture(scope="module")
def ran(image: str) -> rig.MemorySink:
    return _run(image, HOSTS)


def _found(sink: rig.MemorySink, trial: Trial) -> dict[str, str]:
    found: dict[str, str] = json.loads(sink.files[f"trials/{trial.digest}/harness.log"])
    return found


def test_an_agent_inside_reaches_the_allowed_host_in_both_arms_alike(ran: rig.MemorySink) -> None:
    assert len(ran.trials) == 2
    for trial in ran.trials:
        assert trial.ending is Ending.FINISHED, (trial.because, ran.files)
        found = _found(ran, trial)
        assert (found["allowed"], found["upload"]) == ("hello from the harbour", "taken")
        assert "not found" in found["git"]
    one, other = ({**_found(ran, trial), "too much": ""} for trial in ran.trials)
    assert one == other


def test_it_reaches_nothing_else_through_the_proxy_and_nothing_at_all_around_it(ran: rig.MemorySink) -> None:
    for trial in ran.trials:
        found = _found(ran, trial)
        assert found["interfaces"] == ["lo"], "allowed hosts bring no network interface"
        for name in ("another host", "below it", "another port", "an address", "metadata", HOSTS[1]):
            assert "403" in found["a name that points inwards" if name == HOSTS[1] else name], (name, found)
        assert "unrecognized" in found["fronted"].lower()
        around = {name: said for name, said in found.items() if name.startswith("around")}
        assert len(around) == 4
        for name, said in around.items():
            assert "unreachable" in said or "resolution" in said or "resolve" in said, (name, said)


def test_the_byte_cap_cuts_and_nothing_passes_after_it(ran: rig.MemorySink) -> None:
    for trial in ran.trials:
        found = _found(ran, trial)
        assert found["too much"].startswith("IncompleteRead"), found["too much"]
        assert "403" in found["allowed, after that"]
        assert 100_000 < sum(row.received for row in trial.connections) <= CAP
        assert [row.passage for row in trial.connections].count(Passage.CUT) == 1


def test_every_connection_is_in_the_evidence_and_in_the_comments_fold(ran: rig.MemorySink) -> None:
    for trial in ran.trials:
        hosts = {row.host for row in trial.connections}
        assert hosts == {*HOSTS, "evil.example.net", "x.files.example.org", "93.184.215.14", "169.254.169.254"}
        refused = {row.host for row in trial.connections if row.passage is Passage.REFUSED}
        assert refused == hosts
        assert [row.passage for row in trial.connections].count(Passage.REACHED) == 3
    summary = summarise(ran.trials, [], LivePlan(looks=(1,), surroundings=Surroundings(network=HOSTS)))
    lines = network_lines(summary)
    assert lines[0].startswith("Network beside the model, the same in every arm: `files.example.org` ")
    assert "`evil.example.net` 2\u00a0×" in lines[1]


def test_without_the_setting_the_same_agent_finds_no_proxy(image: str) -> None:
    sink = _run(image, ())
    for trial in sink.trials:
        found = _found(sink, trial)
        assert (found["variables"], found["interfaces"], trial.connections) == ([], ["lo"], ())
        assert "unreachable" in found["around the proxy, 1.1.1.1"]


def test_the_real_clis_still_find_their_model_beside_a_proxy(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All of them read these variables; the model is asked on loopback, past the proxy."""
    images = rig.images(CLIS, tmp_path_factory.mktemp("fetch"))
    sink = rig.MemorySink()
    plan = rig.plan([rig.contender(name, images[name]) for name in CLIS], network=HOSTS[:1])
    assert live.run(plan, rig.means(), sink, run_id="e2e-network-clis").stopped == ""
    assert len(sink.trials) == 2 * len(CLIS)
    for with_skill, baseline in rig.by_arm(sink.trials):
        for trial in (with_skill, baseline):
            assert trial.ending is Ending.FINISHED, (trial.harness, trial.because, trial.connections)
            assert sink.exchanges(trial)
            assert all(row.passage is Passage.REFUSED for row in trial.connections), trial.connections
        assert rig.ANSWER in str(sink.files[f"trials/{with_skill.digest}/trajectory.json"])
