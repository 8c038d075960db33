"""The text of a small good skill, so that a rule's examples show only what the rule is about."""

from __future__ import annotations

DESCRIPTION = "Converts ledger exports to CSV. Use when the user asks for a ledger as a table."


def manifest(body: str = "# Sample\n", *, name: str = "sample", description: str = DESCRIPTION, extra: str = "") -> str:
    """A manifest of four lines of frontmatter, plus those of `extra`, plus the body on the line after."""
    more = f"{extra}\n" if extra else ""
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n{body}"
