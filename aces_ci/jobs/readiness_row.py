"""One line of `doctor`: what was looked at, how it stands, which tiers rest on it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One check. `needed_by` are the tiers that cannot run without it."""

    state: str
    """ok, warn or fail."""
    what: str
    so: str = ""
    do: str = ""
    needed_by: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    """Tiers that rest on it, where it is there and nobody has tried whether it works."""

    def stops(self, tier: str) -> bool:
        """Whether `tier` cannot run because of this."""
        return self.state == "fail" and tier in self.needed_by

    def text(self) -> str:
        """As a terminal shows it: what is, why it matters, what to do."""
        rows = [f"{self.state:<5} {self.what}"]
        rows += [f"        so: {self.so}"] if self.so else []
        rows += [f"        do: {self.do}"] if self.do else []
        return "\n".join(rows)

    def json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)
