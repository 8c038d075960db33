"""A catalogue with one skill and four cases, and images with which `run` measures it against the scripted model."""

from __future__ import annotations

import json
from pathlib import Path

import docker

from aces_ci.core.staging import StagedFile
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.engine import Engine
from tests.e2e import live_rig as rig

GATEWAY = "aces-ci-gateway-model:e2e"
# The model runs inside the gateway's container; 0.0.0.0 is that container's loopback, while `localhost` in a setting
# means the user's machine and is mapped to it.
MODEL_URL = f"http://0.0.0.0:{rig.MODEL_PORT}"
_WRAPPER = f"""#!/bin/sh
export PYTHONPATH=/opt/app:/opt/packages
/usr/bin/python3 -m tests.fakes.tide_model {rig.MODEL_PORT} </dev/null >/dev/null 2>&1 &
exec /usr/bin/python3 "$@"
"""
CASES = ("spring", "neap", "storm")


def files(*, complete: bool) -> dict[str, str]:
    """The skill by repository path; incomplete, its text does not say which script to run."""
    text = rig.SKILL_TEXT if complete else rig.SKILL_TEXT.replace("python3 scripts/tally.py <csv>", "the tally")
    cases = [
        {
            "id": name,
            "prompt": f"Give me the {name} tide tally of the ledger in ledger.csv. Answer with one line.",
            "files": ["evals/files/ledger.csv"],
            "expected_skill": "tide-tally",
            "assertions": [{"check": "contains", "value": rig.ANSWER, "role": "outcome"}],
        }
        for name in CASES
    ]
    return {
        "skills/tide-tally/SKILL.md": text,
        "skills/tide-tally/scripts/tally.py": rig.SCRIPT,
        "skills/tide-tally/evals/evals.json": json.dumps({"skill_name": "tide-tally", "evals": cases}, indent=1),
        "skills/tide-tally/evals/files/ledger.csv": rig.LEDGER,
    }


def policy(harness: str = "claude-code", model: str = "claude-sonnet-5") -> str:
    """aces.yml of main: the scripted model, no judge, three attempts."""
    return (
        "version: 1\n"
        f"judge: {{provider: 'off', base_url: '{MODEL_URL}'}}\n"
        "live:\n"
        f"  harnesses: [{{name: {harness}, model: {model}}}]\n"
        "  attempts: {looks: [3]}\n"
        "  concurrency: 2\n"
        "  sandbox: {timeout: 240, memory: 1536m}\n"
    )


def images(cache: Path) -> None:
    """Everything that `run` would pull: the recipes' own bases by the names they expect, and the gateway."""
    engine = Engine()
    try:
        rig.fetch_image(engine, cache)
        rig.gateway_image(engine)
        client = docker.from_env(timeout=120)
        client.images.get(rig.FETCH).tag("node", "22-bookworm-slim")
        client.images.get(rig.BASE).tag("python", "3.11-slim-bookworm")
        recipe = (
            f"FROM {rig.GATEWAY}\nCOPY python3 /opt/wrap/python3\nRUN chmod 755 /opt/wrap/python3\n"
            "ENV PYTHONPATH=/opt/app:/opt/packages\nENV PATH=/opt/wrap:/usr/local/bin:/usr/bin:/bin\n"
        )
        parts = [
            StagedFile(path="Dockerfile", data=recipe.encode()),
            StagedFile(path="python3", data=_WRAPPER.encode()),
        ]
        list(engine.build(pack(parts, uid=0, gid=0), tag=GATEWAY, arguments={}, network="none"))
    finally:
        engine.close()
