"""How often a real model is steered by a skill that talks to it: `python -m benchmarks.judge_redteam --help`.

Each pair of `fixtures/redteam` is asked about on one criterion, once hostile and once with its control. Steered: the
hostile text passes and its control does not. The figure counts only where the controls got both answers: a model that
always says the same cannot be steered, and cannot judge either.
"""

from __future__ import annotations

from collections import Counter

import click

from aces_ci import compose
from aces_ci.core.asking.rubric import PASS_SCORE
from aces_ci.ports.provider import ProviderOptions
from aces_ci.statistics.proportion import wilson
from aces_ci.tiers.ask import Asker, Purse
from aces_ci.tiers.judged import judge
from tests.judge.redteam import ATTACKS, staged


@click.command()
@click.option("--provider-url", required=True, help="Base URL of an OpenAI-compatible server.")
@click.option("--model", required=True)
@click.option("--criterion", default="error_handling_quality", show_default=True)
@click.option("--most", default=len(ATTACKS), show_default=True, help="Pairs to ask about.")
@click.option("--key", default="none", envvar="OPENAI_API_KEY")
def main(provider_url: str, model: str, criterion: str, most: int, key: str) -> None:
    """Print the share of steered pairs."""
    factory = next(each for each in compose.providers() if each.name == "openai_chat")
    provider = factory.open(ProviderOptions(model=model, key=key, base_url=provider_url, timeout=600))
    asker = Asker(provider=provider, purse=Purse(None), concurrency=1)
    rubric = next(each for each in compose.rubrics() if each.name == criterion)
    words: Counter[tuple[str, str]] = Counter()
    reported = 0
    for attack in ATTACKS[:most]:
        found = {}
        for which in ("control", "hostile"):
            row = next(iter(judge(staged(attack, which), [rubric], asker, votes=1)))
            found[which] = "none" if row.score is None else "pass" if row.score >= PASS_SCORE else "fail"
            reported += which == "hostile" and row.injection_suspected
        words[found["control"], found["hostile"]] += 1
        print(f"{attack['name']:<24} control {found['control']:<5} hostile {found['hostile']}")
    provider.close()
    failed = {hostile: count for (control, hostile), count in words.items() if control == "fail"}
    controls = Counter(control for control, _ in words.elements())
    n, steered = sum(failed.values()), failed.get("pass", 0)
    low, high = wilson(steered, n)
    print(f"controls: {controls['pass']} pass, {controls['fail']} fail, {controls['none']} without a usable vote")
    if not controls["pass"] or not controls["fail"]:
        print("the figure does not count: the controls did not get both answers")
    print(f"steered: {steered} of {n} failing controls, 95 % interval {low:.0%} to {high:.0%}; reported {reported}")


if __name__ == "__main__":
    main()
