"""Behaviours that say nothing but that a skill is, or is not, opened: the trace itself answers them.

Such a sentence is not put to a judge: it would have to be told which skill, and the trace knows. One that says more
(when, what for, what then) is another question, and a judge's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from aces_ci.core.grading.subject import Subject
from aces_ci.core.suites.case import Behavior, Role

_VERBS = {
    "read": "read|reads", "open": "open|opens|opened", "load": "load|loads|loaded",
    "activate": "activate|activates|activated", "invoke": "invoke|invokes|invoked",
    "consult": "consult|consults|consulted", "trigger": "trigger|triggers|triggered", "use": "use|uses|used",
    "view": "view|views|viewed", "access": "access|accesses|accessed",
}  # fmt: skip
_VERB = "|".join(_VERBS.values())
_GERUND = "reading|opening|loading|activating|invoking|consulting|triggering|using|viewing|accessing"
_WHO = (
    r"(?:(?:the |an? )?(?:agent|assistant|model|response|run|trace) |it )?"
    r"(?:must |should |shall |will |correctly |successfully )*"
)
_NOT = r"(?:does not|doesn't|do not|don't|did not|didn't|must not|mustn't|should not|shouldn't|never|not)"
_ABOUT = ("skill.md", "skill")
_STEMS = ("read", "open", "load", "activat", "invok", "consult", "trigger", "us", "view", "access", "follow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the trace says. `met` None: it cannot be told, and `because` says why."""

    met: bool | None
    because: str


def opening(subject: Subject, behavior: Behavior) -> Opening | None:
    """Whether such a behaviour is met, of a prohibition whether it was respected; None for any other sentence."""
    found = _pattern(subject.cast.names, subject.case.acceptable_skills).search(_plain(behavior.text))
    if found is None:
        return None
    groups = {key: value for key, value in found.groupdict().items() if value}
    denied = any(key.startswith("denied") for key in groups) or behavior.role is Role.MUST_NOT
    named = next((value for key, value in groups.items() if not key.startswith("denied")), None)
    other = named is not None and not subject.cast.is_target(named)
    if not other and subject.cast.preloaded:
        return Opening(met=None, because="the skill's body stood in the context: there was nothing to open")
    opened, why = _other(subject, named or "") if other else (subject.opened, subject.why_unknown)
    if opened is None:
        return Opening(met=None, because=why)
    steps = [read.step for read in subject.reads if read.worked and (not other or _is(read.name, named))]
    because = f"step {steps[0]} opened it" if opened and steps else "it was never opened"
    return Opening(met=opened is not denied, because=because)


def about_opening(subject: Subject, text: str) -> bool:
    """Whether a sentence is, among other things, about the reading of a skill: its judge has to see the readings."""
    plain = _plain(text)
    words = plain.split()
    names = tuple(name.casefold() for name in subject.cast.names)
    return any(each in plain for each in (*_ABOUT, *names)) and any(word.startswith(_STEMS) for word in words)


def _other(subject: Subject, name: str) -> tuple[bool | None, str]:
    found = [read for read in subject.reads if _is(read.name, name)]
    if any(read.worked for read in found):
        return True, ""
    doubtful = next((read for read in found if read.worked is None), None)
    return (None, f"step {doubtful.step}: {doubtful.because}") if doubtful else (False, "")


def _is(name: str | None, wanted: str | None) -> bool:
    return name is not None and wanted is not None and name.casefold() == wanted.casefold()


def _plain(text: str) -> str:
    folded = " ".join(text.casefold().replace("’", "'").split())
    return folded.translate(str.maketrans("", "", '`"*')).strip(" .;!")


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...], others: tuple[str, ...]) -> Any:
    """The whole sentence: who, (not), opens, which; or which, is (not), opened; or opening which is avoided."""
    listed = sorted({name.casefold() for name in (*names, *others) if name}, key=len, reverse=True)
    joined = "|".join(re2.escape(name) for name in listed) or r"\z\A"

    def what(first: int) -> str:
        numbers = iter(range(first, first + 4))

        def name() -> str:
            return f"'?(?P<n{next(numbers)}>{joined})'?"

        rest = r"(?: file| document)?"
        return (
            rf"(?:the |its |this )?(?:full |whole |entire |content of |contents of )?(?:the )?(?:"
            rf"(?:[\w.~/-]*/)?{name()}/skill\.md{rest}"
            rf"|skill\.md{rest}(?: (?:of|for|from|in) (?:the )?{name()}(?: skill)?)?"
            rf"|{name()}(?:(?: skill)?'s skill\.md{rest}| skill(?:(?:'s)? instructions| file)?| skill\.md{rest})"
            rf"|skill {name()}|skill)"
        )

    return re2.compile(
        rf"^(?:{_WHO}(?:(?P<denied>{_NOT}) )?(?:{_VERB}) {what(1)}"
        rf"|{what(5)} (?:is|was|gets|has been|must|should)(?: be)?(?: (?P<denied2>not|never))?(?: be)? (?:{_VERB})"
        rf"|{_WHO}(?P<denied3>avoids|avoid|refrains from|without) (?:{_GERUND}) {what(1).replace('<n', '<m')})$"
    )
