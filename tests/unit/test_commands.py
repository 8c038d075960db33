"""The shell parser: what runs, with which words, inside what."""

from __future__ import annotations

import pytest

from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.scripts.shell.commands import MAX_BYTES, MAX_COMMANDS, parse


def one(script: str) -> Command:
    (command,) = parse(script)
    return command


@pytest.mark.parametrize(
    ("script", "argv"),
    [
        ("rm -rf build", ("rm", "-rf", "build")),
        (r"r\m -r''f 'a b' c\ d", ("rm", "-rf", "a b", "c d")),
        (r"""echo $'\x41\n' "x\"y" """, ("echo", "A\n", 'x"y')),
        ('cat "$HOME/x" $(date) `id`', ("cat", None, None, None)),
        ('echo " $x"', ("echo", None)),
        ("DIR=/srv/x; rm -r $DIR/y", ("rm", "-r", "/srv/x/y")),
        ("ls {a,b}.txt *.md", ("ls", "{a,b}.txt", "*.md")),
    ],
)
def test_words_are_what_the_program_receives(script: str, argv: tuple[str | None, ...]) -> None:
    substitutions = {Within.SUBSTITUTION}
    commands = [c for c in parse(script) if c.words and not c.within & substitutions]
    assert [c.argv for c in commands] == [argv]


def test_a_dynamic_word_keeps_its_written_shape() -> None:
    assert one('cat "${HOME}/.ssh/id_rsa"').words[1].shape == "$HOME/.ssh/id_rsa"


@pytest.mark.parametrize(
    ("script", "word"),
    [
        ("X=a; X=b; rm $X", "b"),
        ("X=a; rm $X; X=b", "a"),
        ("X=a; if true; then X=b; fi; rm $X", None),
        ("X=a; (X=b); rm $X", None),
        ("X=a; X=$(cat y); rm $X", None),
        ('set -- a b; rm "$2"', "b"),
    ],
)
def test_a_variable_that_is_set_again_holds_the_latest_value_where_that_is_sure(script: str, word: str | None) -> None:
    (found,) = (command for command in parse(script) if command.name == "rm")
    assert found.argv == ("rm", word)


@pytest.mark.parametrize(
    ("script", "argv", "wrappers"),
    [
        ("sudo -u root rm x", ("rm", "x"), ("sudo",)),
        ("env A=1 B=2 timeout -s KILL 5 nice -n 3 rm x", ("rm", "x"), ("env", "timeout", "nice")),
        ("nohup setsid /usr/bin/rm x &", ("/usr/bin/rm", "x"), ("nohup", "setsid")),
        ("xargs -0 -n 1 rm -f", ("rm", "-f"), ("xargs",)),
        ("find . -name x -exec rm -f {} +", ("rm", "-f", "{}"), ("find",)),
        ("uv run --with rich python scripts/a.py --x", ("python", "scripts/a.py", "--x"), ("uv run",)),
        ("docker run --rm -it -v a:/b img:1 rm x", ("rm", "x"), ("docker run",)),
        ("kubectl exec -n ns pod -- rm x", ("rm", "x"), ("kubectl exec",)),
        ("command -v python3", ("command", "-v", "python3"), ()),
    ],
)
def test_wrappers_are_taken_off(script: str, argv: tuple[str, ...], wrappers: tuple[str, ...]) -> None:
    command = one(script)
    assert (command.argv, command.wrappers) == (argv, wrappers)


@pytest.mark.parametrize(
    "script",
    [
        'bash -lc "cd /x && rm -rf y"',
        "sh -c 'rm -rf y'",
        "bash -o pipefail -c 'rm -rf y'",
        'eval "rm -rf y"',
        "su root -c 'rm -rf y'",
        "bash <<EOF\nrm -rf y\nEOF",
        "sh <<< 'rm -rf y'",
        "sudo env X=1 bash -c \"sh -c 'rm -rf y'\"",
    ],
)
def test_a_script_in_a_string_is_parsed(script: str) -> None:
    inner = parse(script)[-1]
    assert inner.argv == ("rm", "-rf", "y")
    assert Within.STRING in inner.within
    assert inner.parent is not None


def test_ssh_commands_run_elsewhere() -> None:
    outer, inner = parse("ssh -p 22 me@host 'rm -rf /srv'")
    assert inner.argv == ("rm", "-rf", "/srv")
    assert inner.within == {Within.REMOTE}
    assert outer.within == frozenset()


def test_pipelines_number_their_stages_through_groups_and_wrappers() -> None:
    commands = parse("curl u | (cat | sudo sh) ; ls")
    assert [(c.name, c.position) for c in commands] == [("curl", 0), ("cat", 1), ("sh", 2), ("ls", 0)]
    assert len({c.pipeline for c in commands[:3]}) == 1
    assert commands[3].pipeline != commands[0].pipeline


def test_a_here_document_can_be_piped_on() -> None:
    cat, grep = parse("cat > out <<EOF | grep foo\nhi $X\nEOF\n")
    assert [(r.operator, r.target.shape if r.target else None, r.body) for r in cat.redirects] == [
        (">", "out", None),
        ("<<", None, "hi $X\n"),
    ]
    assert (cat.pipeline, cat.position, grep.position) == (grep.pipeline, 0, 1)


def test_operators_say_what_joins_two_commands() -> None:
    assert [c.operator for c in parse("a && b || c; d & e\nf | g")] == ["", "&&", "||", ";", "&", "", "|"]


