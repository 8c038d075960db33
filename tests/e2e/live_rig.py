"""What the live end-to-end tests stand on: images from npm packages and this checkout, a scripted model, a skill."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import docker

from aces_ci.changes.parse import parse_skill
from aces_ci.core.evidence import Evidence
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, make_live_plan
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Exchange, Protocol, from_event
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.staging import Lineup, StagedFile
from aces_ci.core.suites.case import Case, CaseFile
from aces_ci.core.trial import Arm, Trial
from aces_ci.plugins import load
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import MIB, ImageRequest, Limits, Program
from aces_ci.sandboxes._docker.archive import pack
from aces_ci.sandboxes._docker.engine import Engine, Missing
from aces_ci.sandboxes.docker import SANDBOX
from aces_ci.tiers.live import Means

ROOT = Path(__file__).resolve().parents[2]
BASE = "aces-ci-base:bookworm"
FETCH = "aces-ci-fetch:e2e"
GATEWAY = "aces-ci-gateway:e2e"
MODEL_PORT = 9000
CANARY = "sk-canary-0f9e8d7c6b5a49382716-live"
NEEDED = ("aces-ci",)
NOT_FOR_THE_GATEWAY = {"aces-ci", "numpy", "scipy"}
MODELS = {
    "claude-code": ("claude-sonnet-5", Protocol.MESSAGES),
    "codex": ("gpt-5.4", Protocol.RESPONSES),
    "opencode": ("gpt-5.4", Protocol.CHAT),
    "builtin": ("claude-sonnet-5", Protocol.MESSAGES),
}
SMALL = Limits(
    seconds=240,
    memory_bytes=1536 * MIB,
    workspace_bytes=64 * MIB,
    workspace_inodes=2000,
    home_bytes=128 * MIB,
    home_inodes=4000,
    scratch_bytes=64 * MIB,
    file_bytes=64 * MIB,
    processes=256,
)
_START = f"""
import subprocess, sys, time, urllib.request
model = subprocess.Popen([sys.executable, "-m", "tests.fakes.tide_model", "{MODEL_PORT}"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL)
from aces_ci.gateway.program import run
run(sys.stdin.buffer, sys.stdout.buffer)
"""


def program() -> Program:
    """The real gateway, and the scripted model beside it in one container: both on its own loopback."""
    return Program(
        image=GATEWAY, command=("python3", "-c", _START), environment={"PYTHONPATH": "/opt/app:/opt/packages"}
    )


def gateway_image(engine: Engine) -> None:
    """This checkout and what it needs on the base image; built anew whenever a source changed (layers are cached)."""
    files = [
        StagedFile(path="Dockerfile", data=f"FROM {BASE}\nCOPY packages /opt/packages\nCOPY app /opt/app\n".encode())
    ]
    for name in _closure(NEEDED) - NOT_FOR_THE_GATEWAY:
        distribution = importlib.metadata.distribution(name)
        for entry in distribution.files or ():
            path = Path(str(distribution.locate_file(entry)))
            if ".." not in entry.parts and path.suffix not in (".pyc", ".h") and path.is_file():
                files.append(StagedFile(path=f"packages/{entry}", data=path.read_bytes()))
    for folder in ("aces_ci", "tests/fakes"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in (".py", ".json"):
                files.append(StagedFile(path=f"app/{path.relative_to(ROOT)}", data=path.read_bytes()))
    list(engine.build(pack(files, uid=0, gid=0), tag=GATEWAY, arguments={}, network="none"))


def fetch_image(engine: Engine, cache: Path) -> None:
    """Node and npm of this machine with a cache that holds the locked packages: the recipes' first stage, offline."""
    try:
        engine.image(FETCH)
        return
    except Missing:
        pass
    for recipe in ("claude-code", "codex", "opencode"):
        work = cache / recipe
        work.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(ROOT / "aces_ci/sandboxes/images" / recipe / name, work)
        subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--cache", cache / "npm"], cwd=work, check=True, capture_output=True
        )
        shutil.rmtree(work)
    npm = Path("/usr/lib/node_modules/npm")
    node = Path(shutil.which("node") or "")
    lines = (
        f"FROM {BASE}",
        "COPY node /usr/bin/node",
        "COPY npm-program /usr/lib/node_modules/npm",
        "COPY npm /npm-cache",
        "RUN chmod +x /usr/bin/node && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm",
        "ENV NPM_CONFIG_OFFLINE=true NPM_CONFIG_CACHE=/npm-cache",
    )
    shutil.copy(node, cache / "node")
    shutil.copytree(npm, cache / "npm-program", symlinks=False)
    (cache / "Dockerfile").write_text("\n".join(lines) + "\n")
    docker.from_env(timeout=600).images.build(path=str(cache), tag=FETCH, rm=True)


def images(recipes: Sequence[str], cache: Path) -> dict[str, str]:
    """Digest of each harness's image, built by the product's own recipes."""
    engine = Engine()
    try:
        fetch_image(engine, cache)
        gateway_image(engine)
    finally:
        engine.close()
    return {name: SANDBOX.image(ImageRequest(recipe=name, base=BASE, fetch=FETCH)) for name in recipes}


def _closure(names: Sequence[str]) -> set[str]:
    from packaging.requirements import Requirement

    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for text in importlib.metadata.requires(name) or ():
            requirement = Requirement(text)
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in ("", "live")
            ):
                waiting.append(requirement.name)
    return found


