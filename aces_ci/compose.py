"""Settings to real adapters: the only module that knows which plug-ins exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from aces_ci import plugins

if TYPE_CHECKING:
    from aces_ci.core.asking.question import Answer, Question
    from aces_ci.core.asking.rubric import Rubric
    from aces_ci.core.pages import Annotation
    from aces_ci.core.report import Report
    from aces_ci.core.rule import Rule
    from aces_ci.judging import Bench
    from aces_ci.ports.converter import Converter
    from aces_ci.ports.dialect import Dialect
    from aces_ci.ports.forge import Forge, ForgeOptions, Links
    from aces_ci.ports.goal_worker import GoalWorker
    from aces_ci.ports.harness import Harness
    from aces_ci.ports.importer import Importer
    from aces_ci.ports.metric import Metric
    from aces_ci.ports.provider import ProviderFactory
    from aces_ci.ports.renderer import Renderer
    from aces_ci.ports.sandbox import Sandbox
    from aces_ci.shell.files import Folder
    from aces_ci.shell.log import Log

    ForgeFactory = Callable[[Mapping[str, str], Log, ForgeOptions | None], Forge]


def rules() -> tuple[Rule, ...]:
    """Every rule of tier 1, by code; each one's prose is its module's docstring."""
    return cast("tuple[Rule, ...]", plugins.load("rules", "RULE", "code"))


def rule_codes() -> tuple[str, ...]:
    """The codes of these rules, sorted: each begins the name of its file, so none needs to be imported."""
    return tuple(name.partition("_")[0].upper() for name in plugins.names("rules"))


def dialects() -> tuple[Dialect, ...]:
    """Every evaluation format that is read, by name."""
    return cast("tuple[Dialect, ...]", plugins.load("dialects", "DIALECT", "name"))


def importers() -> tuple[Importer, ...]:
    """Every format of other tools' results, by name."""
    return cast("tuple[Importer, ...]", plugins.load("importers", "IMPORTER", "name"))


def renderers() -> tuple[Renderer, ...]:
    """Every format of `run` and `report`, by name."""
    return cast("tuple[Renderer, ...]", plugins.load("renderers", "RENDERER", "name"))


def renderer(name: str) -> Renderer:
    """One format. Raises KeyError for a name that no file carries."""
    return next(found for found in renderers() if found.name == name)


def metrics() -> tuple[Metric, ...]:
    """Every metric of a trial, by name."""
    return cast("tuple[Metric, ...]", plugins.load("metrics", "METRIC", "name"))


def converters() -> tuple[Converter, ...]:
    """Every harness's log format, by name."""
    return cast("tuple[Converter, ...]", plugins.load("converters", "CONVERTER", "name"))


def harnesses() -> Mapping[str, Harness]:
    """Every agent program, by name."""
    found = cast("tuple[Harness, ...]", plugins.load("harnesses", "HARNESS", "name"))
    return {item.name: item for item in found}


def sandbox(name: str) -> Sandbox:
    """One kind of sandbox. Raises UsageError for a name that no file carries."""
    from aces_ci.core.errors import UsageError

    try:
        found = cast("tuple[Sandbox, ...]", plugins.load("sandboxes", "SANDBOX", "name"))
    except ModuleNotFoundError as error:
        raise UsageError(
            "live trials are not installed",
            code="live_missing",
            why=f"{error.name} is missing",
            do="pip install 'aces-ci[live]'",
        ) from None
    for item in found:
        if item.name == name:
            return item
    raise UsageError(f"there is no sandbox `{name}`", code="no_sandbox", do="choose docker or process")


def annotations_of(report: Report) -> tuple[Annotation, ...]:
    """What stands beside the lines of the diff."""
    from aces_ci.renderers.annotations import notes_of

    return notes_of(report)


def outputs(report: Report) -> Mapping[str, str]:
    """What the action and the component hand on."""
    from aces_ci.renderers.dotenv import outputs as found

    return found(report)


def report_to_json(report: Report) -> str:
    """A report as the JSON that `report_from_json` reads."""
    from aces_ci.renderers.json_report import dump

    return dump(report)


def report_from_json(text: str) -> Report:
    """A report from its JSON, strictly. Raises UsageError."""
    from aces_ci.renderers.json_report import parse

    return parse(text)


def rubrics() -> tuple[Rubric, ...]:
    """The criteria of tier 2, in the order of tables."""
    found = cast("tuple[Rubric, ...]", plugins.load("rubrics", "RUBRIC", "name"))
    return tuple(sorted(found, key=lambda rubric: rubric.place))


def providers() -> tuple[ProviderFactory, ...]:
    """Every provider of a judge, by name; their SDKs are imported only when one is opened."""
    return cast("tuple[ProviderFactory, ...]", plugins.load("providers", "PROVIDER", "name"))


def bench(env: Mapping[str, str], folder: Folder, record: Callable[[Question, Answer], None] | None = None) -> Bench:
    """What a judge is made from; `folder` holds its cache. Tier 2 and the grading of traces ask through it."""
    from aces_ci.judging import Bench

    return Bench(factories=providers(), rubrics=rubrics(), env=env, folder=folder, record=record)


def goal_worker() -> GoalWorker:
    """What judges goal accuracy by RAGAS, where its environment is installed."""
    from aces_ci.workers.ragas.client import WORKER

    return WORKER


def judge_tier(env: Mapping[str, str], folder: Folder) -> Callable[..., None]:
    """What runs tier 2."""
    from aces_ci import judging

    return judging.tier(bench(env, folder))


def forge(env: Mapping[str, str], log: Log, options: ForgeOptions | None = None, name: str | None = None) -> Forge:
    """The forge that runs us, or the one that is named; `local` where none does."""
    factories = cast("Sequence[ForgeFactory]", plugins.load("forges", "FORGE", "name"))
    chosen = next(
        factory
        for factory in factories
        if (factory.name == name if name else factory.applies(env))  # type: ignore[attr-defined]
    )
    return chosen(env, log, options)


def links(forge_name: str, server_url: str) -> Links:
    """The link builder of a forge, without its environment: for reports rendered elsewhere."""
    factories = plugins.load("forges", "FORGE", "name")
    chosen = next(factory for factory in factories if factory.name == forge_name)  # type: ignore[attr-defined]
    return cast("Links", chosen.links(server_url))  # type: ignore[attr-defined]


def write_outputs(path: str, outputs: Mapping[str, str]) -> None:
    """Step outputs of a GitHub job."""
    from aces_ci.forges._github.files import write_outputs as write

    write(path, outputs)