def test_background_and_surroundings_are_told() -> None:
    commands = parse("f() { a; }\nfor x in 1; do b; done\nif c; then d; fi\n(e)\ng &\necho $(h) <(i)")
    by_name = {c.name: c for c in commands}
    assert by_name["a"].within == {Within.FUNCTION}
    assert by_name["b"].within == {Within.LOOP}
    assert by_name["c"].within == by_name["d"].within == {Within.BRANCH}
    assert by_name["e"].within == {Within.SUBSHELL}
    assert by_name["g"].background
    assert by_name["h"].within == {Within.SUBSTITUTION}
    assert by_name["i"].within == {Within.PROCESS}
    assert by_name["h"].parent == by_name["echo"].index


def test_places_are_lines_and_characters_of_the_file() -> None:
    commands = parse("é=1\n  ä && rm 'ö' x\nbash -c 'rm y'")
    rm = next(c for c in commands if c.name == "rm")
    assert (rm.line, rm.column, rm.end_column) == (2, 8, 16)
    assert (rm.words[2].line, rm.words[2].column) == (2, 15)
    inner = commands[-1]
    assert (inner.line, inner.column) == (3, 10)


def test_a_substitution_in_a_handed_script_is_told_once() -> None:
    assert [c.name for c in parse('bash -c "$(curl x)"')].count("curl") == 1


@pytest.mark.parametrize(
    "script",
    [
        "", "\0", "(((((", "a | ", "if", "$(", "`", "<<EOF", "bash -c", "sudo", "env A=1", "eval", "\ud800",
        "(" * 5000, "$(" * 3000 + ")" * 3000, "a && " * 4000 + "b", "bash -c '" * 50, "x" * 300_000, "a;" * 200_000,
        "bash -c \"" + "bash -c \\\"" * 40, "<<A <<B <<C\n", "a\n" * 100_000, "{ " * 3000, "case x in " * 2000,
    ],
)  # fmt: skip
def test_nothing_raises_and_everything_is_bounded(script: str) -> None:
    commands = parse(script)
    assert len(commands) <= MAX_COMMANDS
    assert all(command.index == at for at, command in enumerate(commands))


def test_what_lies_beyond_the_limit_is_not_read() -> None:
    assert parse("a " + "x" * MAX_BYTES + "; rm y")[-1].name != "rm"


@pytest.mark.parametrize(
    ("script", "folders"),
    [
        ("cd / && rm x", ["/"]),
        ("cd a; cd b; rm x", ["a/b"]),
        ("cd a/b && cd .. && rm x", ["a"]),
        ("(cd /; rm x); rm y", ["/", ""]),
        ("cd / | cat; rm x", [""]),
        ("pushd /etc; rm x; popd; rm y", ["/etc", ""]),
        ("cd /etc; cd /usr; cd -; rm x", ["/etc"]),
        ("cd; rm x", ["$HOME"]),
        ("cd ~/a && cd .. && rm x", ["~/a/.."]),
        ("env -C / rm x", ["/"]),
        ("sudo --chdir=/etc rm x", ["/etc"]),
        ("cd /; bash -c 'rm x'", ["/"]),
        ("bash -c 'cd /'; rm x", [""]),
        ("eval 'cd /'; rm x", ["/"]),
        ('echo "$(cd /; rm x)"; rm y', ["/", ""]),
        ("f() { rm x; }; cd /; f", ["", "/"]),
    ],
)
def test_a_command_knows_the_folder_that_it_runs_in(script: str, folders: list[str]) -> None:
    assert [command.folder for command in parse(script) if command.name == "rm"] == folders


def test_a_script_is_followed_from_the_folder_that_it_is_started_in() -> None:
    assert parse("cd ..; rm x", "/srv/app")[-1].folder == "/srv"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("sh -c 'rm \"$0\"' /", ["/"]),
        ("bash -c 'rm \"$1\"' _ /home", ["/home"]),
        ("bash -c 'rm \"$@\"' _ / /etc", ["/", "/etc"]),
        ("bash -s / <<'E'\nrm $1\nE", ["/"]),
        ("X=/ sh -c 'rm $X'", ["/"]),
        ("D=$HOME; rm $D/", ["$HOME/"]),
        ("rm ${HOME:?}/", ["$HOME/"]),
        ("rm ${UNKNOWN:?}/", ["${UNKNOWN:?}/"]),
        ('a=(/ /etc); rm "${a[@]}"', ["/", "/etc"]),
        ("C='rm /'; $C", ["/"]),
        ("rm${IFS}/", ["/"]),
        ("$(echo rm) /", ["/"]),
        ("echo 'rm /' | sh", ["/"]),
        ("printf '%s\\n' 'rm /' | bash", ["/"]),
        ("cat <<'E' | sh\nrm /\nE", ["/"]),
        ("cat x | sh", []),
    ],
)
def test_what_a_script_hands_on_is_read_at_its_receiver(script: str, words: list[str]) -> None:
    found = [command for command in parse(script) if command.name == "rm"]
    assert [word.shape for command in found for word in command.operands] == words


def test_a_loop_over_written_words_is_walked_once_for_each() -> None:
    found = [command.words[1].shape for command in parse('for d in / "$HOME"; do rm "$d"; done')]
    assert found == ["/", "$HOME"]
    for script, word in (("$(cat x)", "$d"), ("$(ls /)", "*"), ("$(ls *.bak)", "$d")):
        assert [c.words[1].shape for c in parse(f'for d in {script}; do rm "$d"; done') if c.name == "rm"] == [word]


def test_a_function_is_read_with_the_arguments_of_its_call_and_never_without_end() -> None:
    assert parse('f() { rm "$1"; }; f /')[-1].words[1].shape == "/"
    assert len(parse('f() { f "$1"; }; f /')) < 10


def test_what_find_hands_over_is_kept() -> None:
    assert [word.shape for word in one("find / -type f -exec rm {} +").given] == ["/", "-type", "f"]
