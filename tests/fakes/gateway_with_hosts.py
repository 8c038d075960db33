"""The real gateway with an internet of the tests' own: every name is found at 127.0.0.1, on one port, and may be.

This is the only way to another internet than the real one; no setting of the product leads to it.
"""

from __future__ import annotations

import sys

from aces_ci.gateway.internet import Internet
from aces_ci.gateway.program import run


async def lookup(host: str) -> tuple[str, ...]:
    """The same for every name; one that is called so points inwards, as a rebinding name would."""
    return ("127.0.0.2",) if host.startswith("inward.") else ("127.0.0.1",)


if __name__ == "__main__":
    internet = Internet(lookup=lookup, admissible=lambda address: address == "127.0.0.1", port=int(sys.argv[1]))
    run(sys.stdin.buffer, sys.stdout.buffer, internet)
