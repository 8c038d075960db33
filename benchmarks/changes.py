"""How long `aces-ci changes` takes as a process on 10,000 skills in 50,000 files, and what makes it longer.

    python benchmarks/changes.py [--skills 10000]

Prints the best of five runs for: one changed skill, a changed file that no skill owns (one bounded look at
every manifest), and 10, 100, 1000 changed skills; beside them an empty Python process on the same machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.git_history import Content, History, skill  # noqa: E402 - the checkout is put on the path first

FILES = ("SKILL.md", "scripts/run.py", "references/notes.md", "assets/table.csv", "evals/evals.json")


def _tree(skills: int) -> dict[str | bytes, Content]:
    body = "\n".join(f"{number}. Do step {number}, see [notes](references/notes.md)." for number in range(30))
    found: dict[str | bytes, Content] = {"README.md": "1\n", "shared/rates.md": "1\n"}
    for number in range(skills):
        folder = f"plugins/p{number // 100:03}/skills/s{number:05}"
        for name in FILES:
            found[f"{folder}/{name}"] = skill(f"s{number:05}", body) if name == "SKILL.md" else f"{number} {name}\n"
        if number % 10 == 0:
            found[f"{folder}/SKILL.md"] = skill(f"s{number:05}", f"[rates](../../../../shared/rates.md)\n{body}")
    return found


def _best(command: list[str], runs: int = 5) -> float:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        taken.append(time.perf_counter() - start)
    return min(taken)


def main() -> None:
    """Builds the repository and prints the table."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--skills", type=int, default=10_000)
    skills = options.parse_args().skills
    with tempfile.TemporaryDirectory() as folder:
        history = History(Path(folder) / "repo.git")
        tree = _tree(skills)
        base = history.commit("main", tree)
        scripts = [path for path in tree if str(path).endswith("scripts/run.py")]
        print(f"{skills} skills, {len(tree)} files; best of five, seconds")
        print(f"{'empty python process':34} {_best([sys.executable, '-c', 'pass']):.3f}")
        cases: dict[str, list[str | bytes]] = {
            "1 skill changed": scripts[:1],
            "1 skill and README.md changed": [scripts[0], "README.md"],
            "shared file of a tenth changed": ["shared/rates.md"],
        }
        cases |= {f"{count} skills changed": scripts[:count] for count in (10, 100, 1000) if count <= skills}
        for name, paths in cases.items():
            head = history.commit("topic", dict.fromkeys(paths, "changed\n"), parent=base)
            command = [sys.executable, "-m", "aces_ci", "changes", "--base", base, "--head", head, "-C"]
            print(f"{name:34} {_best([*command, str(history.path), '--format', 'json']):.3f}")


if __name__ == "__main__":
    main()
