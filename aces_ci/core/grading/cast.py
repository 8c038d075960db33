"""Who is on stage in a trial: the target skill, its neighbours, and where an agent may work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """What a grader has to know of the staging. Names are compared without case."""

    target: tuple[str, ...]
    """Names under which the target is known to an agent: its folder, its declared name. The first is the
    main one.
    """
    support: tuple[str, ...] = ()
    """Neighbours that may be used without harm."""
    decoys: tuple[str, ...] = ()
    """Neighbours that are there to mislead: reading one costs routing."""
    scripts: tuple[str, ...] = ()
    """The target's scripts, relative to its folder."""
    preloaded: bool = False
    """The whole body stands in the context from the start: there is nothing to discover."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The SKILL.md files that an agent found, by casefolded name, as far as they are known: a reading of one is told by
    its words in what came back.
    """
    workspaces: tuple[str, ...] = ("/workspace",)
    """Absolute folders in which the agent may write and delete as it likes."""

    def is_target(self, name: str | None) -> bool:
        """Whether a skill's name is the target's; equality, never a part of it."""
        return name is not None and name.casefold() in {known.casefold() for known in self.target}

    @property
    def names(self) -> tuple[str, ...]:
        """Every skill's name, for hiding them from a judge."""
        return (*self.target, *self.support, *self.decoys)


def cast_of(trial: Trial, case: Case) -> Cast:
    """What trial and case alone say, where nobody tells the staging: an imported trace."""
    names = [case.expected_skill, trial.skill.rsplit("/", 1)[-1] if trial.skill != "." else None]
    return Cast(target=tuple(dict.fromkeys(name for name in names if name)))
