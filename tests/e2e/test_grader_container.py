"""An author's grader in a real container: the reference's absolute paths, no network, no way to the workspace."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest

from aces_ci.core.grading.grader import Grader
from aces_ci.core.staging import StagedFile
from aces_ci.ports.sandbox import ImageRequest, Limits, Program
from aces_ci.sandboxes.docker import SANDBOX
from aces_ci.tiers.custom import RECIPE, ask
from aces_ci.tiers.grade import subject_of
from aces_ci.tiers.grader_room import GraderRoom
from tests.traces import snippets

pytestmark = pytest.mark.e2e
GOOD = """
import json, os, socket, sys
trajectory = json.load(open("/logs/agent/trajectory.json"))
entry = json.load(open("/tests/entry.json"))
assert trajectory["steps"] and entry["ground_truth"] == "7"
assert open("/workspace/out/report.md").read() == "7\\n"
try:
    socket.create_connection(("1.1.1.1", 53), timeout=2)
    reached = 1.0
except OSError:
    reached = 0.0
secrets = [name for name in os.environ if "KEY" in name or "TOKEN" in name or "SECRET" in name]
reply = {"overall": 1.0, "custom_metrics": {"reached": reached, "secrets": float(bool(secrets))}}
json.dump(reply, open("/logs/verifier/reward.json", "w"))
"""
BAD = "import json\njson.dump({'overall': 0.0}, open('/logs/verifier/reward.json', 'w'))\nraise SystemExit(7)\n"


def subject() -> Any:
    case = snippets.case(expected_skill="pdf", trigger=True, reference="7")
    trajectory = snippets.trajectory("claude-code", [{"skill": "pdf"}, {"say": "7"}])
    return subject_of(snippets.trial(), trajectory, case, {"out/report.md": b"7\n"}, snippets.cast())


def grader(entry: str, text: str) -> Grader:
    return Grader(entry=entry, files=(StagedFile(path=entry, data=text.encode()),), digest="d" * 64)


def test_real_graders_in_real_containers() -> None:
    image = SANDBOX.image(ImageRequest(recipe=RECIPE, base="aces-ci-base:bookworm"))
    shell = "test -f /tests/entry.json && echo 0.5 > /logs/verifier/reward.txt"
    program = Program(image=image, command=("sleep", "600"))
    with SANDBOX.open(run="grader-e2e", slots=1, program=program, limits=Limits()) as session:
        stop = threading.Event()
        good = ask(subject(), grader("grader.py", GOOD), session, slot=0, image=image, stop=stop)
        assert good.error is None
        assert good.overall == 1.0
        assert {name: mark.value for name, mark in good.metrics.items()} == {"reached": 0.0, "secrets": 0.0}
        bad = ask(subject(), grader("grader.py", BAD), session, slot=0, image=image, stop=stop)
        assert bad.overall is None and "exit code 7" in (bad.error or "")
        assert ask(subject(), grader("test.sh", shell), session, slot=0, image=image, stop=stop).overall == 0.5
    assert json.dumps(good.overall)


LITTER = """
import json, os, sys
here = [name for name in ("/workspace/left", "/home/agent/left", "/tmp/left") if os.path.exists(name)]
for name in ("/workspace/left", "/home/agent/left", "/tmp/left"):
    open(name, "w").write("x")
mine = open("/workspace/mine.txt").read()
json.dump({"overall": 1.0, "custom_metrics": {"clean": float(not here), "mine": float(mine) / 100}},
          open("/logs/verifier/reward.json", "w"))
"""


def test_graders_of_one_look_share_a_session_and_never_a_file() -> None:
    image = SANDBOX.image(ImageRequest(recipe=RECIPE, base="aces-ci-base:bookworm"))
    room = GraderRoom(sandbox=SANDBOX, images={(): image}, slots=2)
    case = snippets.case(expected_skill="pdf", trigger=True, reference="7")
    trajectory = snippets.trajectory("claude-code", [{"skill": "pdf"}, {"say": "7"}])
    subjects = [
        subject_of(
            snippets.trial(digest=str(number) * 64), trajectory, case, {"mine.txt": str(number).encode()},
            snippets.cast(),
        )
        for number in range(1, 7)
    ]  # fmt: skip
    started = time.monotonic()
    found = list(room.answers((each, grader("grader.py", LITTER)) for each in subjects))
    print(f"{(time.monotonic() - started) / len(subjects):.2f} s a grader")
    assert [reply.error for _, _, reply in found] == [None] * 6
    assert [subject.trial.digest[0] for subject, _, _ in found] == list("123456")
    for subject, _, reply in found:
        assert reply.metrics["clean"].value == 1.0, "nothing of another grader is there"
        assert reply.metrics["mine"].value == int(subject.trial.digest[0]) / 100
