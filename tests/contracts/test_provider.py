"""One suite for every provider of a judge: the official SDKs against a server on loopback, and the replay."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aces_ci import compose
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.asking.recording import to_line
from aces_ci.core.errors import UsageError
from aces_ci.core.spending.price import Price
from aces_ci.ports.provider import Provider, ProviderOptions
from tests.fakes.judge_model import JudgeModel
from tests.fakes.upstream import Reply, Seen
from tests.judge.bench import an_exhibit, reply

KEY = "sk-canary-0123456789abcdef"
WIRED = ("anthropic", "openai", "openai_chat")
PRICE = Price(model="*", input=1_000, output=10_000, cache_read=100, cache_write=2_000)
RUBRIC = compose.rubrics()[0]


@pytest.fixture
def model() -> Iterator[JudgeModel]:
    with JudgeModel().running() as running:
        yield running


def a_question(vote: int = 1) -> Question:
    from aces_ci.tiers.rubric_prompt import question

    return question(RUBRIC, an_exhibit(), vote)


@pytest.fixture(params=WIRED)
def provider(request: pytest.FixtureRequest, model: JudgeModel) -> Iterator[Provider]:
    opened = opener(request.param, model)()
    yield opened
    opened.close()


def opener(name: str, model: JudgeModel, **changes: Any) -> Callable[[], Provider]:
    factory = next(each for each in compose.providers() if each.name == name)
    fields: dict[str, Any] = {
        "model": "judge-1",
        "key": KEY,
        "base_url": model.url if name == "anthropic" else f"{model.url}/v1",
        "price": PRICE,
        "timeout": 5.0,
        "retries": 1,
        **changes,
    }
    return lambda: factory.open(ProviderOptions(**fields))


def said(reply_: Reply) -> Callable[[Seen], Reply]:
    return lambda seen: reply_


def test_an_answer_carries_reply_model_usage_price_and_what_was_sent(provider: Provider, model: JudgeModel) -> None:
    answer = provider.ask(a_question())
    assert answer.error is None and answer.reply is not None and answer.reply["score"] == 8
    assert answer.model == "judge-1-2026-11-01", "as the provider resolved it"
    assert (answer.input_tokens, answer.output_tokens, answer.usd_micros) == (1_000, 100, 2_000)
    body = model.seen[-1].body
    assert {name for name in ("temperature", "seed", "top_p") if name in body} == set(answer.sampling)
    assert "tools" not in body


def test_rules_go_apart_from_data_with_a_schema_for_the_reply(provider: Provider, model: JudgeModel) -> None:
    provider.ask(a_question())
    body = model.seen[-1].body
    rules = body.get("system") or body.get("instructions") or body["messages"][0]["content"]
    assert "Read the newest file" not in json.dumps(rules)
    form = body.get("output_config") or body.get("text") or body["response_format"]
    assert "injection_suspected" in json.dumps(form) and "maximum" not in json.dumps(form)


def test_keys_and_addresses_are_those_that_were_given_whatever_environment_and_disk_say(
    model: JudgeModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "sk-of-the-environment")
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/nowhere")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-the-environment")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-more: of-the-environment\nx-api-key: of-the-environment\nauthorization: no")
    monkeypatch.setenv("ANTHROPIC_PROFILE", "work")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    profile = {"base_url": "http://127.0.0.1:9/disk", "api_key": "sk-of-the-disk", "organization_id": "of-the-disk"}
    for place in ("config/configs/work.json", "config/configs/default.json", ".anthropic/config.json"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(json.dumps(profile), "utf-8")
    (tmp_path / "config/active_config").write_text("work", "utf-8")
    for key in (KEY, ""):
        for name in WIRED:
            opened = opener(name, model, key=key)()
            assert opened.ask(a_question()).error is None
            opened.close()
            headers = json.dumps(model.seen[-1].headers)
            assert (key or "none") in headers
            assert "of-the-environment" not in headers and "of-the-disk" not in headers
            sent = {header.lower() for header in model.seen[-1].headers}
            assert not sent & {"openai-organization", "openai-project", "x-more"}
            assert len(sent & {"authorization", "x-api-key"}) == 1


def test_a_parameter_that_a_400_names_is_dropped_for_good_and_the_answer_says_so(
    provider: Provider, model: JudgeModel
) -> None:
    names = {"temperature", "seed"} & set(_body_of(provider, model))

    def refuse(seen: Seen) -> Reply | None:
        for name in sorted(names):
            if name in seen.body:
                text = {"error": {"message": f"Unsupported parameter: '{name}' is not supported", "param": name}}
                return Reply(status=400, raw=json.dumps(text).encode())
        return None

    model.script = refuse
    before = len(model.seen)
    answer = provider.ask(a_question())
    assert answer.error is None and answer.sampling == {}
    assert len(model.seen) == before + 1 + len(names)
    provider.ask(a_question(2))
    assert len(model.seen) == before + 2 + len(names), "remembered: not sent again"


def _body_of(provider: Provider, model: JudgeModel) -> dict[str, Any]:
    provider.ask(a_question(3))
    return model.seen[-1].body


def test_a_server_without_structured_output_is_asked_without_it(provider: Provider, model: JudgeModel) -> None:
    def refuse(seen: Seen) -> Reply | None:
        for name in ("output_config", "response_format", "json_schema"):
            if name in json.dumps(seen.body):
                return Reply(status=400, raw=json.dumps({"error": {"message": f"unknown field {name}"}}).encode())
        return None

    model.script = refuse
    assert provider.ask(a_question()).reply is not None


def test_a_400_that_names_nothing_we_may_drop_is_an_error(provider: Provider, model: JudgeModel) -> None:
    message = b'{"error":{"message":"prompt is too long: this text exceeds the maximum context length"}}'
    model.script = said(Reply(status=400, raw=message))
    answer = provider.ask(a_question())
    assert answer.reply is None and "prompt is too long" in str(answer.error)
    assert len(model.seen) == 1


OWN_WORDS = {
    "max_tokens": [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "unrecognized request argument supplied: max_tokens",
    ],
    "temperature": [
        "temperature is deprecated for this model",
        "`temperature` does not support 0 with this model. Only the default (1) value is supported.",
        "This model does not accept sampling parameters",
    ],
    "seed": ["Extra inputs are not permitted, field: 'seed'"],
    "response_format": [
        "This model does not support response format `json_schema`",
        "structured outputs are not available for this deployment",
        "failed to compile grammar",
        "guided decoding is disabled",
    ],
}


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(("name", "words"), [(name, words) for name, each in OWN_WORDS.items() for words in each])
@pytest.mark.parametrize("form", ["openai", "plain", "fastapi"])
def test_a_compatible_server_refuses_in_its_own_words_and_is_asked_without_from_then_on(
    name: str, words: str, form: str, status: int, model: JudgeModel
) -> None:
    bodies: dict[str, object] = {
        "openai": {"error": {"message": words, "type": "invalid_request_error", "param": None}},
        "plain": {"message": words},
        "fastapi": {"detail": [{"loc": ["body", name], "msg": words, "input": {"messages": "about a temperature"}}]},
    }

    def refuse(seen: Seen) -> Reply | None:
        return Reply(status=status, raw=json.dumps(bodies[form]).encode()) if name in seen.body else None

    model.script = refuse
    opened = opener("openai_chat", model)()
    assert opened.ask(a_question()).reply is not None and opened.ask(a_question(2)).reply is not None
    opened.close()
    assert len(model.seen) == 3, "one refusal, then remembered"
    sent = [set(seen.body) & {*OWN_WORDS, "max_completion_tokens"} for seen in model.seen]
    left = {*OWN_WORDS} - {name} | ({"max_completion_tokens"} if name == "max_tokens" else set())
    assert sent[1:] == [left, left], "nothing else is given up, and a reply always has a limit"


def test_a_value_that_is_too_large_or_text_that_is_repeated_costs_no_parameter(model: JudgeModel) -> None:
    for body in (
        {"error": {"message": "max_tokens is too large: 2048. The context has 512 tokens."}},
        {"detail": [{"loc": ["body", "messages"], "msg": "too long", "input": "unsupported temperature, max_tokens"}]},
    ):
        model.script = said(Reply(status=400, raw=json.dumps(body).encode()))
        opened = opener("openai_chat", model)()
        before = len(model.seen)
        assert opened.ask(a_question()).reply is None and len(model.seen) == before + 1
        model.script = lambda seen: None
        opened.ask(a_question())
        opened.close()
        assert {*OWN_WORDS} <= set(model.seen[-1].body)


class Drip(socketserver.ThreadingTCPServer):
    """Answers a byte at a time, from the status line on or only the body: every byte comes within any time-out."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, at_once: bytes) -> None:
        self.requests = 0
        self.at_once = at_once
        super().__init__(("127.0.0.1", 0), Slow)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Slow(socketserver.BaseRequestHandler):
    server: Drip

    def handle(self) -> None:
        self.request.recv(65_536)
        self.server.requests += 1
        with contextlib.suppress(OSError):
            self.request.sendall(self.server.at_once)
            for _ in range(60):
                time.sleep(0.05)
                self.request.sendall(b"H" if not self.server.at_once else b" ")


