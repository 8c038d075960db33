"""`aces-ci calibrate`: how far to trust the numbers."""

from __future__ import annotations

import importlib
import pkgutil

import click

from aces_ci.cli import _calibrate


@click.group("calibrate")
def COMMAND() -> None:
    """Measure the noise of live runs, or a judge against labels."""


for _module in pkgutil.iter_modules(_calibrate.__path__):
    COMMAND.add_command(importlib.import_module(f"{_calibrate.__name__}.{_module.name}").COMMAND)
