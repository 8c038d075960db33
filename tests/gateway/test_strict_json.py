"""The strict parser reads what every parser reads the same way, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aces_ci.gateway.strict_json import MAX_DEPTH, RefusedError, canonical, dump, load

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)


@settings(max_examples=25, deadline=None)
@given(OBJECTS)
def test_every_honest_object_survives_in_both_spellings(value: dict[str, object]) -> None:
    assert load(json.dumps(value).encode()) == value
    assert load(dump(value)) == value


@settings(max_examples=25, deadline=None)
@given(OBJECTS)
def test_what_is_forwarded_reads_the_same_with_the_standard_parser(value: dict[str, object]) -> None:
    assert json.loads(dump(value)) == value


@settings(max_examples=25, deadline=None)
@given(OBJECTS, TEXT, VALUES, VALUES)
def test_a_key_that_occurs_twice_is_refused_wherever_it_stands(
    around: dict[str, object], key: str, first: object, second: object
) -> None:
    twice = f"{{{json.dumps(key)}:{json.dumps(first)},{json.dumps(key)}:{json.dumps(second)}}}"
    document = f'{{"around":{json.dumps(around)},"inner":[{twice}]}}'
    with pytest.raises(RefusedError, match="occurs twice"):
        load(document.encode())


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_and_nothing_else(raw: bytes) -> None:
    try:
        value = load(raw)
    except RefusedError:
        return
    assert json.loads(raw.decode()) == value


@settings(max_examples=25, deadline=None)
@given(OBJECTS, st.data())
def test_a_damaged_document_never_raises_anything_else(value: dict[str, object], data: st.DataObject) -> None:
    raw = bytearray(dump(value))
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.integers(0, 255))
    try:
        load(bytes(raw))
    except RefusedError as error:
        assert error.reason


@settings(max_examples=25, deadline=None)
@given(OBJECTS)
def test_the_canonical_spelling_ignores_the_order_of_keys(value: dict[str, object]) -> None:
    backwards = dict(reversed(list(value.items())))
    assert canonical(value) == canonical(backwards)


def test_the_deepest_allowed_document_is_read_and_one_deeper_is_not() -> None:
    def nested(levels: int) -> bytes:
        return b'{"a":' * levels + b"1" + b"}" * levels

    assert load(nested(MAX_DEPTH))
    with pytest.raises(RefusedError, match="nested deeper"):
        load(nested(MAX_DEPTH + 1))


def test_a_whole_surrogate_pair_is_text() -> None:
    assert load(b'{"a":"\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}
