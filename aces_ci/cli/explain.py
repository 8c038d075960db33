"""`aces-ci explain`: one page on a rule or on a word of a verdict."""

from __future__ import annotations

import difflib
import textwrap

import click


@click.command("explain")
@click.argument("word", nargs=-1, required=True, metavar="CODE|WORD")
def COMMAND(word: tuple[str, ...]) -> int:
    """Explain a rule or code (SP004, LI002, SC2086) or a word (inconclusive, "cannot tell", lift)."""
    from aces_ci import compose
    from aces_ci.core.errors import UsageError
    from aces_ci.core.reading.further_codes import FURTHER, foreign
    from aces_ci.core.reading.glossary import ALIASES, WORDS, meaning
    from aces_ci.core.reading.rule_page import page

    text = " ".join(word)
    rules = {rule.code: rule for rule in compose.rules()}
    rule = rules.get(text.upper()) or next((rule for rule in rules.values() if rule.slug == text.lower()), None)
    found = meaning(text)
    if rule is not None:
        click.echo("\n".join(page(rule)))
    elif text.upper() in FURTHER:
        click.echo("\n".join(FURTHER[text.upper()].page()))
    elif (borrowed := foreign(text)) is not None:
        click.echo(textwrap.fill(borrowed, 78, break_long_words=False, break_on_hyphens=False))
    elif found is not None:
        click.echo(found[0])
        click.echo("")
        click.echo(textwrap.fill(found[1], 78))
    else:
        known = [*rules, *FURTHER, *(rule.slug for rule in rules.values()), *WORDS, *ALIASES]
        close = difflib.get_close_matches(text, known, n=1) or difflib.get_close_matches(text.upper(), known, n=1)
        hint = f"did you mean `{close[0]}`? " if close else ""
        raise UsageError(
            f"`{text}` is no rule and no word of a verdict",
            code="unknown_word",
            do=f"{hint}rules: aces-ci rules; words: {', '.join(sorted(WORDS))}",
        )
    return 0
