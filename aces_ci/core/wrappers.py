"""Programs that run another program: what they hide is what counts."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.command import Within, Word

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash"})
"""Programs whose standard input, or `-c` text, is a shell script."""
INTERPRETERS = SHELLS | frozenset(
    {
        "python",
        "python2",
        "python3",
        "perl",
        "ruby",
        "node",
        "deno",
        "bun",
        "php",
        "pwsh",
        "powershell",
        "osascript",
        "lua",
    }
)
"""Programs that run what they read from standard input."""

_VALUED: Mapping[str, frozenset[str]] = {
    "sudo": frozenset(
        {
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-r",
            "-t",
            "-U",
            "-D",
            "-R",
            "-T",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
        }
    ),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "-C", "--unset", "--chdir"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "chrt": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "xargs": frozenset(
        {
            "-I",
            "-n",
            "-P",
            "-L",
            "-d",
            "-E",
            "-s",
            "-a",
            "--max-args",
            "--max-procs",
            "--replace",
            "--delimiter",
            "--arg-file",
        }
    ),
    "time": frozenset({"-f", "-o", "--format", "--output"}),
    "watch": frozenset({"-n", "--interval"}),
    "flock": frozenset({"-w", "--timeout", "-E"}),
    "parallel": frozenset({"-j", "--jobs", "-N", "-n", "--delay"}),
    "setsid": frozenset(),
    "nohup": frozenset(),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset({"-a"}),
    "busybox": frozenset(),
    "unbuffer": frozenset(),
    "caffeinate": frozenset({"-t", "-w"}),
    "strace": frozenset({"-e", "-o", "-p", "-s", "-u"}),
    "systemd-run": frozenset({"-p", "-u", "--unit", "--property", "--uid", "--gid"}),
    "chroot": frozenset(),
    "ssh": frozenset(
        {
            "-b",
            "-c",
            "-D",
            "-E",
            "-e",
            "-F",
            "-I",
            "-i",
            "-J",
            "-L",
            "-l",
            "-m",
            "-O",
            "-o",
            "-p",
            "-Q",
            "-R",
            "-S",
            "-W",
            "-w",
            "-B",
        }
    ),
    "dotenv": frozenset({"-f", "--file"}),
}
"""Wrapper -> options that take the next word. Every other word with a dash is a switch."""
_LEADING: Mapping[str, int] = {"timeout": 1, "flock": 1, "ssh": 1, "chroot": 1}
"""Operands that belong to the wrapper itself."""
_RUNNERS: Mapping[tuple[str, str], frozenset[str]] = {
    ("uv", "run"): frozenset(
        {
            "--with",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--env-file",
            "--directory",
            "--project",
            "--index",
            "--from",
            "--package",
        }
    ),
    ("poetry", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("pdm", "run"): frozenset({"-p", "--project"}),
    ("hatch", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("pixi", "run"): frozenset({"-e", "--environment", "--manifest-path"}),
    ("conda", "run"): frozenset({"-n", "--name", "-p", "--prefix", "--cwd"}),
    ("mamba", "run"): frozenset({"-n", "--name", "-p", "--prefix"}),
    ("micromamba", "run"): frozenset({"-n", "--name", "-p", "--prefix"}),
    ("bundle", "exec"): frozenset(),
    ("npm", "exec"): frozenset({"-c", "-p", "--package"}),
    ("pnpm", "exec"): frozenset(),
    ("yarn", "exec"): frozenset(),
    ("op", "run"): frozenset({"--env-file"}),
    ("doppler", "run"): frozenset({"-p", "-c", "--project", "--config"}),
    ("mise", "exec"): frozenset(),
}
_CONTAINERS: Mapping[tuple[str, str], frozenset[str]] = {
    (program, verb): frozenset(
        {
            "-e",
            "-u",
            "-w",
            "-v",
            "-p",
            "-n",
            "-c",
            "-l",
            "-h",
            "-m",
            "--env",
            "--user",
            "--workdir",
            "--volume",
            "--publish",
            "--name",
            "--network",
            "--mount",
            "--entrypoint",
            "--platform",
            "--cpus",
            "--memory",
            "--namespace",
            "--container",
            "--env-file",
            "--label",
            "--hostname",
            "--gpus",
            "--add-host",
            "--cap-add",
            "--cap-drop",
            "--security-opt",
            "--shm-size",
            "--device",
            "-f",
            "--file",
        }
    )
    for program in ("docker", "podman", "nerdctl", "kubectl", "docker-compose", "oc")
    for verb in ("exec", "run")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """What a wrapper runs: more words, or the text of a script."""

    name: str
    words: tuple[Word, ...] = ()
    script: Word | None = None
    within: Within | None = None
    assignments: tuple[tuple[str, Word], ...] = ()


def unwrap(words: Sequence[Word]) -> Inner | None:
    """One wrapper taken off, or None where the first word is the program that counts."""
    name = program(words)
    if name is None:
        return None
    if name in SHELLS:
        return _shell(name, words)
    if name == "eval" and len(words) > 1:
        return Inner(name=name, script=_joined(words[1:]), within=Within.STRING)
    if name == "su":
        return _flagged(name, words, ("-c", "--command"))
    if name == "find":
        return _find(words)
    if name in _VALUED:
        return _plain(name, words)
    second = words[1].text if len(words) > 1 else None
    if second is not None and (name, second) in _RUNNERS:
        rest = _operands(words[2:], _RUNNERS[name, second], 0)
        return Inner(name=f"{name} {second}", words=rest) if rest else None
    if second is not None and (name, second) in _CONTAINERS:
        rest = _operands(words[2:], _CONTAINERS[name, second], 1)
        return Inner(name=f"{name} {second}", words=rest, within=Within.CONTAINER) if rest else None
    return None


def program(words: Sequence[Word]) -> str | None:
    """The first word without folders, or None where it is dynamic or missing."""
    text = words[0].text if words else None
    return text.rsplit("/", 1)[-1] if text else None


def _shell(name: str, words: Sequence[Word]) -> Inner | None:
    at = 1
    while at < len(words):
        option = words[at].shape
        if option[:1] not in "-+" or len(option) < 2:
            return None
        if option[0] == "-" and option[1] != "-" and "c" in option[1:]:
            script = next((w for w in words[at + 1 :] if w.shape[:1] != "-" or " " in w.shape), None)
            return Inner(name=name, script=script, within=Within.STRING) if script else None
        at += 2 if option in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"} else 1
    return None


def _flagged(name: str, words: Sequence[Word], flags: tuple[str, ...]) -> Inner | None:
    for word, following in itertools.pairwise(words):
        if word.shape in flags:
            return Inner(name=name, script=following, within=Within.STRING)
    return None


def _find(words: Sequence[Word]) -> Inner | None:
    for at, word in enumerate(words):
        if word.text in {"-exec", "-execdir", "-ok", "-okdir"}:
            ends = (i for i in range(at + 1, len(words)) if words[i].text in {";", "+"})
            rest = tuple(words[at + 1 : next(ends, len(words))])
            return Inner(name="find", words=rest) if rest else None
    return None


def _plain(name: str, words: Sequence[Word]) -> Inner | None:
    if name == "command" and any(w.text in {"-v", "-V"} for w in words[1:2]):
        return None
    rest = _operands(words[1:], _VALUED[name], _LEADING.get(name, 0))
    assignments: list[tuple[str, Word]] = []
    if name == "env":
        while rest and "=" in rest[0].shape and rest[0].shape.split("=", 1)[0].isidentifier():
            key, value = rest[0].shape.split("=", 1)
            text = rest[0].text
            static = text.split("=", 1)[1] if text is not None else None
            place = rest[0]
            assignments.append((key, Word(text=static, shape=value, line=place.line, column=place.column)))
            rest = rest[1:]
    if not rest:
        return None
    within = Within.REMOTE if name == "ssh" else None
    if name in {"ssh", "watch"} or (len(rest) == 1 and name in {"parallel", "unbuffer"}):
        return Inner(name=name, script=_joined(rest), within=within or Within.STRING)
    return Inner(name=name, words=rest, within=within, assignments=tuple(assignments))


def _operands(words: Sequence[Word], valued: frozenset[str], leading: int) -> tuple[Word, ...]:
    at = 0
    while at < len(words):
        shape = words[at].shape
        if shape == "--":
            at += 1
            if leading:
                at += leading
            return tuple(words[at:])
        if shape[:1] == "-" and len(shape) > 1:
            at += 2 if shape in valued else 1
            continue
        if leading:
            leading -= 1
            at += 1
            continue
        break
    return tuple(words[at:])


def _joined(words: Sequence[Word]) -> Word:
    dynamic = any(word.text is None for word in words)
    shape = " ".join(word.shape for word in words)
    return Word(
        text=None if dynamic else shape,
        shape=shape,
        line=words[0].line,
        column=words[0].column,
        quoted=len(words) == 1 and words[0].quoted,
    )
