"""Which provider judges: the one that is named, else the one whose key exists; never a guess between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from aces_ci.core.amount import in_micros
from aces_ci.core.errors import UsageError
from aces_ci.core.spending.price import Price
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.spending.unknown_price import unknown_price
from aces_ci.ports.provider import ProviderFactory
from aces_ci.settings.model import Judge, ModelPrice, Settings

NO_MODEL = "no_model"
"""Code of the refusal to judge with a model that nobody named."""
COMPATIBLE = "openai_chat"
"""What `compatible` stands for."""
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NoJudge:
    """Why nobody judges: a stable word and a clause."""

    code: str
    because: str
    do: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Who judges."""

    factory: ProviderFactory
    model: str
    key: str
    base_url: str | None
    price: Price | None


def choose(settings: Settings, env: Mapping[str, str], factories: Sequence[ProviderFactory]) -> Chosen | NoJudge:
    """The provider of the settings, or why there is none.

    Raises:
        UsageError: no model where one is needed, an address that is not https, or no price under a budget.
    """
    judge = settings.judge
    factory = _factory(judge, env, {each.name: each for each in factories})
    if isinstance(factory, NoJudge):
        return factory
    key = env.get(factory.key_variable, "") if factory.key_variable else ""
    base_url = _address(judge)
    if factory.key_variable and not key and base_url is None:
        return NoJudge(
            code="no_key", because=f"{factory.key_variable} is not set", do=f"set the secret {factory.key_variable}"
        )
    model = judge.model or (factory.default_model if base_url is None else None)
    if model is None:
        raise UsageError(
            "which model shall judge? None is named for the judge",
            code=NO_MODEL,
            why="agents have theirs under live.harnesses; for the judge a server of your own has no default we know",
            do="add --set judge.model=NAME (judge.model in aces.yml), a model that this server has",
        )
    price = Price(model="*", input=0, output=0, cache_read=0, cache_write=0)
    return Chosen(
        factory=factory,
        model=model,
        key=key,
        base_url=base_url,
        price=price if factory.name == "recorded" else _price(model, settings),
    )


def _factory(judge: Judge, env: Mapping[str, str], known: Mapping[str, ProviderFactory]) -> ProviderFactory | NoJudge:
    if judge.provider == "off":
        return NoJudge(code="off", because="`judge.provider: off` in the settings", do="set judge.provider")
    if judge.provider == "compatible" and judge.base_url is None:
        raise UsageError(
            "`judge.provider: compatible` needs the address of the server",
            code="no_base_url",
            do="set judge.base_url, or --provider-url",
        )
    if judge.provider != "auto":
        return known[COMPATIBLE if judge.provider == "compatible" else judge.provider]
    if judge.base_url is not None:
        return known[COMPATIBLE]
    # Two plug-ins may share one key: the first of them by name stands for it.
    by_key: dict[str, ProviderFactory] = {}
    for factory in known.values():
        if factory.key_variable and env.get(factory.key_variable):
            by_key.setdefault(factory.key_variable, factory)
    if len(by_key) > 1:
        names = " and ".join(sorted(by_key))
        return NoJudge(
            code="two_keys",
            because=f"{names} are both set and `judge.provider` chooses none",
            do="set judge.provider to anthropic or openai",
        )
    if not by_key:
        return NoJudge(
            code="no_key",
            because="this repository has no provider key",
            do="set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a server of your own with --provider-url",
        )
    return next(iter(by_key.values()))


def _address(judge: Judge) -> str | None:
    if judge.base_url is None:
        return None
    url = str(judge.base_url).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOCAL:
        raise UsageError(
            "judge.base_url is not https",
            code="insecure_base_url",
            why="the provider key and the skill would cross the network in the clear",
            do="use https, or a server on this machine",
        )
    return url


def _price(model: str, settings: Settings) -> Price | None:
    price = price_of(model, [overriding(row) for row in settings.prices])
    cap = in_micros(settings.budget.usd)
    if price is None and cap is not None:
        raise unknown_price(model, cap)
    return price


def overriding(row: ModelPrice) -> Price:
    """A price of the settings as the table has them: billionths of a dollar a token."""
    plain = round(row.input * 1000)
    return Price(
        model=row.model,
        input=plain,
        output=round(row.output * 1000),
        cache_read=plain if row.cache_read is None else round(row.cache_read * 1000),
        cache_write=plain if row.cache_write is None else round(row.cache_write * 1000),
        as_of="settings",
    )
