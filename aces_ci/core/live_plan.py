"""What was decided before the first trial: looks, alpha, margins, weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aces_ci.core.errors import UsageError
from aces_ci.core.lift import SIX
from aces_ci.core.trial import Arm


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCase:
    """What the comparison knows of a case beside its trials."""

    negative: bool = False
    """The skill must stay out."""
    bucket: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every arm of a comparison had around it. None: the evidence does not say."""

    sandbox: tuple[str, ...] | None = None
    """Digests of the images, once each; empty where agents ran without a sandbox."""
    network: tuple[str, ...] | None = None
    """Hosts beside the model; empty where there were none."""
    neighbours: tuple[str, ...] | None = None
    """Labels of the skills beside the target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePlan:
    """The plan of one skill's comparison. Lifts and alphas are shares in [0, 1]."""

    looks: tuple[int, ...] = (3, 5, 8)
    """Cumulative attempts per arm and case; the last one is the cap, which a rerun never raises."""
    alpha_regressed: float = 0.025
    alpha_improved: float = 0.025
    skills: int = 1
    """Changed skills over which alpha is divided, fixed at plan time."""
    floor: float = 0.05
    margin: float = 0.10
    target_lift: float = 0.20
    max_drop: float | None = None
    """`live.max_drop`: the drop that a run must rule out."""
    weights: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(SIX, 1.0))
    mode: str | None = None
    """Workspace that decides, where trials of both exist."""
    cases: Mapping[str, PlannedCase] = field(default_factory=dict)
    """Empty: the cases are those that have trials."""
    arms: tuple[Arm, ...] = ()
    """Arms that were to run; empty: those that did."""
    agents: tuple[tuple[str, str], ...] = ()
    """(harness, model) of everybody who was to run the cases; empty: those who did."""
    side: str = ""
    """Whose evals were to decide, `base` or `head`; empty: the base's, where they ran."""
    spent: tuple[float, float] = (0.0, 0.0)
    """Alpha that earlier runs spent on (regressed, improved) and whose trials are not in this evidence."""
    stopped: str = ""
    """Why the engine stopped before the last look, as in `by the budget`."""
    seed: int = 0
    surroundings: Surroundings = field(default_factory=Surroundings)
    lowered: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By skill: its looks, where its own run policy asks for fewer attempts."""

    def for_skill(self, skill: str) -> LivePlan:
        """The plan with the looks of one skill."""
        return replace(self, looks=self.lowered[skill]) if skill in self.lowered else self

    @property
    def cap(self) -> int:
        """Attempts at the last look."""
        return self.looks[-1]

    @property
    def alphas(self) -> tuple[float, float]:
        """One-sided levels of (regressed, improved) for one skill."""
        return self.alpha_regressed / self.skills, self.alpha_improved / self.skills

    @classmethod
    def of(cls, settings: Mapping[str, object], skill: str, *, skills: int = 1, stopped: str = "") -> LivePlan:
        """Read the plan from the settings that a run recorded (`RunStarted.settings`).

        Keys are those of `aces.yml` (`live`), and `plan`: a mapping from skill path to `cases`
        (`{id: {"negative": bool, "bucket": str}}`), `spent` (`[regressed, improved]`), `skills`, `looks`, `arms`,
        `agents` (`[[harness, model]]`) and `side`. What is absent takes the default.

        Raises:
            UsageError: a value has the wrong type or range.
        """
        live = _mapping(settings, "live")
        plan = _mapping(_mapping(settings, "plan"), skill)
        default = cls()
        spent = plan.get("spent", [0.0, 0.0])
        drop = live.get("max_drop")
        return cls(
            looks=_looks(plan.get("looks") or _mapping(live, "attempts").get("looks", list(default.looks))),
            alpha_regressed=_share(live, "alpha_regressed", default.alpha_regressed),
            alpha_improved=_share(live, "alpha_improved", default.alpha_improved),
            skills=max(1, skills, _count(plan.get("skills", 1))),
            floor=_share(live, "floor", default.floor),
            margin=_share(live, "margin", default.margin),
            target_lift=_share(live, "target_lift", default.target_lift),
            max_drop=None if drop is None else _share(live, "max_drop", 0.0),
            weights={
                **default.weights,
                **{
                    str(name): _number(weight, f"live.weights.{name}")
                    for name, weight in _mapping(live, "weights").items()
                },
            },
            mode=str(value) if (value := _mapping(live, "workspace").get("mode")) else None,
            cases={name: _case(value) for name, value in _mapping(plan, "cases").items()},
            arms=tuple(arm for arm in Arm if arm.value in (_names(plan.get("arms")) or ())),
            agents=_agents(plan.get("agents")),
            side=str(plan.get("side") or ""),
            spent=_pair(spent),
            stopped=stopped,
            seed=_count(live.get("seed", 0)),
            surroundings=Surroundings(
                sandbox=_names(plan.get("sandbox")),
                network=_names(plan.get("network")),
                neighbours=_names(plan.get("neighbours")),
            ),
        )


def _refuse(name: str, want: str, got: object) -> UsageError:
    return UsageError(
        f"`{name}` must be {want}, not {str(got)[:60]!r}",
        code="live_plan",
        why="the verdict rests on the plan that was fixed before the first trial",
        do="correct the setting, or run again with this version of aces-ci",
    )


def _mapping(value: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = value.get(key) or {}
    if not isinstance(found, Mapping):
        raise _refuse(key, "a mapping", found)
    return found


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise _refuse(name, "a number that is not negative", value)
    return float(value)


def _share(values: Mapping[str, object], key: str, default: float) -> float:
    number = _number(values.get(key, default), f"live.{key}")
    if number > 1:
        raise _refuse(f"live.{key}", "a share between 0 and 1", number)
    return number


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _refuse("plan", "a whole number", value)
    return value


def _looks(value: object) -> tuple[int, ...]:
    looks = tuple(value) if isinstance(value, list | tuple) else ()
    good = bool(looks) and all(isinstance(look, int) and not isinstance(look, bool) and look > 0 for look in looks)
    if not good or list(looks) != sorted(set(looks)):
        raise _refuse("live.attempts.looks", "a growing list of attempts, as in [3, 5, 8]", value)
    return looks


def _names(value: object) -> tuple[str, ...] | None:
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else None


def _agents(value: object) -> tuple[tuple[str, str], ...]:
    rows = value if isinstance(value, list | tuple) else ()
    return tuple((str(row[0]), str(row[1])) for row in rows if isinstance(row, list | tuple) and len(row) == 2)


def _pair(value: object) -> tuple[float, float]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise _refuse("plan.spent", "two shares", value)
    return _number(value[0], "plan.spent"), _number(value[1], "plan.spent")


def _case(value: object) -> PlannedCase:
    row = value if isinstance(value, Mapping) else {}
    bucket = row.get("bucket")
    return PlannedCase(negative=row.get("negative") is True, bucket=str(bucket) if bucket else None)
