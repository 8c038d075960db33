"""The one way to put questions to a model: each equal one once, from the cache where it is there, within the budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from aces_ci.core.asking.answer_cache import AnswerCache, key_of
from aces_ci.core.asking.question import Answer, Question
from aces_ci.core.spending.price import Price, bound
from aces_ci.ports.provider import Provider
from aces_ci.tiers.purse import Purse

OVER_BUDGET = "the budget is used up"


@dataclass(slots=True)
class Tally:
    """What an asker did."""

    calls: int = 0
    reused: int = 0
    errors: int = 0


@dataclass(slots=True, kw_only=True)
class Asker:
    """A provider with memory and a budget."""

    provider: Provider
    purse: Purse
    price: Price | None = None
    """None only where no dollar budget stands: the composition refuses the rest."""
    cache: AnswerCache | None = None
    keep: Callable[[str], None] = lambda line: None
    """Takes each new line of the cache as soon as it is paid for."""
    tries: int = 1
    """Requests that the provider may send for one question, the first and its retries."""
    patience: float = 0.0
    """Seconds for which money that others have only set aside is waited for: a little more than a question may take."""
    concurrency: int = 4
    tally: Tally = field(default_factory=Tally)
    _lock: Lock = field(default_factory=Lock)

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """Answers in the order of the questions.

        The first question that has to be sent goes alone, so that those which share its prefix find it cached.

        Raises:
            UsageError: what the user must fix: a wrong key, an unknown model.
        """
        keys = [key_of(each, provider=self.provider.name, model=self.provider.model, sampling={}) for each in questions]
        known: dict[str, Answer] = {}
        todo: dict[str, Question] = {}
        for key, each in dict(zip(keys, questions, strict=True)).items():
            found = self._cached(each)
            if found is None:
                todo[key] = each
            else:
                known[key] = found
        self.tally.reused += len(known)
        known.update(self._sent(todo))
        return [known[key] for key in keys]

    def close(self) -> None:
        """Give back the provider's connections."""
        self.provider.close()

    def __call__(self, questions: Sequence[Question]) -> Mapping[tuple[str, int], Answer]:
        """The same by (item, vote): how the grading of traces asks."""
        answers = self.ask(questions)
        return {(each.item, each.vote): answer for each, answer in zip(questions, answers, strict=True)}

    def _cached(self, question: Question) -> Answer | None:
        if self.cache is None:
            return None
        return self.cache.find(question, provider=self.provider.name, model=self.provider.model)

    def _sent(self, todo: Mapping[str, Question]) -> dict[str, Answer]:
        if not todo:
            return {}
        first, *rest = todo.items()
        found = {first[0]: self._one(first[1])}
        if rest:
            with ThreadPoolExecutor(max_workers=min(self.concurrency, len(rest))) as pool:
                futures = [(key, pool.submit(self._one, each)) for key, each in rest]
                try:
                    found.update((key, future.result()) for key, future in futures)
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        return found

    def _one(self, question: Question) -> Answer:
        one = 0 if self.price is None else bound(self.price, question.most_input_tokens, question.max_tokens)
        # A try that was lost on the way may have been paid for, and so may each after it.
        most = one * self.tries
        if not self.purse.reserve(most, self.patience):
            with self._lock:
                self.tally.errors += 1
            return Answer(item=question.item, vote=question.vote, error=OVER_BUDGET, usd_micros=0)
        used: int | None = None
        try:
            answer = self.provider.ask(question)
            used = None if answer.usd_micros is None else answer.usd_micros + one * answer.unsettled
        finally:
            self.purse.settle(most, used)
        with self._lock:
            self.tally.calls += 1
            self.tally.errors += answer.reply is None
            if self.cache is not None:
                line = self.cache.line(question, answer, provider=self.provider.name, model=self.provider.model)
                if line is not None:
                    self.keep(line)
        return answer
