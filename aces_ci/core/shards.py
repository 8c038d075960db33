"""Many runners: which shard evaluates which skill, the same on every machine and in every re-run.

Longest first, each to the shard with the least so far: at most 4/3 of the best possible makespan
(Graham 1969). Ties go by path and by index, so nothing but the paths, their costs and the count decides.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aces_ci.core.errors import UsageError

LIMIT = 256
"""Jobs of one matrix, GitHub's limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One job: `index` of `count`, 1-based; `cost` in the unit of the costs that were given."""

    index: int
    count: int
    items: tuple[str, ...]
    cost: int

    @property
    def name(self) -> str:
        """As `--shard` takes it."""
        return f"{self.index}/{self.count}"


def divide(costs: Mapping[str, int], count: int) -> tuple[Shard, ...]:
    """`count` shards of the items in `costs`; some are empty where there are fewer items.

    Raises:
        ValueError: a count outside 1 to 256, or a negative cost.
    """
    if not 1 <= count <= LIMIT:
        raise ValueError(f"{count} shards; 1 to {LIMIT} are possible")
    if any(cost < 0 for cost in costs.values()):
        raise ValueError("a cost is negative")
    parts: list[list[str]] = [[] for _ in range(count)]
    loads = [(0, 0, index) for index in range(count)]
    for item in sorted(costs, key=lambda name: (-costs[name], name)):
        # Number of items before index: items that cost nothing are spread too.
        load, number, index = heapq.heappop(loads)
        parts[index].append(item)
        heapq.heappush(loads, (load + costs[item], number + 1, index))
    return tuple(
        Shard(
            index=index + 1,
            count=count,
            items=tuple(sorted(part)),
            cost=sum(costs[item] for item in part),
        )
        for index, part in enumerate(parts)
    )


def of_shard(costs: Mapping[str, int], shard: tuple[int, int] | None) -> frozenset[str]:
    """The items that `(index, count)` evaluates; all of them without a shard."""
    if shard is None:
        return frozenset(costs)
    index, count = shard
    return frozenset(divide(costs, count)[index - 1].items)


def matrix(costs: Mapping[str, int], most: int) -> dict[str, object]:
    """The plan that a workflow fans out over: at most `most` shards, none of them empty.

    `count` 0 means that there is nothing to do: an empty matrix is an error on GitHub, so the fan-out job
    asks first.
    """
    count = min(most, len(costs))
    shards: Sequence[Shard] = divide(costs, count) if count else ()
    return {
        "count": len(shards),
        "include": [
            {"shard": shard.name, "index": shard.index, "skills": len(shard.items), "cost": shard.cost}
            for shard in shards
        ],
    }


def shard_of(text: str | None) -> tuple[int, int] | None:
    """`I/N` as the command line has it; None: the whole. Raises UsageError."""
    if text is None:
        return None
    first, slash, second = text.partition("/")
    if not slash or not first.isdigit() or not second.isdigit() or not 1 <= int(first) <= int(second) <= LIMIT:
        raise UsageError(f"`--shard {text}` is not I/N", code="shard", do=f"e.g. --shard 2/4; at most {LIMIT} shards")
    return int(first), int(second)
