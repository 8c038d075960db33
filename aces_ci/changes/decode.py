"""Manifest bytes become text: one reading, whatever the editor, the locale or the platform made of them."""

from __future__ import annotations

import codecs

from aces_ci.core.skill import ParseProblem, Place, universal_newlines

_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode(data: bytes) -> tuple[str, tuple[ParseProblem, ...]]:
    """Text with universal newlines and no byte order mark, undecodable bytes replaced; and what was wrong.

    UTF-16 is recognised by its mark, or by NUL bytes beside ASCII, and read on, so that the rest of the
    file can be reported as well. Nothing here is fatal: the text is usable for every other reader.
    """
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            return universal_newlines(data[len(mark) :].decode(encoding, "replace")), (_utf16(encoding),)
    guess = _bare_utf16(data)
    if guess:
        return universal_newlines(data.decode(guess, "replace")), (_utf16(guess),)
    problems: list[ParseProblem] = []
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        problems.append(
            ParseProblem(
                kind="bom",
                message="The file begins with a byte order mark (EF BB BF); several readers then see no "
                "frontmatter, and so no skill.",
                hint="save the file as UTF-8 without a byte order mark",
                place=_point(1, 1),
                fatal=False,
            )
        )
    try:
        return universal_newlines(data.decode("utf-8")), tuple(problems)
    except UnicodeDecodeError:
        problems.append(_bad_bytes(data))
        return universal_newlines(data.decode("utf-8", "replace")), tuple(problems)


def _bad_bytes(data: bytes) -> ParseProblem:
    """The first undecodable byte with its offset, and how many there are."""
    runs: list[int] = []
    rest = 0
    while rest < len(data) and len(runs) < 1000:
        try:
            data[rest:].decode("utf-8")
            break
        except UnicodeDecodeError as error:
            runs.append(rest + error.start)
            rest += error.end
    first = runs[0]
    head = data[:first].decode("utf-8")
    lines = universal_newlines(head).split("\n")
    more = f", and {len(runs) - 1} more after it" if len(runs) > 1 else ""
    return ParseProblem(
        kind="encoding",
        message=f"The file is not UTF-8: invalid byte 0x{data[first]:02X} at byte offset {first}{more}. "
        "Readers that are strict refuse the whole skill.",
        hint="save the file as UTF-8",
        place=_point(len(lines), len(lines[-1]) + 1),
        fatal=False,
    )


def _utf16(encoding: str) -> ParseProblem:
    return ParseProblem(
        kind="utf16",
        message=f"The file is {encoding.upper()}, which agents do not read; they find no frontmatter in it.",
        hint="save the file as UTF-8 (PowerShell: `Set-Content -Encoding utf8NoBOM`)",
        place=_point(1, 1),
        fatal=False,
    )


def _bare_utf16(data: bytes) -> str | None:
    """UTF-16 without a mark: `---` at the start, every other byte NUL."""
    if data.startswith(b"-\0-\0-\0"):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(b"\0-\0-\0-") else None


def _point(line: int, column: int) -> Place:
    return Place(line=line, column=column, end_line=line, end_column=column + 1)