SKILL_TEXT = """---
name: tide-tally
description: Tallies a tide ledger kept as a CSV file. Use when asked for a tide tally of a ledger.
---

# Tide tally

1. Run `python3 scripts/tally.py <csv>` from this skill's folder. It prints one line.
2. Answer with exactly that line.
"""
SCRIPT = """import csv
import sys

rows = list(csv.DictReader(open(sys.argv[1])))
print("TIDE-TALLY", sum(int(row["rise"]) * 7 - 3 for row in rows))
"""
LEDGER = "day,rise\n1,4\n2,9\n3,1\n"
ANSWER = "TIDE-TALLY 89"


def tide_skill(description_tail: str = "") -> Skill:
    """The target, with an `evals/` that must reach no agent."""
    texts = {
        "SKILL.md": SKILL_TEXT.replace("of a ledger.\n", f"of a ledger.{description_tail}\n", 1),
        "scripts/tally.py": SCRIPT,
        "evals/evals.json": '{"answer": "' + ANSWER + '"}',
        "evals/files/ledger.csv": LEDGER,
    }
    return parse_skill(root="skills/tide-tally", files=_files(texts))


def neighbour() -> Skill:
    """A support skill, the same in every arm."""
    description = "Counts gulls in a photo log. Use when asked how many gulls there were."
    text = f"---\nname: gull-count\ndescription: {description}\n---\n\nCount.\n"
    return parse_skill(root="skills/gull-count", files=_files({"SKILL.md": text}))


def _files(texts: dict[str, str]) -> dict[str, SkillFile]:
    return {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
    }


CASE = Case(
    id="spring-tide",
    prompt="Give me the tide tally of the ledger in ledger.csv. Answer with one line.",
    files=(CaseFile(source="skills/tide-tally/evals/files/ledger.csv", target="ledger.csv"),),
    trigger=True,
    reference=ANSWER,
)


def subject(lineup: Lineup | None = None, cases: Sequence[Case] = (CASE,)) -> Subject:
    """The tide skill and its case."""
    return Subject(
        skill="skills/tide-tally",
        lineup=lineup or Lineup(target=(tide_skill(),)),
        cases=tuple(cases),
        fixtures={"skills/tide-tally/evals/files/ledger.csv": LEDGER.encode()},
    )


def harnesses() -> dict[str, Harness]:
    """All harness plug-ins by name."""
    return {item.name: item for item in load("harnesses", "HARNESS", "name")}  # type: ignore[attr-defined,misc]


def contender(name: str, image: str) -> Contender:
    """A harness with its model at the scripted provider."""
    model, api = MODELS[name]
    return Contender(
        harness=name,
        version=harnesses()[name].version,
        model=model,
        api=api,
        upstream="scripted",
        image=image,
        price=price_of(model),
    )


def plan(contenders: Sequence[Contender], *, subjects: Sequence[Subject] | None = None, **design: object) -> TrialPlan:
    """One look of one attempt, unless told otherwise."""
    fields: dict[str, object] = {
        "arms": (Arm.WITH_SKILL, Arm.BASELINE),
        "looks": (1,),
        "workers": 2,
        "mode": "group",
        **design,
    }
    return make_live_plan(
        subjects or [subject()],
        contenders,
        Design(**fields),  # type: ignore[arg-type]
        attainable=lambda *_: True,
    )


def means(**changes: object) -> Means:
    """The Docker sandbox and the real gateway."""
    fields: dict[str, object] = {
        "sandbox": SANDBOX,
        "harnesses": harnesses(),
        "program": program(),
        "secrets": Secrets(keys={"scripted": CANARY}),
        "upstreams": (
            Upstream(
                name="scripted",
                base_url=f"http://127.0.0.1:{MODEL_PORT}",
                protocols=tuple(Protocol),
                insecure=True,
            ),
        ),
        "limits": SMALL,
        "converters": {item.name: item for item in load("converters", "CONVERTER", "name")},  # type: ignore[attr-defined]
        **changes,
    }
    return Means(**fields)  # type: ignore[arg-type]


@dataclass
class MemorySink:
    """Everything in memory."""

    lines: list[Evidence] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, evidence: Evidence) -> None:
        with self.lock:
            self.lines.append(evidence)

    def keep(self, files: Mapping[str, bytes]) -> None:
        with self.lock:
            self.files.update(files)

    def discard(self, name: str) -> None:
        with self.lock:
            for path in [path for path in self.files if f"{path}/".startswith(f"{name}/")]:
                del self.files[path]

    def extend(self, name: str, line: str) -> None:
        with self.lock:
            self.files[name] = self.files.get(name, b"") + line.encode() + b"\n"

    @property
    def trials(self) -> list[Trial]:
        return [line for line in self.lines if isinstance(line, Trial)]

    def exchanges(self, trial: Trial) -> list[Exchange]:
        rows = self.files.get(f"trials/{trial.digest}/exchanges.jsonl", b"").decode().splitlines()
        return [value for row in rows if isinstance(value := from_event(row), Exchange)]

    def below(self, trial: Trial, folder: str) -> dict[str, bytes]:
        start = f"trials/{trial.digest}/{folder}/"
        return {name.removeprefix(start): data for name, data in self.files.items() if name.startswith(start)}


def by_arm(trials: Sequence[Trial]) -> Iterator[tuple[Trial, Trial]]:
    """Pairs of (with_skill, baseline) of one harness."""
    for name in sorted({trial.harness for trial in trials}):
        own = {trial.arm: trial for trial in trials if trial.harness == name}
        yield own[Arm.WITH_SKILL], own[Arm.BASELINE]
