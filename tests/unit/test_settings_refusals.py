"""What settings refuse, in whose words, and where they point."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from aces_ci.cli.main import cli
from aces_ci.core.errors import UsageError
from aces_ci.settings.inputs import inputs_of
from aces_ci.settings.load import leaves, load, twin
from aces_ci.settings.source import read
from aces_ci.tiers.choose_judge import overriding

LIBRARY = re.compile(r"Input should|tuple|dictionary|instance of|enum|literal|pydantic|Structural\b|recursion")

PER_TOKEN = "must be US dollars per million tokens: so small a number looks like the price of one token"
ROOT = Path(__file__).resolve().parents[2]
WRONG = [
    # text of aces.yml, what is said, and the part of the line that is marked
    ("skills: {include: skills/**}", "`skills.include` must be a list, e.g. [skills/**]", "skills/**"),
    ("skills:\n  include: {a: 1}", "`skills.include` must be a list, e.g. [skills/**]", "{a: 1}"),
    ("skills: {include: [3]}", "`skills.include.0` must be text", "3"),
    ("structural: strict", "`structural` must be a mapping of settings", "strict"),
    ("structural: [a, b]", "`structural` must be a mapping of settings", "[a, b]"),
    ("structural:", "`structural` must be a mapping of settings", "structural"),
    ("gates:\n  spec: blok  # soon", "`gates.spec` must be one of block, advise, off", "blok"),
    ("gates: {evals: never, lift: off}", "`gates.evals` must be one of block, advise, off, auto", "never"),
    ("structural: {profile: 'loose'}", "`structural.profile` must be one of spec, aces, strict", "'loose'"),
    ("live: {when: sometimes}", "`live.when` must be one of auto, label, off", "sometimes"),
    ("live: {arms: [with_skill, none]}", "`live.arms.1` must be one of with_skill, previous, baseline", "none"),
    ("structural: {min_score: many}", "`structural.min_score` must be a whole number from 0 to 100", "many"),
    ("structural: {min_score: 101}", "`structural.min_score` must be a whole number from 0 to 100", "101"),
    ("structural: {min_score: 7.5}", "`structural.min_score` must be a whole number from 0 to 100", "7.5"),
    ("judge: {min_score: high}", "`judge.min_score` must be a number from 0 to 10", "high"),
    ("judge: {model: [a]}", "`judge.model` must be text, or null", "[a]"),
    ("judge: {base_url: not an address}", "`judge.base_url` must be an address", "not an address"),
    ("structural: {lint: perhaps}", "`structural.lint` must be true or false", "perhaps"),
    ("budget: {usd: .inf}", "`budget.usd` must be a number of at least 0, or null", ".inf"),
    ("budget: {usd: .nan}", "`budget.usd` must be a number of at least 0, or null", ".nan"),
    ("budget: {usd: -1}", "`budget.usd` must be a number of at least 0, or null", "-1"),
    ("budget: {usd: 1e308}", "`budget.usd` must be at most 1000000000 US dollars", "1e308"),
    (
        "prices: [{model: m, input: 1e308, output: 1}]",
        "`prices.0.input` must be at most 1000000000 US dollars",
        "1e308",
    ),
    ("prices: [{model: m, input: 0.000003, output: 1}]", f"`prices.0.input` {PER_TOKEN}", "0.000003"),
    ("prices: [{model: m, input: 1, output: 0.0009}]", f"`prices.0.output` {PER_TOKEN}", "0.0009"),
    ("prices: [{model: m, input: 1, output: 1, cache_read: 3e-7}]", f"`prices.0.cache_read` {PER_TOKEN}", "3e-7"),
    ("prices: [{model: m, input: '3', output: 1}]", "`prices.0.input` must be a number of at least 0", "'3'"),
    ("prices: [{model: m, input: true, output: 1}]", "`prices.0.input` must be a number of at least 0", "true"),
    ("prices: [{model: m, input: .nan, output: 1}]", "`prices.0.input` must be a number of at least 0", ".nan"),
    ("prices: [{model: m, input: -1, output: 1}]", "`prices.0.input` must be a number of at least 0", "-1"),
    ("prices: [{model: m, input: 1, output: 1, cache_write: x}]", "`prices.0.cache_write` must be a number of", "x"),
    ("prices: [{model: m, output: 1}]", "`prices.0.input` is missing", "{model: m, output: 1}"),
    ("prices: [{model: '', input: 1, output: 1}]", "`prices.0.model` must be text", "''"),
    ("prices: [free]", "`prices.0` must be a mapping of settings", "free"),
    ("budget: {minutes: 1e400}", "`budget.minutes` must be a number above 0, or null", "1e400"),
    ("budget: {minutes: 0}", "`budget.minutes` must be a number above 0, or null", "0"),
    ("live: {weights: {security: .inf}}", "`live.weights.security` must be a number of at least 0", ".inf"),
    ("live: {attempts: {looks: [5, 3]}}", "`live.attempts.looks` must rise, e.g. [3, 5, 8]", "[5, 3]"),
    ("live: {attempts: {looks: [0]}}", "`live.attempts.looks.0` must be a whole number from 1 to 50", "0"),
    ("live: {harnesses: [{name: codex}]}", "`live.harnesses.0.model` is missing", "{name: codex}"),
    ("version: 2", "`version` must be 1", "2"),
    ("comment: {key: Über}", "`comment.key` must be text of the form", "Über"),
]


def refused(text: str, **layers: object) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load(policy=read(text.encode(), "aces.yml"), **layers)  # type: ignore[arg-type]
    return caught.value


def test_everything_that_is_wrong_is_told_at_once() -> None:
    error = refused("live:\n  atempts: 3\n  when: sometimes\nbudget: {usd: lots}\ngatez: 1\n")
    assert error.message == "aces.yml:3:9: `live.when` must be one of auto, label, off"
    assert error.text().split("\n  and: ")[1].split("\n  do: ")[0].split("\n       ") == [
        "aces.yml:2:3: unknown key `atempts` in `live`; did you mean `attempts`?",
        "aces.yml:4:15: `budget.usd` must be a number of at least 0, or null",
        "aces.yml:5:1: unknown key `gatez` in aces.yml; did you mean `gates`?",
    ]


def test_one_wrong_value_is_told_once() -> None:
    assert refused("budget: {usd: lots}").also == ()


@pytest.mark.parametrize(("text", "said", "marked"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_value_is_refused_in_our_words_with_the_mark_under_it(text: str, said: str, marked: str) -> None:
    error = refused(text)
    assert said in error.message
    assert not LIBRARY.search(error.message.partition("` must")[2])
    source, mark = error.excerpt
    assert source[mark.index("^") : mark.rindex("^") + 1] == marked
    assert error.path == "aces.yml"
    assert error.line == int(source.split(" | ")[0])
    assert error.do


UNKNOWN = [
    ("gatez: {}\n", {}, "aces.yml:1:1: unknown key `gatez` in aces.yml"),
    ("gates: {spek: off}\n", {}, "aces.yml:1:9: unknown key `spek` in `gates`"),
    ("", {"overrides": ["gatez=1"]}, "unknown key `gatez` on the command line; did you mean `gates`?"),
    ("", {"overrides": ["gatez.spec=off"]}, "unknown key `gatez` on the command line; did you mean `gates`?"),
    ("", {"inputs": {"gatez.spec": "off"}}, "unknown key `gatez` in input gatez.spec; did you mean `gates`?"),
    ("version: 1\n", {"overrides": ["live.wen=off"]}, "unknown key `wen` in `live`; did you mean `when`?"),
]


@pytest.mark.parametrize(("text", "layers", "message"), UNKNOWN)
def test_an_unknown_key_says_where_it_was_written(text: str, layers: dict[str, object], message: str) -> None:
    assert refused(text, **layers).message == message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ACES_GATES_REGRESION", "ACES_GATES_REGRESSION"),
        ("ACES_GATE_REGRESSION", "ACES_GATES_REGRESSION"),
        ("ACES_STRUCTRAL_PROFILE", "ACES_STRUCTURAL_PROFILE"),
        ("ACES_LIVE_WEN", "ACES_LIVE_WHEN"),
    ],
)
def test_a_mistyped_variable_is_not_passed_over(name: str, meant: str) -> None:
    error = refused("version: 1\n", env={name: "off", "ACES_TEAM": "x"})
    assert error.message == f"no setting has the variable `{name}`; did you mean `{meant}`?"


def test_no_variable_of_our_own_is_taken_for_a_mistyped_setting() -> None:
    def options(group: click.Group, name: str) -> Iterator[str]:
        for word in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), word)
            whole = f"{name}_{word}".upper().replace("-", "_")
            if isinstance(command, click.Group):
                yield from options(command, whole)
            elif command is not None:
                yield from (f"{whole}_{option.name}".upper() for option in command.params)

    files = [*(ROOT / "aces_ci").rglob("*.py"), *(ROOT / ".github").rglob("*.yml"), ROOT / "gitlab-ci-component.yml"]
    ours = set(options(cli, "ACES")) | {
        name for path in files for name in re.findall(r"\bACES_[A-Z_]+[A-Z]\b", path.read_text("utf-8"))
    }
    assert {"ACES_GITLAB_TOKEN", "ACES_POST_CHANGE", "ACES_CACHE", "ACES_APPROVAL"} <= ours
    load(env=dict.fromkeys(ours - {twin(path) for path, _ in leaves()}, "x"))


def test_the_lines_of_input_set_are_settings_and_none_is_passed_over() -> None:
    given = {"INPUT_SET": "gates.structural=block\n\n# a word\n live.when = off \nbudget.usd=\n"}
    assert inputs_of(given, settings_only=True) == {"gates.structural": "block", "live.when": "off", "budget.usd": ""}
    for line in ("gates.structural: block", "=block"):
        with pytest.raises(UsageError, match=f"holds a line that is not key=value: {line}"):
            inputs_of({"INPUT_SET": f"live.when=off\n{line}\n"}, settings_only=True)


@pytest.mark.parametrize(
    ("layers", "at"),
    [
        ({"overrides": ["gates.spec=x"]}, "command line"),
        ({"env": {"ACES_GATES_SPEC": "x"}}, "environment ACES_GATES_SPEC"),
        ({"inputs": {"gates.spec": "x"}}, "input gates.spec"),
    ],
)
def test_a_value_from_elsewhere_is_not_blamed_on_the_file(layers: dict[str, object], at: str) -> None:
    error = refused("gates: {spec: off}\n", **layers)
    assert error.at == at
    assert (error.path, error.line, error.excerpt) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "line", "mark"),
    [
        ("version: 1\ngates: {spec: off\nlive: {}\n", 3, "^"),
        ("version: 1\ngates: [a, b\n", 2, "^"),
        ("gates:\n\tspec: off\n", 2, "^"),
        ("a: b: c\n", 1, "^"),
        ("version: 1\nversion: 1\n", 2, "^"),
        ("gates: &all {spec: off}\n", 1, "^"),
        ("gates: {spec: *all}\n", 1, "^"),
    ],
)
def test_broken_yaml_shows_its_line_and_says_why(text: str, line: int, mark: str) -> None:
    error = refused(text)
    assert error.line == line
    assert error.message.startswith(f"aces.yml:{line}:")
    source, marks = error.excerpt
    assert text.splitlines()[line - 1] in source
    assert mark in marks
    assert error.why
    assert error.do


@pytest.mark.parametrize("text", ["a: " + "[" * 50_000, "- " * 30_000, "a: " + "{b: " * 15_000, "? " * 30_000])
def test_nesting_without_end_is_one_clear_error_at_once(text: str) -> None:
    started = time.monotonic()
    error = refused(text)
    assert "nest" in error.message
    assert "recursion" not in error.text()
    assert error.why
    assert error.do
    assert len(error.text()) < 1000
    assert time.monotonic() - started < 5


def test_null_is_the_written_way_to_have_no_cap() -> None:
    loaded = load(policy=read(b"budget: {usd: null, minutes: null}\n", "aces.yml"))
    assert (loaded.settings.budget.usd, loaded.settings.budget.minutes) == (None, None)


def test_a_link_and_a_long_file_say_what_to_do(tmp_path: Path) -> None:
    from aces_ci.policy import from_worktree

    (tmp_path / "real.yml").write_text("version: 1\n")
    (tmp_path / "aces.yml").symlink_to("real.yml")
    with pytest.raises(UsageError, match="link") as caught:
        from_worktree(tmp_path, None)
    assert caught.value.do
    (tmp_path / "aces.yml").unlink()
    (tmp_path / "aces.yml").write_bytes(b"#" * 70_000)
    with pytest.raises(UsageError, match="65536") as caught:
        from_worktree(tmp_path, None)
    assert caught.value.do


def test_the_error_of_an_output_folder_names_its_path(tmp_path: Path) -> None:
    from aces_ci.shell.files import Folder

    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    with pytest.raises(UsageError) as caught:
        Folder.at("out", cwd=tmp_path).write("report.json", "{}")
    assert caught.value.code == "output_link"
    assert caught.value.json()["error"]["path"] == str(tmp_path / "out" / "report.json")  # type: ignore[index]


@pytest.mark.parametrize(("rate", "unit"), [(0, 0), (0.001, 1), (0.005, 5), (3, 3000), (1e9, 10**12)])
def test_a_price_is_counted_as_it_was_given(rate: float, unit: int) -> None:
    settings = load(overrides=(f"prices=[{{model: m, input: {rate}, output: {rate}}}]",)).settings
    price = overriding(settings.prices[0])
    assert (price.input, price.output, price.cache_read, price.cache_write) == (unit,) * 4
