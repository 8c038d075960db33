"""What to do about each fault that ruff or shellcheck names, in one imperative clause; `{}` is the name it quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PERCENT = "make the %-format and its values agree"
_FORMAT = "make the placeholders of `.format` and its arguments agree"
_RETURNS = "return a value of the type that Python asks of this method"
_SHELL_CALL = "call the program with a list of arguments and without a shell"
_ESCAPE = "write the escape sequence that the message names in place of the character itself"
_ONCE = "keep one of the two keys"
_INSIDE = "move it into a function"
_ALWAYS_TRUE = "take the parentheses off, so that the condition itself is tested"

RUFF: Mapping[str, str] = {
    "B006": "take None as the default, and make the new value inside the function",
    "B008": "take None as the default, and make the call inside the function",
    "B015": "put `assert` before the comparison, use its result, or delete it",
    "B018": "use the value, or delete the line",
    "B020": "give the loop variable a name of its own",
    "B023": "bind the loop variable {} as a default argument of the inner function",
    "B904": "write `raise … from error`, or `from None` where the cause is of no use",
    "E902": "make the file readable",
    "E999": "correct the syntax",
    "F402": "give the loop variable another name than the import {}",
    "F403": "import the names that are used, one by one",
    "F404": "move the `__future__` import to the top of the file",
    "F405": "import {} by name",
    "F406": "import the names at the top of the module",
    "F407": "take the import out, or correct the spelling of {}",
    **dict.fromkeys(("F501", "F502", "F503", "F504", "F505", "F506", "F507", "F508", "F509"), _PERCENT),
    **dict.fromkeys(("F521", "F522", "F523", "F524", "F525"), _FORMAT),
    **dict.fromkeys(("F601", "F602"), _ONCE),
    "F621": "unpack fewer values at once",
    "F622": "keep one of the starred targets",
    "F631": _ALWAYS_TRUE,
    "F632": "compare with `==` or `!=`",
    "F633": "write `print(…, file=…)`",
    "F634": _ALWAYS_TRUE,
    "F701": "move `break` into a loop, or take it out",
    "F702": "move `continue` into a loop, or take it out",
    "F704": _INSIDE,
    "F706": _INSIDE,
    "F707": "move the bare `except` behind the others",
    "F722": "correct the annotation",
    "F811": "delete one of the two definitions of {}, or give it another name",
    "F821": "define or import {} before this line, or correct its spelling",
    "F822": "define {}, or take it out of `__all__`",
    "F823": "assign {} before it is read, or declare it `global`",
    "F842": "assign {}, or delete its annotation",
    "F901": "raise NotImplementedError",
    "PLE0100": "move the `yield` into a method of another name",
    "PLE0101": "return nothing from `__init__`",
    "PLE0115": "declare {} either nonlocal or global",
    "PLE0116": "move the `continue` out of the `finally` block",
    "PLE0117": "assign {} in the enclosing function first, or take the `nonlocal` out",
    "PLE0118": "move the `global` line above the first use of {}",
    "PLE0237": "add {} to `__slots__`",
    "PLE0241": "name the base {} once",
    "PLE0302": "give the special method the arguments that Python calls it with",
    **dict.fromkeys(("PLE0303", "PLE0304", "PLE0305", "PLE0307", "PLE0308", "PLE0309"), _RETURNS),
    "PLE0604": "list names as text in `__all__`",
    "PLE0605": "make `__all__` a list or a tuple",
    "PLE0643": "ask for an index that is there",
    "PLE0704": "name the exception to raise",
    "PLE1132": "pass {} once",
    "PLE1142": "make the function around it `async`",
    "PLE1205": "give `logging` one argument for each placeholder",
    "PLE1206": "give `logging` one argument for each placeholder",
    "PLE1300": "use a format character that Python knows, such as `s` or `d`",
    "PLE1307": "give the placeholder a value of its type",
    "PLE1310": "use `removeprefix` or `removesuffix`; `strip` takes single characters",
    "PLE1507": "pass the name of the variable as text",
    "PLE1519": "use `@singledispatchmethod`",
    "PLE1520": "use `@singledispatch`",
    "PLE1700": "write `async for` with a `yield` in it",
    "PLE2502": "delete the control characters",
    **dict.fromkeys(("PLE2510", "PLE2512", "PLE2513", "PLE2514", "PLE2515"), _ESCAPE),
    "S102": "call a function in place of `exec`",
    "S110": "say in the `except` block what failed, or name the exception that may be passed over",
    "S112": "say in the `except` block what failed, or name the exception that may be passed over",
    "S301": "read the data as JSON; pickle runs what it is given",
    "S307": "parse the text with `ast.literal_eval` or `json.loads`",
    "S323": "use `ssl.create_default_context()`",
    "S501": 'take `verify=False` out, or name the certificate: `verify="path"`',
    "S506": "use `yaml.safe_load`",
    **dict.fromkeys(("S602", "S604", "S605"), _SHELL_CALL),
    "S608": "pass the values as parameters of the query",
}
"""Every code that the selection of script lint can give."""

SHELLCHECK: Mapping[str, str] = {
    "SC2011": "let `find` start the command: `find … -exec … {} +`",
    "SC2012": "list the files with `find` or a pattern in place of `ls`",
    "SC2015": "write `if A; then B; else C; fi`",
    "SC2016": "use double quotes where the variable is meant to be filled in",
    "SC2024": "put the redirection under the same rights: `… | sudo tee file`",
    "SC2028": "write it with `printf`",
    "SC2029": "quote it so that it is filled in on the side that is meant",
    "SC2034": "use the variable, export it, or delete the line",
    "SC2044": "write `find … -exec … {} +`, or read its output with `while IFS= read -r`",
    "SC2045": "loop over a pattern in place of `ls`",
    "SC2064": "use single quotes around the command of `trap`",
    "SC2089": "keep the arguments in an array",
    "SC2090": 'keep the arguments in an array, and call it as "${name[@]}"',
    "SC2115": 'write "${name:?}" so that an empty variable stops the command',
    "SC2120": "pass arguments to the function, or read none in it",
    "SC2128": "name the element, or write ${name[@]} for all of them",
    "SC2153": "correct the spelling of the variable, or set it first",
    "SC2154": "set the variable first, or correct its spelling",
    "SC2155": "declare the variable on one line and assign it on the next, so that a failure is seen",
    "SC2162": "write `read -r`",
    "SC2164": "write `cd … || exit 1`",
    "SC2168": "take `local` out: this line is in no function",
    "SC2178": "give the text a name of its own; this one holds an array",
    "SC2206": "split the text with `read -r -a`, or quote it",
    "SC2207": "read the output with `mapfile -t`",
    "SC2221": "take out the branch of `case` that another one hides, or put it first",
    "SC2222": "take out the branch of `case` that another one hides, or put it first",
    "SC2269": "delete the line: it assigns the variable to itself",
    "SC2317": "delete the command, or call what holds it",
    "SC2329": "call the function, or delete it",
}
"""Those whose message says what is wrong and not what to do, and which shellcheck cannot mend by itself."""

_QUOTED = re.compile(r"`([^`\n]{1,80})`")
_ASKS = re.compile(
    r"(?i)(?:use|quote|double quote|prefer|declare|remove|add|write|make|put|delete|don't|do not|avoid|escape|replace"
    r"|did you mean|to \w+)\b"
)


def advised(tool: str, rule: str, message: str) -> str:
    """The fix for one remark of `tool` (`ruff` or `shellcheck`), by its code and its own words."""
    known = RUFF.get(rule) if tool == "ruff" else SHELLCHECK.get(rule)
    if known is not None:
        name = _QUOTED.search(message)
        return known.replace("{}", f"`{name[1]}`" if name else "it") if tool == "ruff" else known
    asked = next((part.strip() for part in message.split(". ") if _ASKS.match(part.strip())), None)
    if asked is not None:
        return asked[0].lower() + asked[1:].rstrip(".")
    where = f"https://www.shellcheck.net/wiki/{rule}" if tool == "shellcheck" else f"`ruff rule {rule}`"
    return f"write the line as {where} shows"
