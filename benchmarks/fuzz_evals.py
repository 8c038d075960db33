"""Feeds broken evaluation and result files to every reader: no crash, no silence, bounded time and memory.

Run: `python benchmarks/fuzz_evals.py --seconds 600`. Seeds are `fixtures/evals` and, where the shared data lies beside
the checkout, its public suites. A failing input is written to the folder that `--keep` names, with the seed to run
it again.

Recorded 2026-11-30, what is read also written as JSON and as a suite: 70,700 inputs from 67 seeds in 600 s (seed 25),
one failure (a long reason cut off the word that a figure is unverified), which is mended and a test; slowest 0.89 s,
peak 44 MiB. Before: 7,245 in 75 s (seed 23) and 10,018 in 120 s (seed 24), 0 failures; seed 22 had found one crash.
Earlier that day, with result files among the inputs, at
load 20 to 29: 40,070 inputs in 600 s (seed 12) and 26,661 in 600 s at low priority (seed 11), 0 failures, slowest
1.05 s, peak 32 MiB. Evaluation files alone on quieter cores: 256,190 inputs from 56 seeds in 600 s (seed 2), 0
failures, slowest 0.46 s, peak 29 MiB.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import yaml

from aces_ci import compose
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.core.suites.eval_write import write
from aces_ci.core.wire import to_line
from aces_ci.statistics.power import attainable
from aces_ci.tiers.suite import candidate, read_suite
from aces_ci.tiers.suite_advice import advise

ROOT = Path(__file__).resolve().parents[1]
SLOW = 2.0
"""Seconds from which one skill counts as too slow."""
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 3.5, 10**30, "", " ", "x", "../../etc/passwd", "\\\\host\\share", "http://a/b",
    "a" * 5000, 10**400, float("inf"), "\ud800", "\0", "false",
    "\u202e", "(?=x)", "{{x}}", [], {}, [[]], [None], [1, "a"],
    {"a": {"b": []}}, [{"type": "regex"}],
    {"check": "contains"}, {"check": ["a"]}, {"type": {}}, {"path": []}, ["../x"], {"files": {"a": 1}},
)  # fmt: skip
SPLICES = (
    b",", b"//x\n", b"#", b"/*", b"NaN", b"Infinity", b"\x00", b"\xff\xfe", b"[" * 300, b"{" * 90, b'{"a":' * 2000,
    b"&a [*a, *a]", b"- " * 500, b"---\n", b"!!python/object/apply:os.system ['x']\n", b"\r", b"\t",
    b"1e999", b"1" + b"0" * 400, b'"\\u0000"', b".inf", b".nan", "\u2028".encode(),
    b'"\\ud800"', b"? ", b"<<: *x\n", b"'''", b"[[[[", b"2001-01-01", b"0x1F", b"=\n", b"! ",
    b"!!binary x", b"!!set {a, b}",
)  # fmt: skip


def seeds(shared: Path) -> list[dict[str, bytes]]:
    """Skills as mappings of files: our samples, then public ones."""
    roots = sorted((ROOT / "fixtures/evals").iterdir())
    if shared.is_dir():
        for manifest in sorted(shared.glob("cases/synthetic/e*/skills/*/SKILL.md")):
            roots.append(manifest.parent)
        roots += sorted({path.parent.parent for path in shared.glob("corpus/**/evals/evals.json")})
    found = []
    for root in roots:
        files = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and path.stat().st_size < 200_000
        }
        if any(map(candidate, files)):
            found.append(files)
    return found


def bytes_broken(data: bytes, chance: random.Random) -> bytes:
    """Cut, flip, repeat, splice."""
    kind = chance.randrange(6)
    at = chance.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1 and data:
        return data[: at - 1] + bytes([chance.randrange(256)]) + data[at:]
    if kind == 2:
        end = min(len(data), at + chance.randrange(200))
        return data[:at] + data[at:end] * chance.randrange(1, 40) + data[end:]
    if kind == 3:
        end = min(len(data), at + chance.randrange(80))
        return data[:at] + data[end:]
    return data[:at] + chance.choice(SPLICES) + data[at:]


def node_broken(data: Any, chance: random.Random) -> Any:
    """One place in the data becomes something else, moves, or gets a neighbour's value."""
    places: list[tuple[Any, Any]] = []
    stack = [data]
    while stack and len(places) < 5000:
        node = stack.pop()
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in list(keys):
            places.append((node, key))
            stack.append(node[key])
    if not places:
        return chance.choice(VALUES)
    node, key = chance.choice(places)
    kind = chance.randrange(5)
    if kind == 0:
        del node[key]
    elif kind == 1:
        other, name = chance.choice(places)
        try:
            node[key] = json.loads(json.dumps(other[name]))
        except (KeyError, IndexError, ValueError, TypeError):
            node[key] = chance.choice(VALUES)
    elif kind == 2 and isinstance(node, dict):
        node[chance.choice(("id", "prompt", "files", "graders", "type", "x"))] = node.pop(key)
    else:
        node[key] = json.loads(json.dumps(chance.choice(VALUES)))
    return data


