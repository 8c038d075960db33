"""What tokens cost: a dated table, looked up by model, in whole numbers.

Money is counted in millionths of a US dollar. A price is in billionths of a dollar a token, which is the
usual "USD per million tokens" times 1,000, so that the cheapest published rate is still a whole number.
"""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.trial import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Rates of one model, in billionths of a US dollar a token."""

    model: str
    """Exact name, or a pattern with `*`."""
    input: int
    output: int
    cache_read: int
    cache_write: int
    """Five-minute cache; longer ones are refused by the gateway."""
    long_over: int | None = None
    """Prompts above so many tokens (cached ones counted) pay the rates below, on the whole request."""
    long_input: int = 0
    long_output: int = 0
    long_cache_read: int = 0
    long_cache_write: int = 0
    as_of: str = ""
    """ISO date on which the rates were read."""

    def rates(self, prompt_tokens: int) -> tuple[int, int, int, int]:
        """input, output, cache read, cache write for a prompt of this length."""
        if self.long_over is not None and prompt_tokens > self.long_over:
            return self.long_input, self.long_output, self.long_cache_read, self.long_cache_write
        return self.input, self.output, self.cache_read, self.cache_write


def cost(price: Price, usage: Usage) -> int:
    """Millionths of a dollar for what was used, a started millionth counted whole."""
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    rate_in, rate_out, rate_read, rate_write = price.rates(prompt)
    billionths = (
        usage.input_tokens * rate_in
        + usage.output_tokens * rate_out
        + usage.cache_read_tokens * rate_read
        + usage.cache_write_tokens * rate_write
    )
    return -(-billionths // 1000)


def bound(price: Price, prompt_tokens: int, output_tokens: int) -> int:
    """The most that a request can cost in millionths of a dollar, however it is cached."""
    rate_in, rate_out, rate_read, rate_write = price.rates(prompt_tokens)
    if price.long_over is not None:
        # The count is an upper bound, so the shorter prompt's rates must be covered as well.
        rate_in, rate_out = max(rate_in, price.input), max(rate_out, price.output)
        rate_write = max(rate_write, price.cache_write)
    return -(-(prompt_tokens * max(rate_in, rate_read, rate_write) + output_tokens * rate_out) // 1000)
