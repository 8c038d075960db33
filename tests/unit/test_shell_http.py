"""The token stays on its host; limits are waited for, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aces_ci.shell.http import WAIT_LIMIT, Api, Forbidden, HttpError
from tests.fakes.server import Answer, LoopbackServer


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    made = LoopbackServer()
    made.route("GET", "/thing", lambda request: Answer(body={"ok": True}))
    made.route("POST", "/thing", lambda request: Answer(status=201, body={"ok": True}))
    with made.running():
        yield made


@pytest.fixture
def foreign() -> Iterator[LoopbackServer]:
    made = LoopbackServer()
    made.route("GET", "/loot", lambda request: Answer(body=[1]))
    with made.running():
        yield made


def api(server: LoopbackServer, **more: object) -> Api:
    return Api(server.url, {"Authorization": "Bearer secret-token"}, **more)  # type: ignore[arg-type]


def test_a_redirect_to_another_host_is_not_followed(server: LoopbackServer, foreign: LoopbackServer) -> None:
    server.force("GET", "/thing", Answer(status=302, headers={"Location": foreign.url + "/loot"}))
    with pytest.raises(HttpError, match="302"):
        api(server).get("/thing")
    assert foreign.exchanges == []


def test_a_next_page_on_another_host_is_not_followed(server: LoopbackServer, foreign: LoopbackServer) -> None:
    server.force("GET", "/thing", Answer(body=[1], headers={"Link": f'<{foreign.url}/loot>; rel="next"'}))
    with pytest.raises(HttpError, match="another host"):
        list(api(server).pages("/thing"))
    assert foreign.exchanges == []


def test_a_download_is_followed_over_https_only(server: LoopbackServer, foreign: LoopbackServer) -> None:
    server.force("GET", "/thing", Answer(status=302, headers={"Location": foreign.url + "/loot"}))
    with pytest.raises(HttpError, match="without https"):
        api(server).download("/thing", limit=10)
    assert foreign.exchanges == []


def test_a_download_stops_at_its_limit(server: LoopbackServer) -> None:
    server.force("GET", "/thing", Answer(body=b"x" * 1000))
    with pytest.raises(HttpError, match="longer than 10"):
        api(server).download("/thing", limit=10)


def test_a_netrc_does_not_replace_the_token(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login x password y\n")
    monkeypatch.setenv("NETRC", str(netrc))
    api(server).get("/thing")
    assert server.exchanges[-1].request.headers["authorization"] == "Bearer secret-token"


def test_a_write_is_not_repeated_when_nobody_knows_whether_it_acted(server: LoopbackServer) -> None:
    server.force("POST", "/thing", Answer(status=502, body={}))
    with pytest.raises(HttpError, match="502"):
        api(server).send("POST", "/thing", {})
    assert len(server.seen("POST")) == 1


@pytest.mark.parametrize("status", [429, 403, 503])
def test_a_write_that_was_put_off_is_repeated(server: LoopbackServer, status: int) -> None:
    server.force("POST", "/thing", Answer(status=status, body={}, headers={"Retry-After": "0"}))
    assert api(server).send("POST", "/thing", {}).status == 201


def test_a_plain_403_is_not_repeated(server: LoopbackServer) -> None:
    server.force("POST", "/thing", Answer(status=403, body={"message": "Resource not accessible"}), times=2)
    with pytest.raises(Forbidden) as caught:
        api(server).send("POST", "/thing", {})
    assert caught.value.said == "Resource not accessible"
    assert len(server.forced) == 1


def test_the_primary_limit_is_waited_for_until_its_reset(server: LoopbackServer) -> None:
    slept: list[float] = []
    limited = Answer(status=403, body={}, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1030"})
    server.force("POST", "/thing", limited)
    client = api(server, sleep=slept.append, now=lambda: 1000.0)
    assert client.send("POST", "/thing", {}).status == 201
    assert slept == [31.0]


def test_waiting_has_an_end(server: LoopbackServer) -> None:
    slept: list[float] = []
    limited = Answer(status=403, body={}, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4600"})
    server.force("GET", "/thing", limited)
    with pytest.raises(Forbidden):
        api(server, sleep=slept.append, now=lambda: 1000.0).get("/thing")
    assert sum(slept) <= WAIT_LIMIT


def test_no_answer_is_an_error_that_names_the_host_and_no_secret(server: LoopbackServer) -> None:
    client = Api("http://127.0.0.1:9", {"Authorization": "Bearer secret-token"})
    with pytest.raises(HttpError, match=r"127\.0\.0\.1 did not answer") as caught:
        client.send("POST", "/x", {})
    assert "secret-token" not in caught.value.text() + repr(client)


def test_a_missing_thing_is_no_lack_of_rights_when_it_is_only_read(server: LoopbackServer) -> None:
    with pytest.raises(HttpError):
        api(server).get("/absent")
    with pytest.raises(Forbidden):
        api(server).send("DELETE", "/absent")


def test_a_reply_that_is_no_json_is_none(server: LoopbackServer) -> None:
    server.force("GET", "/thing", Answer(body=b"<html>", headers={"Content-Type": "text/html"}))
    assert api(server).get("/thing").data is None
