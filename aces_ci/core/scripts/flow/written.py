"""The files that a command writes, appends to, puts in place or packs, as it names them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from aces_ci.core.scripts.shell.command import Command

_SUFFIX: Mapping[str, str] = {
    "gzip": ".gz", "pigz": ".gz", "xz": ".xz", "bzip2": ".bz2", "zstd": ".zst", "lz4": ".lz4", "compress": ".Z",
}  # fmt: skip
"""Program -> what it adds to the name of the file that it packs."""
_NAMED: Mapping[str, Sequence[str]] = {
    "openssl": ("-out",), "gpg": ("-o", "--output"), "age": ("-o", "--output"), "base64": ("-o", "--output"),
    "jq": (), "sort": ("-o",), "uuencode": (),
}  # fmt: skip
"""Program -> its options that name what it writes."""
_PLACERS = frozenset({"cp", "mv", "install", "ln"})


def written(command: Command) -> tuple[str, ...]:
    """The files that are written with a text, or put in place."""
    found = [r.target.shape for r in command.redirects if r.writes and r.target]
    if command.name == "tee":
        found += [word.shape for word in command.operands]
    if command.name in _PLACERS and command.operands:
        found.append(command.operands[-1].shape)
    if command.name == "sed" and command.has("-i"):
        found += [word.shape for word in command.operands[1:]]
    return tuple(found)


def packed(command: Command) -> tuple[str, ...]:
    """The archives, encodings and encrypted copies that are made of what it reads."""
    return tuple(_packed(command, command.name or ""))


def _packed(command: Command, name: str) -> Iterator[str]:
    shapes = [word.shape for word in command.arguments]
    operands = [word.shape for word in command.operands]
    if name in {"tar", "bsdtar", "gtar"}:
        yield from _tar(shapes)
    elif name == "zip" and operands:
        yield operands[0] if "." in operands[0].rsplit("/", 1)[-1] else f"{operands[0]}.zip"
    elif name in {"7z", "7za", "7zz", "rar"} and operands[:1] == ["a"]:
        yield from operands[1:2]
    elif name == "dd":
        yield from (shape[3:] for shape in shapes if shape.startswith("of="))
    elif name in _SUFFIX and not command.has("-c", "--stdout", "-d", "--decompress"):
        yield from (f"{shape}{_SUFFIX[name]}" for shape in operands)
    elif name in {"rsync", "scp"} and operands and ":" not in operands[-1]:
        yield operands[-1]
    for word, following in itertools.pairwise([*shapes, ""]):
        if following and word in _NAMED.get(name, ()):
            yield following


def _tar(shapes: Sequence[str]) -> Iterator[str]:
    """`tar czf OUT …`, `tar -c -f OUT`, `--file=OUT`, where something is put in."""
    letters = "".join(s.lstrip("-") for at, s in enumerate(shapes) if (s[:1] == "-" and s[:2] != "--") or at == 0)
    if not (set("cru") & set(letters) or any(s in {"--create", "--append", "--update"} for s in shapes)):
        return
    for at, (word, following) in enumerate(itertools.pairwise([*shapes, ""])):
        if word.startswith("--file="):
            yield word.partition("=")[2]
        elif following not in {"", "-"} and (
            word == "--file" or (word[:2] != "--" and word[-1:] == "f" and (word[:1] == "-" or at == 0))
        ):
            yield following
