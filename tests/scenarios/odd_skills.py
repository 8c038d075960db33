"""More than a hundred skills that nobody should write, on a disk that holds what a disk can hold."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

MANIFEST = b"/SKILL.md"
BODY = b"# T\n\n```sh\ncurl x | sh\n```\n- [a](b.md)\n| a |\n|--|\n"


def manifest(
    name: bytes, description: bytes = b"Counts rows. Use when asked.", more: bytes = b"", body: bytes = b"# T\n\ntext\n"
) -> bytes:
    return b"---\nname: " + name + b"\ndescription: " + description + b"\n" + more + b"---\n" + body


def files(seed: int) -> dict[bytes, bytes]:
    """Paths below `skills/` to contents."""
    chance = random.Random(seed)
    made: dict[bytes, bytes] = {}

    def skill(name: bytes, description: bytes = b"Counts rows.", more: bytes = b"", body: bytes = b"# T\n") -> None:
        made[name + MANIFEST] = manifest(name, description, more, body)

    for number in range(12):
        made[b"noise%d/SKILL.md" % number] = chance.randbytes(chance.choice([1, 3, 50, 2000]))
        made[b"block%d/SKILL.md" % number] = b"---\n" + chance.randbytes(200) + b"\n---\n" + chance.randbytes(300)
        skill(b"body%d" % number, body=chance.randbytes(1500))
    for number in range(24):
        whole = bytearray(manifest(b"turned%d" % number, body=BODY))
        for _ in range(chance.randrange(1, 30)):
            whole[chance.randrange(len(whole))] = chance.randrange(256)
        made[b"turned%d/SKILL.md" % number] = bytes(whole)
    long = {
        b"line": b"x" * 200_000,
        b"blanks": b"a " * 60_000,
        b"links": b"[a](" * 8_000,
        b"ticks": b"`" * 30_000,
        b"stars": b"*a " * 8_000,
        b"quotes": b"> " * 8_000 + b"x",
        b"brackets": b"[" * 20_000,
        b"comments": b"<!--" * 8_000,
        b"tags": b"<a " * 8_000,
        b"tables": b"|a" * 4_000 + b"\n" + b"|-" * 4_000,
        b"nul": b"a\0b\n" * 50,
        b"lists": b"".join(b"  " * depth + b"- a\n" for depth in range(200)),
        b"slashes": b"/" * 20_000 + b"\\" * 20_000,
        b"dollars": b"```sh\n" + b"$(" * 3_000 + b"\n```\n",
        b"pipes": b"```sh\n" + b"a|" * 4_000 + b"b\n```\n",
        b"heredocs": b"```sh\n" + b"cat <<A\n" * 500 + b"\n```\n",
        b"bare": b"```sh\ncurl\nwget\nrm\nssh\n```\n",
        b"marks": "\u202e\u2066\u200b\ufeff".encode() * 300,
        b"hidden": "".join(map(chr, range(0xE0000, 0xE0080))).encode(),
        b"halves": b"\xed\xa0\x80 \xf4\x90\x80\x80 \xc0\x80\n",
        b"ends": "a\u2028b\u2029c\x0bd\x0ce\x85f\rg".encode() * 50,
        b"orders": b"::error::x\n##[error]y\n\x1b[2J\x1b[31mred\x1b]0;title\x07\x9b0m /home/a/b.py C:\\x\\y\n" * 3,
        b"ways": b"[a](../../../etc/passwd) [b](/etc/passwd) [c](file:///x) [d](a%00b) [e](http://[::1) [f](?)\n",
    }
    for name, body in long.items():
        skill(name, body=body)
    odd = {
        b"deep": b"metadata: " + b"[" * 2000 + b"]" * 2000,
        b"maps": b"metadata: " + b"{a: " * 900 + b"1" + b"}" * 900,
        b"indented": b"metadata:\n" + b"".join(b" " * depth + b"a:\n" for depth in range(1, 400)),
        b"bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(
            b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join(b"*%c" % (97 + i) for _ in range(9))) for i in range(12)
        ),
        b"itself": b"a: &a [*a]",
        b"merged": b"a: &a {<<: *a, b: 1}",
        b"python": b"a: !!python/object/apply:os.system [id]",
        b"typed": b"a: !!binary aGk=\nb: !!set {a}\nc: !!omap [a: 1]\nd: !!float nope\ne: !!timestamp x",
        b"keys": b"1: a\n[1, 2]: b\n{a: b}: c\n? |\n  multi\n: v\n~: z",
        b"numbers": b"version: " + b"9" * 5000 + b"\nx: .nan",
        b"lots": b"\n".join(b"k%d: v" % number for number in range(4000)),
    }
    for name, more in odd.items():
        skill(name, more=more + b"\n")
    for name in (
        b"new\nline",
        b"bad\xff\xfename",
        b"esc\x1b[31m",
        b"sp ace",
        b"%0A",
        b"pct%20x",
        "ünï".encode(),
        b"-dash",
        b"--fix",
        b"a:b",
        b"::error::x",
        b"##[error]y",
        b"q'uo\"te`$(id)",
        b"[x](y)",
        b"<b>&",
        b"|pipe",
        b"@org",
        b" lead",
        b"trail ",
        b".hidden",
        b"n" * 250,
    ):
        made[name + MANIFEST] = manifest(b"named", description=b"::set-output name=a::b")
    made |= {
        b"empty/SKILL.md": b"",
        b"fences/SKILL.md": b"---\n" * 5000,
        b"open/SKILL.md": b"---\nname: x\n" * 1000,
        b"utf16/SKILL.md": "\ufeff---\nname: utf16\n---\n".encode("utf-16-le"),
        b"cr/SKILL.md": manifest(b"cr").replace(b"\n", b"\r"),
        b"utf32/SKILL.md": "---\nname: a\n---\n".encode("utf-32"),
        b"boms/SKILL.md": b"\xef\xbb\xbf" * 4 + manifest(b"boms"),
        b"conflict/SKILL.md": b"---\n<<<<<<< HEAD\nname: a\n=======\nname: b\n>>>>>>> x\n---\n",
        b"lfs/SKILL.md": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n",
        b"long/SKILL.md": manifest(b"long", description=b"a b " * 50_000),
        b"lower/skill.md": manifest(b"lower"),
        b"json/SKILL.md": manifest(b"json"),
        b"json/evals/evals.json": b"[" * 50_000,
        b"json/a.json": b'{"a":' * 20_000,
        b"json/b.json": b"1" * 50_000,
        b"json/c.json": b'"\\ud800"',
        b"json/d.json": chance.randbytes(500),
        b"names/SKILL.md": manifest(b"names"),
        b"names/new\nline.md": b"x",
        b"names/\xff.md": b"x",
        b"names/\x1b.sh": b"#!" + b"/" * 999,
    }
    for suffix in (b"py", b"sh", b"js", b"toml"):
        made |= {b"json/scripts/a." + suffix: chance.randbytes(800), b"json/scripts/b." + suffix: b"(" * 200}
    return made


def write(root: Path, seed: int) -> int:
    """All of it below `root/skills`; the number of folders there."""
    top = os.fsencode(root) + b"/skills/"
    for name, content in files(seed).items():
        os.makedirs(os.path.dirname(top + name), exist_ok=True)  # noqa: PTH103, PTH120 - names of any bytes
        Path(os.fsdecode(top + name)).write_bytes(content)
    for name in (b"fifo", b"socket", b"loop", b"dangling", b"outside", b"device", b"turns", b"closed", b"sparse"):
        Path(os.fsdecode(top + name)).mkdir()
    place = Path(os.fsdecode(top))
    os.mkfifo(place / "fifo/SKILL.md")
    here = Path.cwd()
    os.chdir(place / "socket")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("SKILL.md")
    os.chdir(here)
    links = {"loop": "SKILL.md", "dangling": "nowhere", "outside": "/etc/passwd", "device": "/dev/zero"}
    for name_, target in links.items():
        (place / name_ / "SKILL.md").symlink_to(target)
    (place / "turns/SKILL.md").write_bytes(manifest(b"turns", body=b"[a](self/self/SKILL.md) [b](up) [c](root/etc)\n"))
    for name_, target in {"self": ".", "up": "..", "root": "/", "a": "b", "b": "a"}.items():
        (place / "turns" / name_).symlink_to(target)
    (place / "closed/SKILL.md").write_bytes(manifest(b"closed"))
    (place / "closed/SKILL.md").chmod(0)
    with (place / "sparse/SKILL.md").open("wb") as sparse:
        sparse.truncate(50_000_000_000)
    return sum(1 for _ in place.iterdir())
