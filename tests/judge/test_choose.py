"""Who judges: the one that is named, the one whose key exists, and never a guess."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from aces_ci import compose
from aces_ci.core.errors import UsageError
from aces_ci.settings.load import load
from aces_ci.tiers.choose_judge import Chosen, NoJudge, choose

CLAUDE = {"ANTHROPIC_API_KEY": "sk-ant-0123456789"}
OPENAI = {"OPENAI_API_KEY": "sk-0123456789"}


def chosen(env: Mapping[str, str], *overrides: str) -> Chosen | NoJudge:
    return choose(load(overrides=overrides).settings, env, compose.providers())


@pytest.mark.parametrize(
    ("env", "overrides", "name", "model"),
    [
        (CLAUDE, (), "anthropic", "claude-haiku-5-5"),
        (OPENAI, (), "openai", "gpt-5.4-mini"),
        ({**CLAUDE, **OPENAI}, ("judge.provider=openai",), "openai", "gpt-5.4-mini"),
        (OPENAI, ("judge.provider=openai_chat", "judge.model=gpt-5.4-nano"), "openai_chat", "gpt-5.4-nano"),
        ({}, ("judge.base_url=http://127.0.0.1:8/v1", "judge.model=m", "budget.usd=null"), "openai_chat", "m"),
        ({}, ("judge.provider=recorded",), "recorded", "recorded"),
    ],
)
def test_the_provider_that_is_named_or_whose_key_exists(
    env: Mapping[str, str], overrides: tuple[str, ...], name: str, model: str
) -> None:
    found = chosen(env, *overrides)
    assert isinstance(found, Chosen)
    assert (found.factory.name, found.model) == (name, model)


@pytest.mark.parametrize(
    ("env", "overrides", "code", "because"),
    [
        ({}, (), "no_key", "this repository has no provider key"),
        ({**CLAUDE, **OPENAI}, (), "two_keys", "ANTHROPIC_API_KEY and OPENAI_API_KEY"),
        (OPENAI, ("judge.provider=off",), "off", "judge.provider: off"),
        (OPENAI, ("judge.provider=anthropic",), "no_key", "ANTHROPIC_API_KEY is not set"),
        ({"OPENAI_API_KEY": ""}, (), "no_key", "no provider key"),
    ],
)
def test_nobody_judges_and_it_is_said_why(
    env: Mapping[str, str], overrides: tuple[str, ...], code: str, because: str
) -> None:
    found = chosen(env, *overrides)
    assert isinstance(found, NoJudge)
    assert found.code == code and because in found.because and found.do


@pytest.mark.parametrize(
    ("overrides", "code"),
    [
        (("judge.model=brand-new-9",), "unknown_price"),
        (("judge.base_url=https://models.example/v1",), "no_model"),
        (("judge.base_url=http://models.example/v1", "judge.model=m"), "insecure_base_url"),
        (("judge.provider=compatible",), "no_base_url"),
    ],
)
def test_what_must_be_mended_before_money_is_spent_is_refused(overrides: tuple[str, ...], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(OPENAI, *overrides)
    assert caught.value.code == code and caught.value.exit_code == 2 and caught.value.do


def test_a_price_of_the_settings_outranks_the_table_and_no_budget_needs_none() -> None:
    found = chosen(OPENAI, "judge.model=brand-new-9", "prices=[{model: 'brand-*', input: 2.5, output: 10}]")
    assert isinstance(found, Chosen) and found.price is not None
    assert (found.price.input, found.price.output, found.price.cache_read) == (2_500, 10_000, 2_500)
    free = chosen(OPENAI, "judge.model=brand-new-9", "budget.usd=null")
    assert isinstance(free, Chosen) and free.price is None


def test_every_default_model_has_a_price() -> None:
    from aces_ci.core.spending.price_table import price_of

    named = [factory for factory in compose.providers() if factory.key_variable]
    assert named and all(price_of(str(factory.default_model)) for factory in named)
