"""Deterministic checks of a case, told from the trace and the collected workspace.

A check looks at structured fields: the final answer, a tool call's arguments, a result, a file. What the
agent says between its calls can never make one pass. Patterns are RE2, so that no text can make one slow.

Arguments of each kind (others are refused as *cannot tell*):

| kind | arguments |
|---|---|
| contains, not_contains | `value` or `values`; `where`: answer (default) or output; `ignore_case` |
| regex, not_regex | `pattern`; `where`; `ignore_case` |
| equals | `value`; `where`; `ignore_case`; outer white space never counts |
| file_exists, file_absent | `path`, which may be a glob |
| file_matches, file_not_matches | `path` (a glob: any such file); one of `pattern`, `contains`, `equals`, `sha256` |
| json_schema | `schema`; `path` of a file, else the answer |
| command_ran, command_not_ran | `program`, `pattern` on the command as written, `worked` |
| tool_used, tool_not_used | `tool`; `arguments`: key to pattern; `min`, `max` |
| tool_order | `tools`: names, or objects with `tool` and `pattern`; in this order, others may stand between |
| script_run | `script`; `worked` |
| exit_status | `code`; `pattern` of the command, the last one where it is left out |
| skill_read | `skill`, else the target |
| workspace | `files`: path to text, or null for absent |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import re2

from aces_ci.core.grading.subject import Checked, Subject
from aces_ci.core.suites.case import Check, CheckKind
from aces_ci.core.trace.scripts import runs
from aces_ci.tiers import checks_files, checks_text, checks_tools
from aces_ci.tiers.checks_result import CannotTell, Told, needed

Evaluate = Callable[[Subject, Mapping[str, object]], Told]


def evaluate(check: Check, subject: Subject) -> Checked:
    """What one check says of one trial; `passed` None where its arguments or the trace do not allow to
    tell.
    """
    try:
        told = _KINDS[check.kind](subject, check.args)
    except CannotTell as error:
        return Checked(check=check, passed=None, because=f"cannot tell: {error}")
    except re2.error as error:
        return Checked(check=check, passed=None, because=f"cannot tell: not a pattern of RE2: {error}")
    return Checked(check=check, passed=told.passed, because=told.because, cites=told.cites)


def _script_run(subject: Subject, args: Mapping[str, object]) -> Told:
    script = needed(args, "script")
    every = runs(subject.actions, script)
    found = [run for run in every if run.started]
    if args.get("worked") is True:
        found = [run for run in found if run.worked is not False]
    steps = tuple(run.step for run in found)
    doubtful = next((run for run in every if run.started is None), None)
    if not steps and doubtful is not None:
        raise CannotTell(f"step {doubtful.step}: {doubtful.because}")
    return Told(bool(found), f"step {steps[0]} ran {script}" if steps else f"{script} was not run", steps[:1])


def _skill_read(subject: Subject, args: Mapping[str, object]) -> Told:
    wanted = args.get("skill")
    if isinstance(wanted, str):
        tried = [read for read in subject.reads if (read.name or "").casefold() == wanted.casefold()]
        found = [read for read in tried if read.worked]
        doubtful = next((read for read in tried if read.worked is None), None)
        unknown = f"step {doubtful.step}: {doubtful.because}" if doubtful else ""
    else:
        found, unknown = list(subject.target_reads), subject.why_unknown
    if not found and unknown:
        raise CannotTell(unknown)
    steps = tuple(read.step for read in found)
    return Told(bool(found), f"step {steps[0]} read it" if steps else "it was not read", steps[:1])


_KINDS: Mapping[CheckKind, Evaluate] = {
    CheckKind.CONTAINS: checks_text.contains,
    CheckKind.NOT_CONTAINS: checks_text.lacks,
    CheckKind.REGEX: checks_text.matches,
    CheckKind.NOT_REGEX: checks_text.avoids,
    CheckKind.EQUALS: checks_text.equals,
    CheckKind.JSON_SCHEMA: checks_text.schema,
    CheckKind.FILE_EXISTS: checks_files.exists,
    CheckKind.FILE_ABSENT: checks_files.absent,
    CheckKind.FILE_MATCHES: checks_files.matches,
    CheckKind.FILE_NOT_MATCHES: checks_files.avoids,
    CheckKind.WORKSPACE: checks_files.workspace,
    CheckKind.COMMAND_RAN: checks_tools.command_ran,
    CheckKind.COMMAND_NOT_RAN: checks_tools.command_not_ran,
    CheckKind.TOOL_USED: checks_tools.used,
    CheckKind.TOOL_NOT_USED: checks_tools.unused,
    CheckKind.TOOL_ORDER: checks_tools.order,
    CheckKind.EXIT_STATUS: checks_tools.exit_status,
    CheckKind.SCRIPT_RUN: _script_run,
    CheckKind.SKILL_READ: _skill_read,
}
