"""Files that Python code reads, writes and deletes, as far as its text names them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache

from aces_ci.core.scripts.files.touch import How, Touch
from aces_ci.core.scripts.programs.python_calls import names_of, tree
from aces_ci.core.scripts.programs.python_names import Names

_FIRST: Mapping[str, tuple[How, bool]] = {
    "shutil.rmtree": (How.DELETE, True),
    "os.removedirs": (How.DELETE, True),
    "os.remove": (How.DELETE, False),
    "os.unlink": (How.DELETE, False),
    "os.rmdir": (How.DELETE, False),
    "send2trash.send2trash": (How.DELETE, True),
    "os.truncate": (How.WRITE, False),
    "dotenv.dotenv_values": (How.READ, False),
}
"""Function -> what it does to its first argument, everything below included or not."""
_MOVES = frozenset({"shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "os.rename"})
_METHODS: Mapping[str, How] = {
    "unlink": How.DELETE,
    "rmdir": How.DELETE,
    "read_text": How.READ,
    "read_bytes": How.READ,
    "write_text": How.WRITE,
    "write_bytes": How.WRITE,
}
_OPENS = frozenset({"open", "io.open", "codecs.open", "os.open"})
_WORTH = (
    "open", "remove", "unlink", "rmtree", "rmdir", "truncate", "write_", "read_", "copy", "move", "rename", "dotenv",
    "trash",
)  # fmt: skip
"""Words without which no file is touched by what is read here."""


@lru_cache(maxsize=1024)
def touches(text: str) -> tuple[Touch, ...]:
    """In the order of the text; empty where it does not parse."""
    module = tree(text) if any(word in text for word in _WORTH) else None
    names = names_of(text) if module is not None else None
    if module is None or names is None:
        return ()
    calls = [node for node in ast.walk(module) if isinstance(node, ast.Call)]
    found = [touch for call in calls for touch in of(call, names)]
    return tuple(sorted(found, key=lambda touch: touch.line))


def of(call: ast.Call, names: Names) -> tuple[Touch, ...]:
    """What one call does."""
    return tuple(_of(call, names))


def _of(call: ast.Call, names: Names) -> Iterator[Touch]:
    name = names.called(call.func)
    if name in {"map", "builtins.map"} and len(call.args) == 2:
        name, call = names.called(call.args[0]), ast.Call(func=call.func, args=call.args[1:], keywords=[])
    line = getattr(call, "lineno", 1)
    first = names.texts(call.args[0]) if call.args else ()
    if name in _FIRST:
        how, deep = _FIRST[name]
        yield from (Touch(how=how, path=path, deep=deep, line=line) for path in first)
    elif name in _OPENS:
        how = How.WRITE if _mode(call, 1, names).strip("rbtU") else How.READ
        yield from (Touch(how=how, path=path, line=line) for path in first)
    elif name in _MOVES and len(call.args) > 1:
        yield from (Touch(how=How.READ, path=path, line=line) for path in first)
        yield from (Touch(how=How.WRITE, path=path, line=line) for path in names.texts(call.args[1]))
    elif isinstance(call.func, ast.Attribute):
        yield from _method(call, call.func, names, line)


def _method(call: ast.Call, function: ast.Attribute, names: Names, line: int) -> Iterator[Touch]:
    if function.attr == "open":
        how = How.WRITE if _mode(call, 0, names).strip("rbtU") else How.READ
    elif function.attr in _METHODS:
        how = _METHODS[function.attr]
    else:
        return
    for path in names.texts(function.value):
        yield Touch(how=how, path=path, line=line)


def _mode(call: ast.Call, place: int, names: Names) -> str:
    given = call.args[place] if len(call.args) > place else None
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "mode"), given)
    return next(iter(names.texts(given)), "") if given is not None else ""
