"""Whether a token in a file can be anything but a live secret: a sample, a public key, an id, a part of a picture."""

from __future__ import annotations

import re2

from aces_ci.core.scan.certainty import tried
from aces_ci.core.scan.secrets import Hit
from aces_ci.core.scan.snippets import is_markdown

NEAR = 600
"""Characters on either side in which another service says whose key it is."""
_SAMPLE = re2.compile(
    r"(?i)(^|[^a-z])(examples?|samples?|dummy|fakes?|faked|placeholders?|mock(s|ed)?|redacted|change[-_ ]?me|e\.g|"
    r"looks? like|such as|formats?|expect(s|ed)?|assert\w*|invalid|expired|revoked|rotated|leaked|exposed|detect\w*|"
    r"regex\w*|patterns?|matches|test|tests|testing|test[-_ ]?(key|token|data|case)s?|documentation|"
    r"fixtures?)([^a-z]|$)|"
    r"示例|样例|示範|範例|例如|举例|测试|サンプル|テスト|例[：:]|예시|예제|테스트|пример|тест|beispiel|ejemplo|exemple|exemplo"
)
"""What stands beside a token that is shown for its looks."""
_WRONG = re2.compile(r"(?i)❌|🚫|\b(wrong|bad|insecure|vulnerable|unsafe|hard-?coded?)\b|错误|不要这样|間違い|잘못")
"""What a document says above code that nobody should write."""
_WEB = re2.compile(
    r"(?i)firebase|authDomain|messagingSenderId|storageBucket|identitytoolkit|securetoken|innertube|youtubei|"
    r"\bmaps?\b|maps_|recaptcha|\bplaces\b|webpack|<script|client[-_ ]side|public[-_ ]?key|browser[-_ ]?key|"
    r"translate\.googleapis|clients6|batchexecute|web[-_ ]?(client|app|key)"
)
"""Where a Google key is one that every page hands to its visitors: it names a project and opens nothing."""
_PUBLISHED = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",  # the emulator of Azure storage
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw",  # that of Cosmos DB
    "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",  # Telegram's documentation
    "MTk4NjIyNDgzNDcxOTI1MjQ4",  # Discord's
    "4eC39HqLyjWDarjtT1zdp7dc",  # Stripe's
    "AO_FJ2SlqU8Q4STEHLGCilw_Y9_11qcW8",  # YouTube's own page
)
_IDS = frozenset({"AWS", "Alibaba Cloud", "Tencent Cloud", "Scaleway"})
"""Shapes of the public half of a pair: without the other it opens nothing."""
_BLOBS = frozenset({"Facebook", "Square", "Artifactory", "crates.io", "JFrog reference", "NuGet", "Discord bot"})
"""Shapes that chance writes into long base64."""
_LONG = 2000
_ROWS, _SHOWN = 60, 300
"""Lines above a token that are looked through for what a block is headed by, and characters of one that are read."""


def doubt(path: str, text: str, hit: Hit, others: tuple[Hit, ...], *, security: bool) -> str:
    """Why it may be no live secret, one sentence; "" where nothing says so."""
    token = text[hit.start : hit.end]
    if any(known in token for known in _PUBLISHED):
        return "Its maker's documentation prints it."
    if tried(path) or (security and is_markdown(path)):
        return "Things are tried out or shown there."
    if hit.provider == "private key" and is_markdown(path):
        return "It stands in a document, most likely to be shown."
    first = text.rfind("\n", 0, hit.start) + 1
    end = text.find("\n", hit.end)
    line = text[first : end if end >= 0 else len(text)]
    above = _above(text[:first], markdown=is_markdown(path))
    if is_markdown(path) and _WRONG.search(above):
        return "It is shown as what not to write."
    beside = (above, text[first : hit.start][-_SHOWN:], line[hit.end - first :][:_SHOWN])
    if any(_SAMPLE.search(words) for words in beside):
        return "Words beside it call it a sample."
    if hit.provider == "Google API" and _WEB.search(text[max(0, hit.start - NEAR) : hit.end + NEAR]):
        return "It may be a key that every page hands to its visitors."
    if hit.provider in _IDS and not any(
        other.provider.endswith("secret") and abs(other.place.line - hit.place.line) <= 6 for other in others
    ):
        return "It is the public half of a pair."
    signs = text[max(0, hit.start - 1) : hit.start] + text[hit.end : hit.end + 1]
    if hit.provider in _BLOBS and (len(line) > _LONG or any(sign in "+/=" for sign in signs)):
        return "It may be a part of a longer encoded text."
    return ""


def _above(text: str, *, markdown: bool) -> str:
    """The nearest line that says something, over blank ones; in a block of a document also what heads the block."""
    rows = text.split("\n")
    fences = [at for at, row in enumerate(rows) if row.lstrip("> ").startswith(("```", "~~~"))] if markdown else []
    if len(fences) % 2 == 1:  # the last one is open
        return f"{_last(rows[fences[-1] :][-_ROWS:])}\n{_last(rows[: fences[-1]][-_ROWS:])}"
    return _last((rows[fences[-1] :] if fences else rows)[-_ROWS:])


def _last(rows: list[str]) -> str:
    told = (row.strip() for row in reversed(rows))
    return next((row for row in told if row and not row.startswith(("```", "~~~", "{", "}"))), "")[-_SHOWN:]
