"""List prices as data, each row with the date on which it was read; override what differs.

Sources: price pages of the Claude API and of the OpenAI API, standard tier, US dollars per million tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from aces_ci.core.spending.price import Price

_ANTHROPIC_READ = "2026-10-24"
_OPENAI_READ = "2026-11-05"

# model, USD per million tokens: input, output, cache read, cache write (5 minutes).
_ANTHROPIC = (
    ("claude-fable-5-1*", 10, 50, 0.25, 12.5),
    ("claude-fable-5*", 10, 50, 1, 12.5),
    ("claude-opus-5-5*", 4, 20, 0.2, 5),
    ("claude-opus-5*", 5, 25, 0.5, 6.25),
    ("claude-opus-4-5*", 5, 25, 0.5, 6.25),
    ("claude-opus-4-6*", 5, 25, 0.5, 6.25),
    ("claude-opus-4-7*", 5, 25, 0.5, 6.25),
    ("claude-opus-4-8*", 5, 25, 0.5, 6.25),
    ("claude-opus-4*", 15, 75, 1.5, 18.75),
    ("claude-sonnet-5-5*", 2, 10, 0.1, 2.5),
    ("claude-sonnet-5*", 2, 10, 0.2, 2.5),
    ("claude-sonnet-4*", 3, 15, 0.3, 3.75),
    ("claude-haiku-4-5*", 1, 5, 0.1, 1.25),
)
# model, USD per million tokens: input, output, cached input; writing a cache is billed from GPT-5.6 on.
_OPENAI = (
    ("gpt-5.5-pro*", 30, 180, 30),
    ("gpt-5.4-pro*", 30, 180, 30),
    ("gpt-5.4-mini*", 0.75, 4.5, 0.075),
    ("gpt-5.4-nano*", 0.2, 1.25, 0.02),
    ("gpt-5.1*", 1.25, 10, 0.125),
    ("gpt-5-mini*", 0.25, 2, 0.025),
    ("gpt-5-nano*", 0.05, 0.4, 0.005),
    ("gpt-5-codex*", 1.25, 10, 0.125),
    ("gpt-5-20*", 1.25, 10, 0.125),
    ("gpt-5", 1.25, 10, 0.125),
    ("gpt-4.1-mini*", 0.4, 1.6, 0.1),
    ("gpt-4.1-nano*", 0.1, 0.4, 0.025),
    ("gpt-4.1*", 2, 8, 0.5),
    ("gpt-4o-mini*", 0.15, 0.6, 0.075),
    ("gpt-4o*", 2.5, 10, 1.25),
)
# The same, with the rates of prompts above 272,000 tokens: twice the input, one and a half times the output.
_OPENAI_TIERED = (
    ("gpt-5.6-sol*", 4, 20, 0.4, 1.25),
    ("gpt-5.6-terra*", 2, 12, 0.2, 1.25),
    ("gpt-5.6-luna*", 0.2, 1.2, 0.02, 1.25),
    ("gpt-5.5*", 5, 30, 0.5, 1.0),
    ("gpt-5.4*", 2.5, 15, 0.25, 1.0),
)
_OPENAI_LONG = 272_000


def _nano(usd_per_million: float) -> int:
    return round(usd_per_million * 1000)


TABLE: tuple[Price, ...] = (
    *(
        Price(
            model=model,
            input=_nano(rate_in),
            output=_nano(rate_out),
            cache_read=_nano(read),
            cache_write=_nano(write),
            as_of=_ANTHROPIC_READ,
        )
        for model, rate_in, rate_out, read, write in _ANTHROPIC
    ),
    Price(
        model="claude-haiku-5-5*",
        input=100,
        output=500,
        cache_read=10,
        cache_write=125,
        long_over=100_000,
        long_input=500,
        long_output=2500,
        long_cache_read=50,
        long_cache_write=625,
        as_of=_ANTHROPIC_READ,
    ),
    *(
        Price(
            model=model,
            input=_nano(rate_in),
            output=_nano(rate_out),
            cache_read=_nano(read),
            cache_write=_nano(rate_in),
            as_of=_OPENAI_READ,
        )
        for model, rate_in, rate_out, read in _OPENAI
    ),
    *(
        Price(
            model=model,
            input=_nano(rate_in),
            output=_nano(rate_out),
            cache_read=_nano(read),
            cache_write=_nano(rate_in * write),
            long_over=_OPENAI_LONG,
            long_input=_nano(rate_in * 2),
            long_output=_nano(rate_out * 1.5),
            long_cache_read=_nano(read * 2),
            long_cache_write=_nano(rate_in * 2 * write),
            as_of=_OPENAI_READ,
        )
        for model, rate_in, rate_out, read, write in _OPENAI_TIERED
    ),
)


def price_of(model: str, overrides: Iterable[Price] = ()) -> Price | None:
    """The first price whose name or pattern matches: overrides, then the table. None: unknown, never free."""
    for price in (*overrides, *TABLE):
        if fnmatchcase(model, price.model):
            return price
    return None
