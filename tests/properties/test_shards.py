"""Shards: everything once, balanced, and the same wherever it is computed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aces_ci.core.shards import divide, matrix, of_shard

COSTS = st.dictionaries(st.text(min_size=1, max_size=8), st.integers(0, 10_000), max_size=40)
COUNTS = st.integers(1, 12)


@given(COSTS, COUNTS)
def test_every_item_is_in_exactly_one_shard(costs: dict[str, int], count: int) -> None:
    items = [item for shard in divide(costs, count) for item in shard.items]
    assert sorted(items) == sorted(costs)
    union = [item for index in range(1, count + 1) for item in of_shard(costs, (index, count))]
    assert sorted(union) == sorted(costs)


@given(COSTS, COUNTS, st.randoms(use_true_random=False))
def test_the_order_in_which_items_are_found_does_not_matter(costs: dict[str, int], count: int, random: object) -> None:
    rows = list(costs.items())
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert divide(dict(rows), count) == divide(costs, count)


@given(COSTS, COUNTS)
def test_no_shard_is_much_longer_than_it_must_be(costs: dict[str, int], count: int) -> None:
    shards = divide(costs, count)
    longest = max(costs.values(), default=0)
    bound = max(longest, sum(costs.values()) / count)
    assert max(shard.cost for shard in shards) <= 2 * bound
    loads = [shard.cost for shard in shards]
    # The longest shard without its smallest item is no longer than any other shard.
    busiest = max(shards, key=lambda shard: shard.cost)
    if busiest.items:
        assert busiest.cost - min(costs[item] for item in busiest.items) <= min(loads)


@given(COSTS, COUNTS)
def test_the_matrix_has_no_empty_job_and_says_when_there_is_nothing(costs: dict[str, int], most: int) -> None:
    plan = matrix(costs, most)
    include = plan["include"]
    assert isinstance(include, list)
    assert plan["count"] == len(include) == min(most, len(costs))
    assert all(row["skills"] > 0 for row in include)
    assert sum(row["skills"] for row in include) == len(costs)


def test_known_plans() -> None:
    plan = matrix({"a": 5, "b": 4, "c": 3, "d": 3, "e": 3}, 2)
    assert plan["include"] == [
        {"shard": "1/2", "index": 1, "skills": 2, "cost": 8},
        {"shard": "2/2", "index": 2, "skills": 3, "cost": 10},
    ]
    assert matrix({}, 4) == {"count": 0, "include": []}
    assert of_shard({"a": 1}, None) == {"a"}
    assert of_shard({"a": 1}, (2, 2)) == frozenset()


def test_items_without_cost_are_spread_too() -> None:
    assert [len(shard.items) for shard in divide({str(number): 0 for number in range(8)}, 4)] == [2, 2, 2, 2]


@pytest.mark.parametrize("count", [0, -1, 257])
def test_counts_that_no_matrix_has(count: int) -> None:
    with pytest.raises(ValueError, match="shards"):
        divide({"a": 1}, count)