@pytest.mark.parametrize("at_once", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 60\r\n\r\n"], ids=["head", "body"])
@pytest.mark.parametrize("name", WIRED)
def test_a_server_that_drips_meets_the_clock_and_gets_no_further_request(
    name: str, at_once: bytes, model: JudgeModel
) -> None:
    with Drip(at_once) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base_url = server.url if name == "anthropic" else f"{server.url}/v1"
        opened = opener(name, model, base_url=base_url, timeout=0.5, limit=1.0, retries=3)()
        begun = time.monotonic()
        answer = opened.ask(a_question())
        took = time.monotonic() - begun
        assert answer.reply is None and answer.usd_micros is None and "no answer within 1 s in all" in str(answer.error)
        assert took < 2.5, "not as long as the reply"
        time.sleep(2.5)
        assert server.requests == 1, "nobody waits any more, so nothing is bought any more"
        opened.close()
        server.shutdown()


USAGE = {
    "negative": (-5, 10),
    "negative output": (100, -1),
    "none at all": (0, 10),
    "more than the bytes that were sent": (10**9, 10),
    "more than was allowed": (100, 10**6),
}


@pytest.mark.parametrize("counts", USAGE.values(), ids=USAGE.keys())
def test_a_usage_that_cannot_be_true_is_unknown_and_never_a_price(
    counts: tuple[int, int], provider: Provider, model: JudgeModel
) -> None:
    model.script = said(Reply(text=json.dumps(reply(a_question())), usage=(*counts, 0, 0)))
    answer = provider.ask(a_question())
    assert answer.reply is not None, "the verdict stands, its price does not"
    assert (answer.usd_micros, answer.input_tokens, answer.output_tokens) == (None, 0, 0)


def test_a_try_that_was_lost_on_the_way_is_told_because_it_may_have_been_paid_for(
    provider: Provider, model: JudgeModel
) -> None:
    replies = iter([Reply(cut_after=-1), None])
    model.script = lambda seen: next(replies)
    answer = provider.ask(a_question())
    assert answer.reply is not None and (len(model.seen), answer.unsettled) == (2, 1)
    replies = iter([Reply(status=500), None])
    answer = provider.ask(a_question(2))
    assert answer.reply is not None and answer.unsettled == 0, "a refusal costs nothing"


FAULTS = {
    "429 that stays": (Reply(status=429), "429 after 1 try"),
    "500 that stays": (Reply(status=500), "500 after 2 tries"),
    "529 that stays": (Reply(status=529), "529 after 1 try"),
    "a connection that is cut": (Reply(cut_after=-1), "the connection failed"),
    "no answer in time": (Reply(gap=2.0), "no answer within"),
    "a body that is no JSON": (Reply(raw=b"<html>", content_type="application/json"), "cannot be read"),
    "a page instead of an API": (Reply(raw=b"<html>log in</html>", content_type="text/html"), ""),
    "JSON of another form": (Reply(raw=b'{"ok": true}'), ""),
    "a list": (Reply(raw=b"[]"), ""),
    "null": (Reply(raw=b"null"), ""),
    "prose": (Reply(text="I would rather not say."), "no JSON object"),
    "nothing": (Reply(text=""), "empty"),
    "a score out of range": (Reply(text=json.dumps(reply(a_question(), 99))), "score"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", WIRED)
def test_a_failure_is_an_answer_with_an_error_and_without_a_score(name: str, fault: str, model: JudgeModel) -> None:
    forced, words = FAULTS[fault]
    model.script = said(forced)
    opened = opener(name, model, timeout=0.3, retries=int(forced.status == 500))()
    answer = opened.ask(a_question())
    opened.close()
    assert answer.reply is None and answer.error
    assert words in answer.error
    assert KEY not in answer.error


def test_a_retry_waits_as_long_as_the_provider_says_and_then_succeeds(provider: Provider, model: JudgeModel) -> None:
    replies = iter([Reply(status=429, headers={"retry-after": "1.3"}), None])
    model.script = lambda seen: next(replies)
    begun = time.monotonic()
    assert provider.ask(a_question()).reply is not None
    assert len(model.seen) == 2
    # Without the header both SDKs try again after half a second.
    assert time.monotonic() - begun >= 1.3


def test_a_reply_that_was_cut_off_is_an_error_although_its_text_would_parse(model: JudgeModel) -> None:
    whole = json.dumps(reply(a_question()))
    bodies = {
        "anthropic": {
            "id": "m", "type": "message", "role": "assistant", "model": "j", "stop_reason": "max_tokens",
            "content": [{"type": "text", "text": whole}], "usage": {"input_tokens": 5, "output_tokens": 7},
        },
        "openai": {
            "id": "r", "object": "response", "model": "j", "status": "incomplete", "created_at": 1,
            "incomplete_details": {"reason": "max_output_tokens"}, "tools": [], "tool_choice": "auto",
            "parallel_tool_calls": False, "usage": {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12},
            "output": [{"type": "message", "id": "m", "role": "assistant", "status": "incomplete",
                        "content": [{"type": "output_text", "text": whole, "annotations": []}]}],
        },
        "openai_chat": {
            "id": "c", "object": "chat.completion", "created": 1, "model": "j",
            "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": whole}}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
        },
    }  # fmt: skip
    for name, body in bodies.items():
        model.script = said(Reply(raw=json.dumps(body).encode()))
        opened = opener(name, model)()
        answer = opened.ask(a_question())
        opened.close()
        assert answer.reply is None and "cut off" in str(answer.error), name
        assert answer.usd_micros == 75, "it was paid for all the same"


def test_a_refusal_is_an_error(model: JudgeModel) -> None:
    chat = {
        "id": "c", "object": "chat.completion", "created": 1, "model": "j",
        "choices": [{"index": 0, "finish_reason": "stop",
                     "message": {"role": "assistant", "content": None, "refusal": "I will not"}}],
    }  # fmt: skip
    claude = {
        "id": "m", "type": "message", "role": "assistant", "model": "j", "stop_reason": "refusal", "content": [],
        "usage": {"input_tokens": 5, "output_tokens": 0},
    }  # fmt: skip
    responses = {
        "id": "r", "object": "response", "model": "j", "status": "completed", "created_at": 1, "tools": [],
        "tool_choice": "auto", "parallel_tool_calls": False,
        "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed",
                    "content": [{"type": "refusal", "refusal": "I will not"}]}],
    }  # fmt: skip
    for name, body in {"openai_chat": chat, "anthropic": claude, "openai": responses}.items():
        model.script = said(Reply(raw=json.dumps(body).encode()))
        opened = opener(name, model)()
        answer = opened.ask(a_question())
        opened.close()
        assert answer.reply is None and "refused" in str(answer.error), name


