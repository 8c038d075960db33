"""argv in, exit code out: finds the command, shows the error, chooses the exit code."""

from __future__ import annotations

import errno
import importlib
import itertools
import json
import os
import pkgutil
import select
import sys
from typing import NoReturn

import click

import aces_ci.cli
from aces_ci import __version__
from aces_ci.core.errors import AcesError

EXIT_USAGE = 2
EXIT_BUG = 70
EXIT_INTERRUPTED = 130
EXIT_CLOSED = 141
"""As of any program whose reader went away: what was decided was not heard, so neither 0 nor 1 would be true."""
EXTRAS = {
    **dict.fromkeys(("anthropic", "openai"), "judge"),
    **dict.fromkeys(("docker", "aiohttp", "uvloop", "numpy", "scipy"), "judge,live"),
}
"""What brings a package that not every installation has. Agents are graded by a judge, so they want both."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
# Files of this package that are parts of the command line, not commands.
_PARTS = frozenset({"main", "options", "crash"})


class _NobodyReads(Exception):
    """Whoever read our output has gone."""


class Lazy(click.Group):
    """A group whose commands are modules of `aces_ci.cli`, imported when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every module that is a command, in alphabetical order."""
        del ctx
        names = (info.name for info in pkgutil.iter_modules(aces_ci.cli.__path__))
        return sorted(name for name in names if name not in _PARTS and not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The `COMMAND` of the module of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"aces_ci.cli.{cmd_name}").COMMAND
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """As click, which would end with 1, a gate's word, where `| head` reads no more."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise (_NobodyReads() if _unread() else RuntimeError("a pipe of our own broke")) from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click, with a suggestion for a mistyped name."""
        import difflib

        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            close = difflib.get_close_matches(name, [*self.list_commands(ctx)], n=1)
            hint = f" Did you mean `{close[0]}`?" if close else ""
            ctx.fail(f"No such command `{name}`.{hint}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=Lazy,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "ACES",
        "max_content_width": 100,
    },
    epilog="Exit codes: 0 pass or advice only, 1 a blocking gate failed, 2 usage or configuration, 3 cannot tell "
    "where you made that blocking, 4 aces-ci could not do its own job, 70 bug, 130 interrupted.",
)
@click.version_option(__version__, message="aces-ci %(version)s")
def cli() -> None:
    """Says, with evidence, whether a change to an agent skill makes agents better, worse, or cannot be told
    yet."""


def main(argv: list[str] | None = None) -> NoReturn:
    """Run one command and exit. The only place that turns an exception into an exit code."""
    args = sys.argv[1:] if argv is None else argv
    as_json = _wants_json(args)
    try:
        code = cli.main(args=args, prog_name="aces-ci", standalone_mode=False, default_map=_from_inputs())
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        _show(AcesError("interrupted; what was written so far is kept", code="interrupted"), as_json=as_json)
        sys.exit(EXIT_INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(EXIT_USAGE)
    except click.ClickException as error:
        _show_usage(error, as_json=as_json)
        sys.exit(EXIT_USAGE)
    except AcesError as error:
        _show(error, as_json=as_json)
        sys.exit(error.exit_code)
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            _bug(error, args, as_json=as_json)
        what = f"the package `{error.name}`, which this needs, is not installed"
        _show(AcesError(what, code="not_installed", do=f"pip install 'aces-ci[{extra}]'"), as_json=as_json)
        sys.exit(EXIT_USAGE)
    except _NobodyReads:
        _close_stdout()
        sys.exit(EXIT_CLOSED)
    except OSError as error:
        if error.errno not in _FULL:
            _bug(error, args, as_json=as_json)
        _close_stdout()
        why = f"the system said: {os.strerror(error.errno or 0)}"
        _show(AcesError("the output could not be written", code="not_written", why=why), as_json=False)
        sys.exit(AcesError.exit_code)
    except Exception as error:  # noqa: BLE001 - the boundary: a bug becomes a report that can be pasted
        _bug(error, args, as_json=as_json)


def _bug(error: Exception, args: list[str], *, as_json: bool) -> NoReturn:
    from aces_ci.cli.crash import report

    click.echo(report(error, args), err=True)
    if as_json:
        bug = AcesError("a bug in aces-ci, not in your skill", code="bug", do="open an issue with what is on stderr")
        click.echo(json.dumps(bug.json()))
    sys.exit(EXIT_BUG)


def _unread() -> bool:
    """Whether stdout or stderr is a pipe that nobody reads any more."""
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _close_stdout() -> None:
    """What is still buffered goes nowhere; Python would complain of it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _from_inputs() -> dict[str, dict[str, str]]:
    """Options that the action's inputs stand for; an option on the command line outranks them."""
    from aces_ci.settings.inputs import defaults_of

    given = defaults_of(os.environ)
    return dict.fromkeys(("run", "report", "plan"), given) if given else {}


def _wants_json(args: list[str]) -> bool:
    """Whether `--format json` was asked for, found before parsing because parsing is what may fail."""
    if os.environ.get("ACES_FORMAT") == "json":
        return True
    return "--format=json" in args or any(
        word == "--format" and following == "json" for word, following in itertools.pairwise(args)
    )


def _show_usage(error: click.ClickException, *, as_json: bool) -> None:
    command = getattr(getattr(error, "ctx", None), "command_path", "aces-ci")
    _show(AcesError(error.format_message(), code="usage", do=f"see {command} --help"), as_json=as_json)


def _show(error: AcesError, *, as_json: bool) -> None:
    click.echo(error.text(), err=True)
    if as_json:
        click.echo(json.dumps(error.json()))
