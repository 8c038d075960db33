"""Numbers as people read them: no-break spaces, money without a dollar sign."""

from __future__ import annotations

NBSP = "\u00a0"
_CENT = 10_000


def in_micros(amount: float | None) -> int | None:
    """An amount in dollars, as settings have it, in millionths; None stays None: no cap."""
    return None if amount is None else round(amount * 1_000_000)


def usd(micros: int | float | None) -> str:
    """Millionths of a dollar as `2.31 USD`; unknown is said, never 0, and what is less than a cent is not nothing."""
    return "an unknown price" if micros is None else f"{_amount(micros)}{NBSP}USD"


def dollars(micros: int | float | None) -> str:
    """As `$2.31`, for terminals and code fences only."""
    return "an unknown price" if micros is None else f"${_amount(micros)}"


def _amount(micros: int | float) -> str:
    """To the cent; below one to two digits that are not 0."""
    if not 0 < micros < _CENT:
        return f"{micros / 1_000_000:.2f}"
    digits = 7 - len(str(max(1, int(micros))))
    return f"{micros / 1_000_000:.{digits + 1}f}".rstrip("0")


def tokens(count: int | float) -> str:
    """`31 k`, `2.6 M`, or the number itself below a thousand."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f}{NBSP}M"
    return f"{count / 1000:.0f}{NBSP}k" if count >= 1000 else f"{count:.0f}"


def duration(seconds: float) -> str:
    """`0.2 s`, `26 min`, `1 h 52 min`."""
    if seconds < 60:
        return f"{seconds:.1f}{NBSP}s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes}{NBSP}min"
    return f"{minutes // 60}{NBSP}h {minutes % 60}{NBSP}min"


def signed(value: int) -> str:
    """`+3`, `−1`, `±0`, with the minus sign of typography."""
    return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "±0"


def plural(count: int, word: str, many: str | None = None) -> str:
    """`1 error`, `3 errors`."""
    return f"{count} {word if count == 1 else many or word + 's'}"
