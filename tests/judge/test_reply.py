"""Replies as models really send them: a correct parse or an error, never a score out of thin air."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.core.asking.reply import BadReply, native_schema, parse
from aces_ci.tiers.rubric_prompt import SCHEMA

GOOD: dict[str, Any] = {
    "criterion": "example_quality",
    "path": "SKILL.md",
    "line": 8,
    "quote": "run `aces` with ```sh fences``` and {braces}",
    "searched": "",
    "reason": 'it says "run"',
    "fix": "",
    "score": 8,
    "pass": True,
    "injection_suspected": False,
}
TEXT = json.dumps(GOOD)


def but(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


PARSED = {
    "plain": TEXT,
    "white space around": f"\n\n  {TEXT}\n",
    "pretty": json.dumps(GOOD, indent=2),
    "fenced": f"```json\n{TEXT}\n```",
    "fenced without a word": f"```\n{TEXT}\n```\n",
    "fenced by more marks": f"~~~~JSON\r\n{TEXT}\r\n~~~~",
    "a fence that a stop word ended": f"```json\n{TEXT}\n",
    "thinking in front": f"<think>It asks { {1} } for it</think>\n{TEXT}",
    "thinking in front of a fence": f"\n<think>\nI refuse?\n</think>\n\n```json\n{TEXT}\n```\n",
    "byte order mark": f"\ufeff{TEXT}",
}


@pytest.mark.parametrize("text", PARSED.values(), ids=PARSED.keys())
def test_a_complete_object_is_read(text: str) -> None:
    assert parse(text, SCHEMA) == GOOD


def test_half_of_a_surrogate_pair_becomes_a_mark_in_every_string() -> None:
    found = parse(but(reason="a \ud800 b", quote="\udfff", fix="\U0001f600"), SCHEMA)
    assert (found["reason"], found["quote"], found["fix"]) == ("a \ufffd b", "\ufffd", "\U0001f600")
    json.dumps(found, ensure_ascii=False).encode("utf-8")
    with pytest.raises(BadReply) as caught:
        parse(but(**{"\ud800": 1}), SCHEMA)
    str(caught.value).encode("utf-8")


REFUSED = {
    "empty": ("", "empty"),
    "white space": (" \n\t", "empty"),
    "refusal": ("I cannot help with that.", "no JSON object"),
    **{
        f"{name}, then {form}": (f"{words}{shown}", "in front of its object")
        for name, words in {
            "a refusal": "I can't help with judging this skill.",
            "a refusal in another language": "Ich bewerte das nicht. Die Skill verlangt von mir:",
            "a refusal that quotes": "I will not judge: the skill asks me to answer",
            "a greeting": "Here is my verdict:",
            "a thought behind a thought": "<think>no</think> I must decline. <think>",
        }.items()
        for form, shown in {
            "a fence": f"\n\n```json\n{TEXT}\n```",
            "a fence in the line": f" ```json\n{TEXT}\n```",
            "the object on its own line": f"\n{TEXT}",
            "the object in the line": f" {TEXT}",
            "the object as code": f" `{TEXT}`",
            "a set and the object": f" {{a, b}}\n{TEXT}",
        }.items()
    },
    "the object, then a refusal": (f"{TEXT}\n\nI cannot stand by that.", "goes on behind"),
    "a fence, then a refusal": (f"```json\n{TEXT}\n```\nI will not do that.", "goes on behind"),
    "a refusal in a fence": (f"```\nI refuse.\n{TEXT}\n```", "in front of its object"),
    "a refusal as the word of the fence": (f"```I refuse\n{TEXT}\n```", "in front of its object"),
    "two fences": (f"```json\n{TEXT}\n```\n```json\n{TEXT}\n```", "goes on behind"),
    "a wrapper that was cut off": (f'{{"answer": {TEXT}', "not JSON"),
    "a wrapper": (f'{{"answer": {TEXT}}}', "answer"),
    "a list that was cut off": (f"[{TEXT}", "in front"),
    "a list that was cut off over lines": (f"[\n{TEXT}", "in front"),
    "cut off": (TEXT[:-20], "not JSON"),
    "cut off in a fence": (f"```json\n{TEXT[:60]}\n```", "not JSON"),
    "two objects": (f"{TEXT}\n{TEXT}", "goes on behind"),
    "an example and the answer": (f"For instance {but(score=10)} would be perfect, but: {TEXT}", "in front"),
    "a list": (f"[{TEXT}, {TEXT}]", "in front"),
    "a list of nothing": ("[]", "no JSON object"),
    "a string": ('"8"', "no JSON object"),
    "NaN": (TEXT.replace('"score": 8', '"score": NaN'), "NaN"),
    "Infinity": (TEXT.replace('"score": 8', '"score": -Infinity'), "Infinity"),
    "a number that overflows": (TEXT.replace('"score": 8', '"score": 1e999'), "without bounds"),
    "a key twice": (TEXT.replace('"score": 8', '"score": 3, "score": 8'), "twice"),
    "score as text": (but(score="8"), "score"),
    "score as a truth value": (but(score=True), "score"),
    "score out of range": (but(score=11), "score"),
    "score below range": (but(score=-1), "score"),
    "score with a fraction": (but(score=7.5), "score"),
    "score missing": (json.dumps({k: v for k, v in GOOD.items() if k != "score"}), "score"),
    "pass as a number": (but(**{"pass": 1}), "pass"),
    "pass as text": (but(**{"pass": "true"}), "pass"),
    "null": (but(quote=None), "quote"),
    "an unknown key": (but(overall=100), "overall"),
    "nested too deep": ('{"a":' * 5_000 + "1" + "}" * 5_000, "deeper"),
    "single quotes": (str(GOOD), "not JSON"),
    "far too long": ("x" * 300_000, "longer"),
    "a quote without end": (but(quote="x" * 5_000), "quote"),
}


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_an_error_that_says_why(text: str, why: str) -> None:
    with pytest.raises(BadReply, match=why):
        parse(text, SCHEMA)


@given(st.text(max_size=200), st.text(alphabet='{}[]",:`\\ \n1truefalsn', max_size=60))
def test_no_text_breaks_the_reader_or_becomes_an_object(front: str, soup: str) -> None:
    for text in (front, soup, front + soup, TEXT[:40] + soup):
        with pytest.raises(BadReply):
            parse(text, SCHEMA)


@given(
    st.dictionaries(st.sampled_from(sorted(GOOD)), st.sampled_from([None, [], {}, "", "8", 0.5, 10**9, "x" * 9_999]))
)
def test_an_object_of_another_form_is_never_read(changes: dict[str, Any]) -> None:
    text = json.dumps({**GOOD, **changes})
    try:
        found = parse(text, SCHEMA)
    except BadReply:
        return
    assert type(found["score"]) is int and 0 <= found["score"] <= 10 and type(found["pass"]) is bool


def test_the_schema_that_is_sent_leaves_out_what_strict_output_refuses_and_no_field() -> None:
    sent = native_schema(SCHEMA)
    assert "maximum" not in json.dumps(sent) and "maxLength" not in json.dumps(sent)
    properties = SCHEMA["properties"]
    assert isinstance(properties, dict) and set(sent["properties"]) == set(properties)
    assert set(sent["required"]) == set(properties), "strict output wants every field required"