def broken(path: str, data: bytes, chance: random.Random) -> bytes:
    """A file with one to four faults."""
    for _ in range(chance.randrange(1, 5)):
        if chance.random() < 0.55 and path.endswith((".json", ".yaml", ".yml")):
            try:
                loaded = yaml.safe_load(data.decode()) if not path.endswith(".json") else json.loads(data)
                loaded = node_broken(loaded, chance)
                text = json.dumps(loaded) if path.endswith(".json") else yaml.safe_dump(loaded)
                data = text.encode("utf-8", "surrogatepass")
                continue
            except (ValueError, yaml.YAMLError, RecursionError, TypeError, AttributeError):
                pass
        data = bytes_broken(data, chance)
    return data


def tried(files: dict[str, bytes]) -> str | None:
    """What is wrong with how a broken skill is read; None where nothing is."""
    found = {path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(d), data=d) for path, d in files.items()}
    began = time.monotonic()
    try:
        suite = read_suite(found, compose.dialects(), skill_name="tide-tables")
        list(advise(suite, attainable, skill_name="tide-tables"))
    except Exception:  # noqa: BLE001 - a crash of any kind is what is looked for
        return traceback.format_exc()
    if time.monotonic() - began > SLOW:
        return f"took {time.monotonic() - began:.1f} s"
    for file in suite.files:
        if not file.reading.cases and not file.reading.errors:
            return f"{file.path}: neither a case nor an error"
    try:
        write(suite.cases, "tide-tables")[0].encode()
        json.dumps([asdict(case) for case in suite.cases], allow_nan=False)
        "".join(f"{remark.message}{remark.hint}" for remark in suite.errors).encode()
    except Exception:  # noqa: BLE001 - as above
        return traceback.format_exc()
    return None


def tried_result(files: dict[str, bytes]) -> str | None:
    """What is wrong with how a broken result file of another tool is read."""
    for path, data in files.items():
        try:
            loaded = json.loads(data)
        except (ValueError, RecursionError):
            continue
        try:
            for importer in compose.importers():
                if importer.claims(loaded):
                    for figure in importer.read(loaded, path):
                        assert figure.value is None or abs(figure.value) < float("inf")
                        to_line(figure).encode()
                        assert "imported, unverified" in figure.because
        except Exception:  # noqa: BLE001 - as above
            return traceback.format_exc()
    return None


def shrunk(files: dict[str, bytes], path: str, still: Callable[[dict[str, bytes]], bool]) -> bytes:
    """A shorter file that still fails, by halves."""
    data = files[path]
    step = len(data) // 2
    while step:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + step :]
            if still({**files, path: shorter}):
                data = shorter
            else:
                at += step
        step //= 2
    return data


def main() -> int:
    """Exit 1 where an input failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    given = parser.parse_args()
    chance = random.Random(given.seed)
    skills = seeds(ROOT.parent / "shared")
    results = [{path.name: path.read_bytes()} for path in sorted((ROOT / "fixtures/results").rglob("*.json"))]
    end = time.monotonic() + given.seconds
    count = failures = 0
    slowest = 0.0
    while time.monotonic() < end:
        reads = tried_result if chance.random() < 0.2 else tried
        files = dict(chance.choice(results if reads is tried_result else skills))
        path = chance.choice([name for name in files if reads is tried_result or candidate(name)])
        files[path] = broken(path, files[path], chance)
        began = time.monotonic()
        wrong = reads(files)
        slowest = max(slowest, time.monotonic() - began)
        count += 1
        if wrong:
            failures += 1
            given.keep.mkdir(parents=True, exist_ok=True)
            data = shrunk(files, path, lambda changed, reads=reads: bool(reads(changed)))
            name = f"{failures:03}-{Path(path).name}"
            (given.keep / name).write_bytes(data)
            print(f"FAILED {path} -> {name}\n{wrong[-600:]}")
            if failures >= 10:
                break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"seeds {len(skills)} + {len(results)}  inputs {count}  failures {failures}  slowest {slowest:.2f} s  "
        f"peak {peak:.0f} MiB  seconds {given.seconds:.0f}  seed {given.seed}"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
