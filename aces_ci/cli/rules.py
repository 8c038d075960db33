"""`aces-ci rules`: every rule of tier 1."""

from __future__ import annotations

import json

import click

from aces_ci.cli.options import format_option


@click.command("rules")
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@format_option("text", "json", "markdown")
def COMMAND(codes: tuple[str, ...], format_: str) -> int:
    """List the rules: code, severity, dimension, title. CODE narrows, whole or by its beginning (`SP`)."""
    from aces_ci import compose
    from aces_ci.core.reading.codes import matching
    from aces_ci.core.reading.further_codes import FURTHER
    from aces_ci.core.reading.rule_page import entry, markdown

    rules = compose.rules()
    wanted = matching(codes or ("ALL",), [rule.code for rule in rules], "CODE")
    further = [code for code in FURTHER.values() if code.code in wanted]
    chosen = [rule for rule in rules if rule.code in wanted]
    if format_ == "json":
        click.echo(json.dumps({"schema_version": 1, "rules": [entry(rule) for rule in chosen]}, indent=1))
    elif format_ == "markdown":
        click.echo(markdown(chosen, further), nl=False)
    else:
        for rule in chosen:
            where = rule.dimension.value if rule.dimension else rule.category.value
            click.echo(f"{rule.code}  {rule.severity.value:<8}  {where:<15}  {rule.title}")
        for code in further:
            click.echo(f"{code.code}  {code.severity.split()[0]:<8}  {code.category:<15}  {code.title}")
        click.echo(f"{len(chosen)} rules. One in full: aces-ci explain CODE", err=True)
    return 0