@pytest.mark.parametrize(("status", "code"), [(401, "key_refused"), (403, "key_refused"), (404, "unknown_model")])
def test_what_only_the_user_can_mend_is_raised_and_shows_no_key(
    provider: Provider, model: JudgeModel, status: int, code: str
) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    model.script = said(Reply(status=status, raw=body))
    with pytest.raises(UsageError) as caught:
        provider.ask(a_question())
    assert caught.value.code == code
    assert KEY not in caught.value.text()
    assert len(model.seen) == 1, "a wrong key is not tried again"


def test_a_redirect_is_not_followed_with_the_key(provider: Provider, model: JudgeModel) -> None:
    model.script = said(Reply(status=307, headers={"location": f"{model.url}/elsewhere"}, raw=b"{}"))
    assert provider.ask(a_question()).reply is None
    assert not any(seen.path.startswith("/elsewhere") for seen in model.seen)


def test_missing_usage_is_an_unknown_price_not_a_free_call(provider: Provider, model: JudgeModel) -> None:
    text = json.dumps(reply(a_question()))
    if provider.name.startswith("anthropic"):
        return
    model.script = said(Reply(text=text, usage=None))
    assert provider.ask(a_question()).usd_micros is None


def test_the_part_that_repeats_is_marked_for_the_providers_cache(model: JudgeModel) -> None:
    opened = opener("anthropic", model)()
    asked = a_question()
    opened.ask(asked)
    opened.close()
    front, own = model.seen[-1].body["messages"][0]["content"]
    assert front["text"] == asked.user[: asked.shared] and front["cache_control"] == {"type": "ephemeral"}
    assert front["text"] + own["text"] == asked.user


