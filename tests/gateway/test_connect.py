"""The head of a CONNECT request: one form passes, and hostile ones say what they were."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.gateway.connect import MAX_FIELDS, Asked, parse
from aces_ci.gateway.internet import DeniedError

AUTH = "Proxy-Authorization: Basic " + base64.b64encode(b"aces:secret-token").decode()
HOST = "files.example.org"


def head(line: str, *rows: str) -> bytes:
    return "\r\n".join([line, *rows]).encode("latin-1")


@pytest.mark.parametrize(
    "raw",
    [
        head(f"CONNECT {HOST}:443 HTTP/1.1", f"Host: {HOST}:443", AUTH, "User-Agent: curl/8.5.0"),
        head(f"CONNECT {HOST}:443 HTTP/1.1", f"host: {HOST}", AUTH, "proxy-connection: keep-alive"),
        head(f"CONNECT {HOST}:443 HTTP/1.0", AUTH),
        head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH.replace("Basic ", "basic  ")),
    ],
)
def test_what_real_clients_send_is_read(raw: bytes) -> None:
    assert parse(raw) == Asked(host=HOST, token="secret-token")


def test_a_client_that_waits_to_be_asked_has_no_token_yet() -> None:
    assert parse(head(f"CONNECT {HOST}:443 HTTP/1.1", f"Host: {HOST}:443")) == Asked(host=HOST, token=None)


HOSTILE = [
    # request line
    (head(f"CONNECT {HOST}:80 HTTP/1.1", AUTH), 403, "only port 443, not 80", HOST),
    (head(f"CONNECT {HOST}:8443 HTTP/1.1", AUTH), 403, "only port 443", HOST),
    (head(f"CONNECT {HOST}:0443 HTTP/1.1", AUTH, f"Host: {HOST}:443"), 403, "another host", HOST),
    (head(f"CONNECT {HOST} HTTP/1.1", AUTH), 403, "plain lower-case host name", HOST),
    (head(f"CONNECT {HOST}: HTTP/1.1", AUTH), 403, "plain lower-case", HOST),
    (head(f"CONNECT {HOST}:443:443 HTTP/1.1", AUTH), 403, "plain lower-case", "files.example.org?443"),
    (head(f"CONNECT {HOST}:+443 HTTP/1.1", AUTH), 403, "plain lower-case", HOST),
    (head(f"CONNECT {HOST}:443/ HTTP/1.1", AUTH), 403, "plain lower-case", HOST),
    (head(f"CONNECT {HOST.upper()}:443 HTTP/1.1", AUTH), 403, "plain lower-case", HOST.upper()),
    (head(f"CONNECT evil@{HOST}:443 HTTP/1.1", AUTH), 403, "plain lower-case", "evil?files.example.org"),
    (head(f"CONNECT {HOST}%00.evil:443 HTTP/1.1", AUTH), 403, "plain lower-case", "files.example.org?00.evil"),
    (head(f"CONNECT {HOST}#.evil:443 HTTP/1.1", AUTH), 403, "plain lower-case", "files.example.org?.evil"),
    (head("CONNECT [::1]:443 HTTP/1.1", AUTH), 403, "plain lower-case", "???1?"),
    (head("CONNECT [::ffff:169.254.169.254]:443 HTTP/1.1", AUTH), 403, "plain lower-case", "???ffff?169.254.169.254?"),
    (head(f"CONNECT https://{HOST}:443 HTTP/1.1", AUTH), 403, "plain lower-case", "https?//files.example.org"),
    (head(f"GET https://{HOST}/ HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"GET http://{HOST}:443/ HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"POST {HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"connect {HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT  {HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT\t{HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {HOST}:443 HTTP/1.1 ", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {HOST}:443 HTTP/2", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {HOST}:443", AUTH), 403, "only CONNECT", ""),
    (head(f" CONNECT {HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"\r\nCONNECT {HOST}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {HOST}:443 HTTP/1.1\nX: y", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {HOST}\x00:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head("CONNECT b\xfccher.example:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (head(f"CONNECT {'a' * 600}:443 HTTP/1.1", AUTH), 403, "only CONNECT", ""),
    (b"\x16\x03\x01\x02\x00\x01", 403, "only CONNECT", ""),
    (b"PRI * HTTP/2.0", 403, "only CONNECT", ""),
    # fields
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "Host: evil.example"), 403, "another host", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "Host: a", "Host: b"), 400, "field host", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, AUTH), 400, "field proxy-authorization", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "Content-Length: 5"), 400, "field content-length", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "Transfer-Encoding: chunked"), 400, "field transfer-encoding", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "Upgrade: h2c"), 400, "field upgrade", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "X-A : b"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, " folded: b"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "no colon"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "X: a\nHost: evil.example"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "X: a\rb"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, "X: a\x00b"), 400, "malformed", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", AUTH, *("X: a" for _ in range(MAX_FIELDS))), 431, "header fields", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", "Proxy-Authorization: Bearer x"), 407, "token", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", "Proxy-Authorization: Basic !!!"), 407, "token", HOST),
    (head(f"CONNECT {HOST}:443 HTTP/1.1", "Proxy-Authorization: Basic \xff"), 407, "token", HOST),
]


@pytest.mark.parametrize(("raw", "status", "why", "host"), HOSTILE)
def test_everything_else_is_refused_and_says_what_it_was(raw: bytes, status: int, why: str, host: str) -> None:
    with pytest.raises(DeniedError, match=why) as told:
        parse(raw)
    assert (told.value.status, told.value.host) == (status, host)
    assert str(told.value).isascii() and str(told.value).isprintable()


@given(st.binary(max_size=400))
def test_no_bytes_crash_it_and_none_pass_for_another_host(noise: bytes) -> None:
    for raw in (noise, f"CONNECT {HOST}:443 HTTP/1.1\r\n".encode() + noise, b"CONNECT " + noise + b":443 HTTP/1.1"):
        try:
            asked = parse(raw)
        except DeniedError as error:
            assert error.host.isascii() and str(error).isprintable()
        else:
            assert all(letter.isalnum() or letter in ".-" for letter in asked.host)
