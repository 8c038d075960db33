"""`network.allow` from the plan to the comment: the real gateway and relay, a real host behind TLS, real clients."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from aces_ci.core.plan import Contender, Design, Subject, make_live_plan
from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.core.spending.control import Limits as RequestLimits
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.staging import Lineup
from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Arm, Ending, Trial
from aces_ci.core.wire import from_line, to_line
from aces_ci.jobs.run import Options
from aces_ci.jobs.run import plan as planned
from aces_ci.ports.sandbox import Limits, Program
from aces_ci.sandboxes.process import SANDBOX
from aces_ci.tiers import live
from tests.e2e import live_rig as rig
from tests.fakes import tls_host
from tests.git_history import History, skill

HOST = tls_host.NAME
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Told:
    """One run of both arms."""

    sink: rig.MemorySink
    host: tls_host.TlsHost

    def agent(self, trial: Trial) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.sink.files[f"trials/{trial.digest}/harness.log"])
        return found


def _run(tmp_path: Path) -> Told:
    pem = tls_host.certificate()
    trusted = tmp_path / "host.pem"
    trusted.write_text(tls_host.public_part(pem))
    contender = Contender(
        harness="command",
        version="1",
        model="m",
        api=Protocol.MESSAGES,
        upstream="u",
        command=(sys.executable, "-S", str(ROOT / "tests/fakes/network_agent.py"), str(trusted)),
    )
    plan = make_live_plan(
        [Subject(skill="s", lineup=Lineup(target=(rig.tide_skill(),)), cases=(Case(id="c", prompt="Fetch it."),))],
        [contender],
        Design(arms=(Arm.WITH_SKILL, Arm.BASELINE), looks=(1,), workers=1, network=(HOST, "inward.example.org")),
        attainable=lambda *_: True,
    )
    sink = rig.MemorySink()
    with tls_host.TlsHost(pem=pem).running() as host:
        means = live.Means(
            sandbox=SANDBOX,
            harnesses=rig.harnesses(),
            program=Program(
                image="",
                command=("python3", "-m", "tests.fakes.gateway_with_hosts", str(host.port)),
                environment={"PYTHONPATH": str(ROOT)},
            ),
            secrets=Secrets(keys={}),
            upstreams=(Upstream(name="u", base_url="https://models.example", protocols=(Protocol.MESSAGES,)),),
            limits=Limits(seconds=60),
            requests=RequestLimits(received_bytes=500_000),
        )
        assert live.run(plan, means, sink, run_id="network").stopped == ""
    return Told(sink, host)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    yield _run(tmp_path_factory.mktemp("allow"))


def _rows(trial: Trial, host: str) -> list[Connection]:
    return [row for row in trial.connections if row.host == host]


def test_both_arms_reach_the_allowed_host_by_what_clients_usually_read(told: Told) -> None:
    assert len(told.sink.trials) == 2
    for trial in told.sink.trials:
        assert trial.ending is Ending.FINISHED, trial.because
        found = told.agent(trial)
        assert found["variables"] == ["HTTPS_PROXY", "NODE_USE_ENV_PROXY", "NO_PROXY", "https_proxy", "no_proxy"]
        assert (found["allowed"], found["upload"]) == ("hello from the harbour", "taken")
        assert "not found" in found["git"], "the host says that there is no such repository: it was reached"
    assert sum("git/" in line for line in told.host.seen) == 2
    one, other = ({**told.agent(trial), "too much": ""} for trial in told.sink.trials)
    assert one == other, "nothing tells the arms apart"


def test_nothing_else_is_reached_and_the_client_hears_why(told: Told) -> None:
    found = told.agent(told.sink.trials[0])
    for name in ("another host", "below it", "another port", "an address", "metadata", "a name that points inwards"):
        assert "403" in found[name], (name, found[name])
    assert "unrecognized" in found["fronted"].lower(), found["fronted"]
    assert not any("evil" in line for line in told.host.seen)


def test_the_cap_cuts_and_nothing_passes_after_it(told: Told) -> None:
    assert told.sink.trials
    for trial in told.sink.trials:
        found = told.agent(trial)
        assert found["too much"].startswith("IncompleteRead") and "403" in found["allowed, after that"]
        assert sum(row.received for row in trial.connections) <= 500_000


def test_every_connection_is_a_row_of_the_evidence(told: Told) -> None:
    assert told.sink.trials
    for trial in told.sink.trials:
        mine = _rows(trial, HOST)
        ends = [row.passage for row in mine]
        assert ends.count(Passage.REACHED) == 3 and ends.count(Passage.CUT) == 1
        assert all(row.sent > 300 and row.received > 300 for row in mine if row.passage is Passage.REACHED)
        because = {row.because for row in mine if row.passage is not Passage.REACHED}
        assert because == {
            "only port 443, not 8443",
            "the TLS greeting names another host",
            "more than 500000 bytes received in this trial",
            "it presented no token",  # git waits to be asked
        }
        assert [row.because for row in _rows(trial, "evil.example.net")] == ["this host is not allowed"]
        assert [row.because for row in _rows(trial, "inward.example.org")] == [
            "the host does not point to the public internet"
        ]
        for host in ("x.files.example.org", "93.184.215.14", "169.254.169.254"):
            assert [row.passage for row in _rows(trial, host)] == [Passage.REFUSED], host
        assert from_line(to_line(trial)) == trial


POLICY = "version: 1\nlive: {sandbox: {network: {allow: [files.example.org]}}}\n"


@pytest.mark.parametrize(("where", "hosts"), [("main", [HOST]), ("work", [])])
def test_only_the_default_branch_can_allow_a_host(tmp_path: Path, where: str, hosts: list[str]) -> None:
    history = History(tmp_path / "repo", bare=False)
    rows = [{"id": number, "prompt": f"Sort log {number}.", "expectations": ["Sorted."]} for number in range(8)]
    evals = json.dumps({"skill_name": "log-triage", "evals": rows})
    policy = {"aces.yml": POLICY}
    files = {"log-triage/SKILL.md": skill("log-triage"), "log-triage/evals/evals.json": evals}
    start = history.commit("main", {**files, **(policy if where == "main" else {})})
    change = {"log-triage/SKILL.md": skill("log-triage", "Sort them by date.")}
    history.commit("work", {**change, **(policy if where == "work" else {})}, start)
    said = {}
    for form in ("json", "text"):
        out = io.StringIO()
        options = Options(repo=history.path, base="main", head="work", format=form)
        assert planned(options, env={}, stdout=out, stderr=io.StringIO()) == 0
        said[form] = out.getvalue()
    assert json.loads(said["json"])["live"]["network"] == hosts
    assert ("network: the model and files.example.org" in said["text"]) == bool(hosts)
