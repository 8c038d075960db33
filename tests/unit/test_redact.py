"""The redactor: no form of a secret leaves, in whatever pieces it comes."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci.core.errors import UsageError
from aces_ci.core.scan.redact import MARK, Redactor

KEY = "sk-ant-api03-Zq8_T4-wv/9+Lm2xR7uYcP1s"
TRICKY = "pä\"ss\\wo/rd+7&<q>%é'x"


def b64(text: str, before: str = "", after: str = "") -> bytes:
    return base64.b64encode((before + text + after).encode())


ENCODINGS: Mapping[str, Callable[[str], bytes]] = {
    "raw": lambda s: s.encode(),
    "json": lambda s: json.dumps({"key": s}).encode(),
    "json, not ascii": lambda s: json.dumps({"key": s}, ensure_ascii=False).encode(),
    "json in json": lambda s: json.dumps({"body": json.dumps({"key": s})}).encode(),
    "url": lambda s: f"https://x.dev/?k={quote(s, safe='')}&z=1".encode(),
    "url, slash kept": lambda s: quote(s).encode(),
    "form": lambda s: quote_plus(s).encode(),
    "percent, lower": lambda s: re.sub("%..", lambda m: m[0].lower(), quote(s, safe="")).encode(),
    "percent, all": lambda s: "".join(f"%{b:02X}" for b in s.encode()).encode(),
    "hex": lambda s: s.encode().hex().encode(),
    "HEX": lambda s: s.encode().hex().upper().encode(),
    "hex with spaces": lambda s: s.encode().hex(" ").encode(),
    "reversed": lambda s: s[::-1].encode(),
    "base64": b64,
    "base64, one before": lambda s: b64(s, "a", "tail"),
    "base64, two before": lambda s: b64(s, "ab", "t"),
    "basic authorization": lambda s: b"Authorization: Basic " + b64(s, "x-access-token:"),
    "api authorization": lambda s: b"Authorization: Basic " + b64(s, "api:"),
    "base64 url": lambda s: base64.urlsafe_b64encode(("user:" + s + ":x").encode()),
    "base64 in lines": lambda s: base64.encodebytes(("x" * 40 + s + "y" * 40).encode()),
    "base64 in lines in json": lambda s: json.dumps(base64.encodebytes(("z" * 41 + s).encode()).decode()).encode(),
    "utf-16": lambda s: s.encode("utf-16-le"),
    "base64 of utf-16": lambda s: base64.b64encode(s.encode("utf-16-le")),
    "unicode escapes": lambda s: "".join(f"\\u{ord(c):04x}" for c in s).encode(),
    "repr": lambda s: repr(s).encode(),
    "html": lambda s: s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").encode(),
    "base32": lambda s: base64.b32encode(s.encode()),
}


def core_of(name: str, secret: str) -> bytes:
    """The bytes that only the secret decides: those between the first and last that another secret changes.

    One byte at each seam is left out: in base64 it shares bits with the neighbours.
    """
    other = secret.translate({c: (c - 97 + 13) % 26 + 97 for c in range(97, 123)})
    mine, theirs = ENCODINGS[name](secret), ENCODINGS[name](other)
    differ = [at for at, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
    return mine[differ[0] + 1 : differ[-1]]


def leaks(core: bytes, clean: bytes) -> bool:
    """Whether twelve bytes in a row of the encoded secret are still there, line breaks apart."""
    flat, source = (re.sub(rb"\\n|\s", b"", data) for data in (clean, core))
    return any(source[at : at + 12] in flat for at in range(len(source) - 11))


@pytest.mark.parametrize("secret", [KEY, TRICKY])
@pytest.mark.parametrize("name", ENCODINGS)
def test_each_encoding_is_found(name: str, secret: str) -> None:
    encoded = ENCODINGS[name](secret)
    core = core_of(name, secret)
    clean = Redactor([secret]).redact(b"before " + encoded + b" after")
    assert leaks(core, encoded), "the positive control: what we look for was there"
    assert MARK in clean
    assert not leaks(core, clean)
    assert clean.startswith(b"before ")
    assert clean.endswith(b" after")


def test_four_thousand_chunkings_of_every_encoding_leak_nothing() -> None:
    secret, redactor, rng = KEY, Redactor([KEY]), random.Random(7)
    cores = {name: core_of(name, secret) for name in ENCODINGS}
    for turn in range(4_000):
        name = list(ENCODINGS)[turn % len(ENCODINGS)]
        noise = bytes(rng.choices(b"abc ./%=\\\n", k=rng.randrange(40)))
        data = noise + ENCODINGS[name](secret) + noise[::-1]
        stream, out, at = redactor.stream(), b"", 0
        while at < len(data):
            size = rng.choice((1, 2, 3, 7, 50))
            out += stream.feed(data[at : at + size])
            at += size
        out += stream.close()
        assert not leaks(cores[name], out), name
        assert out == redactor.redact(data)


def test_without_holding_back_the_same_test_leaks() -> None:
    """The positive control of the one above."""
    redactor = Redactor([KEY])
    redactor.hold = 0
    stream = redactor.stream()
    out = b"".join(stream.feed(bytes([byte])) for byte in KEY.encode()) + stream.close()
    assert KEY.encode() in out


@settings(max_examples=300, deadline=None)
@given(
    secrets=st.lists(st.text(alphabet='ab+/=%\\"é', min_size=8, max_size=12), min_size=1, max_size=3),
    noise=st.lists(st.binary(max_size=12), min_size=1, max_size=4),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8),
)
def test_pieces_give_what_the_whole_gives(secrets: list[str], noise: list[bytes], sizes: list[int]) -> None:
    """Alphabets this small make secrets overlap themselves and each other."""
    data = b"".join(part + secret.encode() for part in noise for secret in secrets)
    redactor = Redactor([secret for secret in secrets if len(secret.strip()) >= 8])
    stream, out, at, turn = redactor.stream(), b"", 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        out += stream.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    out += stream.close()
    assert out == redactor.redact(data)
    assert not any(secret.encode() in out for secret in secrets)


def test_text_without_a_secret_is_untouched() -> None:
    data = bytes(range(256)) * 50
    assert Redactor([KEY, TRICKY]).redact(data) == data
    assert Redactor().redact(data) == data


def test_overlapping_secrets_leave_no_tail() -> None:
    assert Redactor(["abcdefgh", "efghijkl"]).redact(b"1abcdefghijkl2") == b"1" + MARK + b"2"


def test_touching_secrets_are_one_mark() -> None:
    assert Redactor(["abcdefgh"]).redact(b"abcdefghabcdefgh") == MARK


def test_every_line_of_a_key_block_is_a_secret() -> None:
    block = "-----BEGIN KEY-----\nQ2FuYXJ5Q2FuYXJ5\nc2Vjb25kbGluZQ99\n-----END KEY-----"
    clean = Redactor([block]).redact(b"log: Q2FuYXJ5Q2FuYXJ5 and c2Vjb25kbGluZQ99")
    assert clean == b"log: " + MARK + b" and " + MARK


@pytest.mark.parametrize("short", ["", "1234567", "  1234567  "])
def test_a_secret_that_would_garble_everything_is_refused(short: str) -> None:
    with pytest.raises(UsageError) as refused:
        Redactor([KEY, short])
    assert refused.value.code == "secret_too_short"
    if short.strip():
        assert short.strip() not in refused.value.text()


def test_text_with_lone_surrogates_does_not_raise() -> None:
    assert Redactor([KEY]).text(f"\ud800 {KEY}") == "? [redacted]"


def test_a_stream_is_as_good_as_new_after_its_end() -> None:
    stream = Redactor(["abcdefgh"]).stream()
    assert stream.feed(b"abcdefgh") + stream.close() == MARK
    assert stream.feed(b"abcdefgh") + stream.close() == MARK
