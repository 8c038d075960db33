"""`aces-ci evals`: evaluation assets, read in whatever format they are written."""

from __future__ import annotations

import importlib
import pkgutil

import click

import aces_ci.cli._evals as parts


class Lazy(click.Group):
    """A subcommand is a module of `cli/_evals` with a COMMAND, imported when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In alphabetical order."""
        del ctx
        return sorted(info.name for info in pkgutil.iter_modules(parts.__path__) if not info.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The module's command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{parts.__name__}.{cmd_name}").COMMAND
        assert isinstance(command, click.Command)
        return command


@click.group("evals", cls=Lazy)
def COMMAND() -> None:
    """Read, draft and check evaluation assets."""
