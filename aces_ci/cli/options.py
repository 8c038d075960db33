"""Options that several commands share, written once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

F = TypeVar("F", bound=Callable[..., Any])


def repo_option(function: F) -> F:
    """`-C DIR` / `--repo DIR`: where to work."""
    return click.option(
        "-C",
        "--repo",
        "repo",
        type=click.Path(path_type=Path),
        default=Path(),
        show_default=True,
        callback=_directory,
        help="Directory to work in (a path, not owner/name).",
    )(function)


def output_option(function: F) -> F:
    """`--output DIR`: where reports go."""
    return click.option(
        "--output",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("aces-results"),
        show_default=True,
        help="A directory for reports and evidence.",
    )(function)


def output_file_option(function: F) -> F:
    """`--output-file FILE`: where a single document goes instead of stdout."""
    return click.option(
        "--output-file",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write the document to this file instead of stdout.",
    )(function)


def format_option(*names: str) -> Callable[[F], F]:
    """`--format NAME`; the first name is the default."""

    def decorate(function: F) -> F:
        return click.option(
            "--format",
            "format_",
            type=click.Choice(names),
            default=names[0],
            show_default=True,
            help="How results are written to stdout.",
        )(function)

    return decorate


def config_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--config FILE`, `--set key=value` and `--provider-url URL`, which comes as the first of `overrides`."""

    @wraps(function)
    def with_one_server(*args: Any, overrides: tuple[str, ...], provider_url: str | None, **options: Any) -> Any:
        from aces_ci.settings.load import with_server

        return function(*args, overrides=with_server(provider_url, overrides), **options)

    return server_and_config_options(with_one_server)


def server_and_config_options(function: F) -> F:
    """The same for commands that also start agents: `provider_url` is theirs, and the judge's by `with_server`."""
    for option in (
        click.option(
            "--provider-url",
            metavar="URL",
            callback=_server,
            help="Base URL of an OpenAI-compatible model server; `--set judge.base_url=URL` outranks it for the judge.",
        ),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Override one setting, e.g. live.attempts.looks=[3,5]. Repeatable.",
        ),
        click.option(
            "--config",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Read settings from this file instead of aces.yml.",
        ),
    ):
        function = option(function)
    return function


def verbosity_options(function: F) -> F:
    """`-v`, `-q`, `-qq` and `--color`."""
    for option in (
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colour on a terminal; NO_COLOR and FORCE_COLOR are honoured.",
        ),
        click.option("-q", "--quiet", count=True, help="Findings only; twice: exit code only."),
        click.option("-v", "--verbose", count=True, help="Show notes as well, where a command has any."),
    ):
        function = option(function)
    return function


def wants_color(choice: str, *, is_tty: bool, env: dict[str, str]) -> bool:
    """Whether to colour: the option, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if env.get("NO_COLOR"):
        return False
    return bool(env.get("FORCE_COLOR")) or is_tty


def _server(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    try:
        parts = urlsplit(value or "")
    except ValueError as error:
        raise click.BadParameter(f"{value} is no URL: {error}", ctx, param) from None
    if value and not (parts.scheme in ("http", "https") and parts.hostname):
        raise click.BadParameter(f"{value} is no URL of a server: http(s)://host[:port][/path]", ctx, param)
    return value


def _directory(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    if value.is_dir():
        return value
    text = str(value)
    if text.count("/") == 1 and not text.startswith((".", "/")):
        raise click.BadParameter(
            f"{text} is no directory here. It looks like owner/name; this option takes a path.", ctx, param
        )
    raise click.BadParameter(f"{text} is no directory.", ctx, param)