def recorded(lines: list[str]) -> Provider:
    factory = next(each for each in compose.providers() if each.name == "recorded")
    return factory.open(ProviderOptions(model="recorded", recordings=lambda: lines))


def test_a_recording_is_replayed_and_a_miss_fails() -> None:
    one, other = a_question(1), a_question(2)
    answer = Answer(item=one.item, vote=1, reply=reply(one), model="judge-1", input_tokens=5, output_tokens=6)
    replayed = recorded([to_line(one, answer)])
    again = replayed.ask(one)
    assert (again.reply, again.model, again.usd_micros) == (answer.reply, "judge-1", 0)
    with pytest.raises(UsageError, match="hold no answer") as caught:
        replayed.ask(other)
    assert caught.value.code == "not_recorded"


def test_a_recorded_error_and_a_recorded_mess_are_errors_again() -> None:
    one = a_question()
    line = json.loads(to_line(one, Answer(item=one.item, vote=1, error="429")))
    assert recorded([json.dumps(line)]).ask(one).error == "429"
    del line["error"]
    assert "no JSON object" in str(recorded([json.dumps({**line, "text": "well"})]).ask(one).error)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"digest": 3}',
        '{"digest": "x"}',
        '{"digest": "x", "text": "", "input_tokens": -1}',
        '{"digest": "x", "text": "", "output_tokens": "many"}',
        '{"digest": "x", "text": "", "model": 3}',
        '{"digest": "x", "text": "", "sampling": [1]}',
    ],
)
def test_recordings_that_are_none_are_refused_with_their_line(line: str) -> None:
    with pytest.raises(UsageError) as caught:
        recorded(["", line])
    assert (caught.value.code, caught.value.line) == ("recordings", 2)
