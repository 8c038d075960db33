"""Codes that a finding can carry and that no rule of tier 1 stands for: script lint and the guard of evals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One code with its page."""

    code: str
    title: str
    prose: str
    severity: str
    category: str
    hint: str
    fires_on: str
    """A public skill, or a public change of one, where it fires: repository and path, at a commit."""
    silent_on: str
    """One where it rightly does not."""

    def page(self) -> Iterator[str]:
        """Lines for a terminal."""
        yield from (f"{self.code} {self.title}", "", self.prose, "")
        yield f"severity   {self.severity}, category {self.category}"
        yield "score      none"
        yield f"fix        {self.hint}"
        yield f"fires on   {self.fires_on}"
        yield f"silent on  {self.silent_on}"

    def section(self) -> Iterator[str]:
        """Lines of docs/rules.md."""
        yield from (f'<a id="{self.code.lower()}"></a>', "", f"## {self.code} {self.title}", "", self.prose, "")
        yield from (f"Severity {self.severity}, category {self.category}; takes nothing off the score.", "")
        yield from (f"**Fix:** {self.hint}.", "")
        yield f"Fires on `{self.fires_on}`. Rightly silent on `{self.silent_on}`."


FURTHER: Mapping[str, Code] = {
    code.code: code
    for code in (
        Code(
            code="LI001",
            title="script does not parse",
            prose="The Python of ruff or the shell of shellcheck cannot read the script, so it cannot run either.\n"
            "ruff reads it with `--isolated`, shellcheck with `--norc`; both get its bytes and no configuration.",
            severity="warning",
            category="lint",
            hint="correct the syntax at the line and column of the finding; nothing runs before that",
            fires_on="davila7/claude-code-templates/cli-tool/components/skills/scientific/brenda-database at c2b584d4b",
            silent_on="anthropics/skills/skills/webapp-testing at 9d2f1ae18",
        ),
        Code(
            code="LI002",
            title="Python script has a likely fault",
            prose="ruff found something that changes what the script does: an undefined name, an `except` that passes\n"
            "over every exception, a shell that gets a text put together. The message begins with ruff's own code,\n"
            "such as F821; `ruff rule F821` prints its page, https://docs.astral.sh/ruff/rules/ lists all. Style is\n"
            "not reported. One finding a code and script, at its first place.",
            severity="warning or info",
            category="lint",
            hint="make the change that the finding names; `ruff rule CODE` tells more of it",
            fires_on="anthropics/skills/skills/webapp-testing at 9d2f1ae18",
            silent_on="trailofbits/skills/plugins/static-analysis/skills/semgrep at 293fb74c3",
        ),
        Code(
            code="LI003",
            title="shell script has a likely fault",
            prose="shellcheck found something that breaks on real input: an unquoted variable, a test that is always\n"
            "true. The message begins with shellcheck's own code, such as SC2086, whose page is\n"
            "https://www.shellcheck.net/wiki/SC2086. One finding a code and script, at its first place.",
            severity="warning or info",
            category="lint",
            hint="write the line as the finding shows it; the wiki page of its code tells more",
            fires_on="faahim/openclaw-skills/lighthouse-auditor at fe6dd0f47",
            silent_on="trailofbits/skills/plugins/static-analysis/skills/semgrep at 293fb74c3",
        ),
        Code(
            code="EV900",
            title="the change measures less than before",
            prose="A case, a check or a number of attempts that the base side has is gone or weaker in this change.\n"
            "Whoever makes a skill worse could otherwise make the measurement worse along with it. Gate `evals`\n"
            "blocks on it for forks and advises on own branches.",
            severity="warning",
            category="evals",
            hint="keep the case as it is, or lower it in a change of its own that a maintainer reads",
            fires_on="NVIDIA/skills/skills/nemo-mbridge-perf-activation-recompute at d36ff704a1",
            silent_on="magnus919/agent-skills/site-reliability-engineering at f7d550bb6b",
        ),
    )
}
_SHELLCHECK = re.compile(r"(?i)SC\d{4}")
_RUFF = re.compile(r"(?i)(?:E9|F|PLE|B|S)\d{2,4}")


def foreign(text: str) -> str | None:
    """One paragraph on a code of ruff or shellcheck, or None where it looks like neither's."""
    code = text.upper()
    if _SHELLCHECK.fullmatch(code):
        return (
            f"{code} is a code of shellcheck, which aces-ci runs on shell scripts (LI003, or LI001 where the script "
            f"does not parse). Its page: https://www.shellcheck.net/wiki/{code}"
        )
    if code == "INVALID-SYNTAX":
        return "invalid-syntax is what ruff says of Python that it cannot parse, and so no rule of its own (LI001)."
    if _RUFF.fullmatch(code):
        return (
            f"{code} is a code of ruff, which aces-ci runs on Python scripts (LI002). Its page: `ruff rule {code}`, or "
            "by its name under https://docs.astral.sh/ruff/rules/"
        )
    return None
