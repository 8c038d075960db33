"""Text of others as Markdown that cannot do anything: one value is one code span, one block one fence.

docs/trust.md rule 12. What is left outside code is built from a short list of harmless characters, so a mention, a
link, a reference, maths, HTML, an emoji code or a quick action has nothing to be made of.
"""

from __future__ import annotations

import re
import unicodedata

VALUE_LIMIT = 160
"""Characters of one value; a longer one ends in an ellipsis."""
BLOCK_LIMIT = 4_000

# Shown by number: controls, line and paragraph separators, bidi, zero width, fillers, soft hyphen, variation
# selectors, the tag block, noncharacters and lone surrogates.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_COMBINING_LIMIT = 3
# A word that stays outside code: letters, digits and punctuation that no forge gives a meaning inside a word.
_PLAIN = re.compile(r"[(“‘\"']{0,2}[^\W_]+(?:[-'’/][^\W_]+)*[,.;:!?…)”’\"']{0,4}")
_EDGES = re.compile(r"([(“‘\"']{0,2})(.*?)([,.;:!?)”’\"']{0,4})", re.DOTALL)
_MARKS = re.compile(r"[,.;:!?…)”’\"']{1,4}")
_NUMBER = re.compile(r"[(\[]?[+\-−±]?\d[\d,.]*(?: ?%)?[)\]]?[,.;:]?")
_DASH = re.compile(r"[–—…=+×→·]|-")
# Words that a forge turns into a link or a reference although every character is harmless.
_LINKED = re.compile(
    r"(?i)\b(?:[0-9a-f]{7,40}|[a-z][a-z0-9]*-\d\w*|www|https?|ftps?|mailto)\b|\.[a-z]{2,}\b|/{1}.*/|^/"
)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)


def named(text: str) -> str:
    """Each hidden character as `<U+XXXX>`; line ends and tabs stay."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def visible(text: str, limit: int = VALUE_LIMIT) -> str:
    """One line: NFC, hidden characters as `<U+XXXX>`, white space collapsed, at most three combining marks."""
    head = text[: limit * 4]
    shown = named(re.sub(r"[\t\n\r\f\v ]+", " ", head))
    out: list[str] = []
    run = 0
    for char in unicodedata.normalize("NFC", shown):
        run = run + 1 if unicodedata.combining(char) else 0
        if run <= _COMBINING_LIMIT:
            out.append(char)
    line = " ".join("".join(out).split())
    return line if len(line) <= limit and len(text) <= limit * 4 else line[: limit - 1].rstrip() + "…"


def code(text: str, limit: int = VALUE_LIMIT) -> str:
    """A code span that shows exactly `visible(text)`."""
    line = visible(text, limit) or "(empty)"
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    if not longest:
        return f"`{line}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"


def cell(text: str, limit: int = VALUE_LIMIT) -> str:
    """A code span inside a table, where a bar would end the cell even in code: look-alikes instead."""
    return code(text, limit).replace("|", "∣").replace("\\", "＼")


def prose(text: str, limit: int = 600) -> str:
    """A sentence of ours that carries values of others in backticks; safe even where all of it is theirs.

    Spans stay spans. Outside them every word that is not plainly a word becomes a span of its own.
    """
    head = text[:limit] + ("…" if len(text) > limit else "")
    out: list[str] = []
    end = 0
    for span in _SPAN.finditer(head):
        out.extend((_words(head[end : span.start()]), code(span[2])))
        end = span.end()
    out.append(_words(head[end:]))
    return _join(out).strip()


def sentence(clause: str, limit: int = 300) -> str:
    """A clause of ours as a sentence of its own: `prose` with a capital and a full stop."""
    shown = prose(clause, limit)
    return f"{shown[:1].upper()}{shown[1:]}{'' if shown.endswith(('.', '?', '!', '…')) else '.'}"


def _join(pieces: list[str]) -> str:
    """Two spans that touch would share their backticks; a space keeps them apart."""
    text = ""
    for piece in pieces:
        text += " " + piece if text.endswith("`") and piece.startswith("`") else piece
    return text


def _words(text: str) -> str:
    pieces = re.split(r"(\s+)", text)
    return _join([" " if piece.isspace() else _word(piece) for piece in pieces if piece])


def _word(word: str) -> str:
    if _harmless(word):
        return word
    opened, core, closed = _EDGES.fullmatch(word).groups()  # type: ignore[union-attr]
    return f"{opened}{code(core)}{closed}" if core and (opened or closed) else code(word)


def _harmless(word: str) -> bool:
    if _DASH.fullmatch(word) or _NUMBER.fullmatch(word) or _MARKS.fullmatch(word):
        return True
    return bool(_PLAIN.fullmatch(word)) and not _LINKED.search(word) and not _HIDDEN.search(word)


def fence(text: str, language: str = "text", limit: int = BLOCK_LIMIT) -> str:
    """A fenced block; its fence is longer than any run of backticks inside. `language` is always ours."""
    cut = text[:limit]
    body = "\n".join(_HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", line) for line in cut.split("\n"))
    if len(text) > limit:
        body += f"\n… {len(text) - limit} more characters"
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{body}\n{ticks}"


def plain(text: str, limit: int = 600) -> str:
    """Text for places that show it raw (annotations, check titles): one line, no backticks, nothing hidden."""
    return visible(text, limit).replace("`", "")
