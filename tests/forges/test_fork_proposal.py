"""A fork's job says in figures what approving it would start, without a key; and the poster bounds what it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.price import cost
from aces_ci.core.spending.price_table import price_of
from aces_ci.tiers import proposal
from tests.fakes.server import Answer
from tests.forges.fork_scene import NUMBER, Fork, fork
from tests.git_history import skill

ROOT = "skills/tide-tables"
PRICED, UNPRICED = "claude-sonnet-5", "nobody-knows-this"
Document = dict[str, Any]


def policy(
    model: str = PRICED, *, when: str = "auto", looks: str = "3, 5, 8", usd: str = "10", judge: str = "auto"
) -> str:
    agents = f"harnesses: [{{name: claude-code, model: {model}}}]"
    live = f"live:\n  when: {when}\n  {agents}\n  attempts: {{looks: [{looks}]}}\n"
    return f"version: 1\n{live}budget: {{usd: {usd}}}\njudge: {{provider: {judge}}}\ngates: {{evals: advise}}\n"


def cases(*prompts: str) -> str:
    rows = [{"id": number, "prompt": text, "expectations": ["It is so."]} for number, text in enumerate(prompts)]
    return json.dumps({"skill_name": "tide-tables", "evals": rows})


FIVE = [f"Print the tides of port {number}." for number in range(5)]
MAIN = {
    f"{ROOT}/SKILL.md": skill("tide-tables", "Run `scripts/print.py`."),
    f"{ROOT}/evals/evals.json": cases(*FIVE),
    f"{ROOT}/scripts/print.py": "print(1)\n",
    f"{ROOT}/scripts/old.py": "print(0)\n",
    "aces.yml": policy(),
}
CODE = {
    f"{ROOT}/SKILL.md": skill("tide-tables", "Run `scripts/print.py`, then `scripts/pull.py`."),
    f"{ROOT}/scripts/pull.py": "print(2)\n" * 41,
    f"{ROOT}/scripts/print.py": "print(3)\n",
    f"{ROOT}/scripts/old.py": None,
}


def reported(tmp: Path, on_main: Document, of_fork: Document) -> tuple[Fork, Document, str]:
    with fork(tmp, on_main, of_fork) as made:
        _, log, document = made.job()
        assert document["verdict"]["state"] == "waits", log
        comment = (made.tmp / "aces-results" / "comment.md").read_text("utf-8").replace("\u00a0", " ")
        return made, document, comment


def line(comment: str, word: str) -> str:
    return next(row for row in comment.split("\n") if row.startswith(f"- **{word}**"))


def test_cases_runs_arms_dollars_minutes_and_code(tmp_path: Path) -> None:
    _, document, comment = reported(tmp_path, MAIN, CODE)
    price = price_of(PRICED)
    assert price is not None
    each = cost(price, proposal.Expected().usage)
    least, most = 45 * each / 1e6, 120 * each / 1e6
    assert line(comment, "Runs").startswith(
        f"- **Runs**: 5 cases × 3 to 8 runs × 3 arms = 45 to 120, about {least:.2f} to {most:.2f} USD "
        "and 11 to 30 min, stopped at 10.00 USD; a judge reads 1 skill"
    )
    code = line(comment, "Code")
    assert "scripts/pull.py) (new, 41 lines)" in code
    assert "scripts/print.py) (changed)" in code
    assert "old.py" not in code, "what is gone is run by nobody"
    assert "**Cases**" not in comment
    assert f"# the live run with your own key, about ${least:.2f}\nuvx 'aces-ci[judge,live]@" in comment
    assert f" live {ROOT} --base {document['merge_base'][:7]}" in comment


def test_changed_cases_are_counted_and_run_beside_those_that_decide(tmp_path: Path) -> None:
    own = cases(FIVE[0], "Another port.", *FIVE[2:], "A sixth port.")
    _, _, comment = reported(tmp_path, MAIN, {**CODE, f"{ROOT}/evals/evals.json": own})
    assert "changes 2 cases; the cases of `main` decide, these are a second table" in line(comment, "Cases")
    assert "11 cases (6 of them the change's own) × 3 to 8 runs × 3 arms = 99 to 264" in line(comment, "Runs")


def test_a_new_skill_brings_cases_of_its_own(tmp_path: Path) -> None:
    new = "skills/new-one"
    files = {f"{new}/SKILL.md": skill("new-one", "Do."), f"{new}/evals/evals.json": cases(*FIVE)}
    _, _, comment = reported(tmp_path, MAIN, files)
    assert "brings 5 cases; `main` has none, so they inform and do not gate" in line(comment, "Cases")
    assert "5 cases × 3 to 8 runs × 2 arms = 30 to 80" in line(comment, "Runs")


@pytest.mark.parametrize(
    ("on_main", "said"),
    [
        (
            {"aces.yml": policy(UNPRICED, usd="null")},
            "5 cases × 3 to 8 runs × 3 arms = 45 to 120, at a price that is not known and",
        ),
        (
            {"aces.yml": policy(UNPRICED)},
            "no agent: the price of nobody-knows-this is not known, so the budget of 10.00 USD cannot be kept, stopped",
        ),
        (
            {"aces.yml": policy(usd="0.2")},
            "no agent: the budget leaves agents 0.20 USD, and one request of claude-code to claude-sonnet-5 sets "
            "aside at least 0.46 USD: raise budget.usd to 0.46 USD or more, stopped at 0.20",
        ),
        (
            {"aces.yml": policy(usd="0.5")},
            "no agent: beside a judge, the budget leaves agents 0.40 USD (0.10 USD are kept for grading), and one "
            "request of claude-code to claude-sonnet-5 sets aside at least 0.46 USD: raise budget.usd to 0.58 USD",
        ),
        (
            {"aces.yml": policy(judge="off")},
            "no agent: no outcome could be scored: there is no judge, and no case checks its outcome by itself",
        ),
        ({"aces.yml": policy(when="off")}, "no agent: live.when: off in aces.yml, stopped at"),
        ({f"{ROOT}/evals/evals.json": "{}"}, "no agent: "),
        (
            {f"{ROOT}/evals/evals.json": cases(FIVE[0]), "aces.yml": policy(looks="2")},
            "can never reach a verdict, stopped",
        ),
    ],
    ids=[
        "no price",
        "no price under a budget",
        "too small",
        "too small beside a judge",
        "no judge",
        "off",
        "no cases",
        "never a verdict",
    ],
)
def test_what_is_unknown_or_will_not_run_is_said_and_is_no_zero(tmp_path: Path, on_main: Document, said: str) -> None:
    _, _, comment = reported(tmp_path, {**MAIN, **on_main}, CODE)
    assert said in line(comment, "Runs").replace("\\", "").replace("`", "")
    assert "0.00" not in line(comment, "Runs").replace("10.00", "")
    assert ("live run with your own key" in comment) == said.startswith("5 cases")


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fork, Document]]:
    with fork(tmp_path_factory.mktemp("fork"), MAIN, CODE) as made:
        yield made, made.job()[2]


def test_the_poster_shows_the_figures_as_the_fork_s_word(honest: tuple[Fork, Document]) -> None:
    made, document = honest
    made.finished(document)
    made.post()
    (body,) = made.fake.bodies(NUMBER)
    made.fake.comments.clear()
    assert "5 cases × 3 to 8 runs × 3 arms = 45 to 120" in body
    assert "stopped at 10.00 USD" in body.replace("\u00a0", " "), "the built-in budget, as main has no other"
    assert "this list is the word of the fork's own job, its figures too" in body


@pytest.mark.parametrize(
    ("on_main", "of_workflow", "told"),
    [
        ("budget: {usd: 7.5}", {}, "7.50 USD"),
        ("budget: {usd: 7.5}", {"INPUT_BUDGET_USD": "3"}, "3.00 USD"),
        ("budget: {usd: null}", {}, "the budget of `main`"),
        (None, {}, "the budget of `main`"),
        (None, {"INPUT_BUDGET_USD": "3"}, "3.00 USD"),
    ],
    ids=["policy", "workflow", "no cap", "unreadable", "unreadable, and the workflow's"],
)
def test_the_budget_is_that_of_the_default_branch_and_never_the_fork_s_word(
    honest: tuple[Fork, Document], on_main: str | None, of_workflow: dict[str, str], told: str
) -> None:
    made, document = honest[0], deepcopy(honest[1])
    document["cost"]["cap_usd_micros"] = 999_000_000
    made.finished(document)
    if on_main is None:
        made.fake.server.force("GET", "/git/trees/", Answer(status=403, body={"message": "no"}))
    else:
        made.fake.files["aces.yml"] = ("100644", f"version: 1\n{on_main}\n".encode())
    log = made.post(of_workflow)
    (body,) = made.fake.bodies(NUMBER)
    made.fake.comments.clear()
    made.fake.files.clear()
    assert f"stopped at {told}" in body.replace("\u00a0", " ")
    assert "999" not in body
    assert ("could not be read" in log) == (on_main is None)


@pytest.mark.parametrize("mode", ["120000", "160000", "040000"])
def test_a_policy_that_is_no_file_stops_the_poster(honest: tuple[Fork, Document], mode: str) -> None:
    made, document = honest
    made.fake.files["aces.yml"] = (mode, b"evil.yml")
    refused(made, json.dumps(document).encode(), "policy_kind")
    made.fake.files.clear()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cases", 10**30),
        ("cases", -1),
        ("own_cases", -5),
        ("cases_changed", 10**9),
        ("arms", -3),
        ("agents", 10**9),
        ("attempts", [3, -8]),
        ("runs", [45, 10**15]),
        ("usd_micros", [-1, 5]),
        ("usd_micros", [0, 10**18]),
        ("minutes", [1.0, 1e300]),
        ("minutes", [-0.5, 1.0]),
        ("skill", "skills/other"),
        ("because", "x" * 5_000),
        ("scripts", [{"path": "README.md", "fate": "new", "lines": 1}]),
        ("scripts", [{"path": f"{ROOT}/scripts/pull.py", "fate": "new", "lines": -1}]),
    ],
)
def test_figures_that_are_none_are_refused(honest: tuple[Fork, Document], key: str, value: object) -> None:
    made, document = honest[0], deepcopy(honest[1])
    document["skills"][0]["proposed"][key] = value
    refused(made, json.dumps(document).encode(), "figures")


@pytest.mark.parametrize(("said", "code"), [("NaN", "number"), ("-Infinity", "number"), ("1e999", "figures")])
def test_what_is_no_number_is_refused(honest: tuple[Fork, Document], said: str, code: str) -> None:
    made, document = honest[0], deepcopy(honest[1])
    document["skills"][0]["proposed"]["minutes"] = [1.0, 123456.5]
    refused(made, json.dumps(document).replace("123456.5", said).encode(), code)


def refused(made: Fork, data: bytes, code: str) -> None:
    made.finished(data)
    with pytest.raises(UsageError) as caught:
        made.post()
    assert caught.value.code == code, caught.value.text()
    assert made.fake.bodies(NUMBER) == []
