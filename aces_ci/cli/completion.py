"""`aces-ci completion SHELL`: what to source for completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def COMMAND(shell: str) -> int:
    """Print the completion script for SHELL: `eval "$(aces-ci completion bash)"`."""
    from aces_ci.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(cli, {}, "aces-ci", "_ACES_CI_COMPLETE").source())
    return 0
