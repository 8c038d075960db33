"""The program text that an interpreter reads from its standard input, where a script writes it out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aces_ci.core.scripts.command import Command

_PASSES_ON = frozenset({"cat", "tee"})


def read_in(command: Command, commands: Sequence[Command]) -> Iterator[str]:
    """The here-documents of `command`; without one, what the stage before it in `commands` prints."""
    bodies = [redirect.body for redirect in command.redirects if redirect.body]
    if bodies:
        yield from bodies
        return
    if command.position == 0:
        return
    for before in reversed(commands):
        if before.pipeline == command.pipeline and before.position < command.position:
            text = printed(before)
            if text is not None:
                yield text
            elif before.name in _PASSES_ON and before.position > 0 and not before.operands:
                continue
            return


def printed(command: Command) -> str | None:
    """What `echo`, `printf` or `cat <<EOF` writes to its output, or None where only the run knows."""
    if command.name == "cat" and not command.operands:
        return next((redirect.body for redirect in command.redirects if redirect.body), None)
    words = [word.shape for word in command.arguments]
    if command.name == "echo":
        while words and words[0] in {"-n", "-e", "-E", "-ne", "-en"}:
            words.pop(0)
        return " ".join(words).replace("\\n", "\n")
    if command.name == "printf" and words:
        form, *rest = words[1:] if words[0] == "--" else words
        for value in rest:
            form = form.replace("%s", value, 1) if "%s" in form else f"{form}{value}"
        return form.replace("\\n", "\n")
    return None
