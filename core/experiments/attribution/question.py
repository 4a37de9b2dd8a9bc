"""What a method is asked: the run, the number F that is explained, its foil, and the parts that it is explained by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.config import END
from core.errors import SettingsError
from core.explain.attribution.attribution import Attribution, Check, check_foil, labels, rows_of
from core.explain.shared.recomputing import check_writer
from core.explain.shared.rollup import Group, Unit, groups
from core.runtime.queue import CALLS
from core.text.arrangement import in_a_turn
from core.text.encoded import EncodedDialogue
from core.trace import Array, Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer

Report = Callable[[int, int], object]
"""Called with what is finished and all there is; whatever it raises stops the work."""


@dataclass(frozen=True, eq=False)
class Question:
    """A question to a method; checked when built.

    F of row t is log p(y_t | y_<t, x), or with a foil log p(y_t) - log p(foil) (Yin and Neubig 2022, equation 3).

    Args:
        summarizer: the model that wrote the summary.
        run: the summary and its run, without masked turns.
        step: the written token that is explained, 0-based; None: all of them.
        foil: id of a token to contrast it with, or None.
        unit: of the parts that are taken away, or that are added up.
        seed: of what is drawn.
        report: progress.

    Raises:
        SettingsError: another checkpoint wrote the run, there is no such token, or the foil is no other token.
    """

    summarizer: "Summarizer"
    run: Summary
    step: int | None = None
    foil: int | None = None
    unit: Unit = "token"
    seed: int = 0
    report: Report | None = None

    def __post_init__(self) -> None:
        """Check that it can be answered."""
        check_writer(self.summarizer, self.run)
        rows_of(self.run, self.step)
        if self.foil is None:
            return
        if self.step is None:
            raise SettingsError("a foil stands in the place of one written token. Name the token, too")
        check_foil(self.foil, self.ids[self.step], self.summarizer.config.target_vocabulary)

    @property
    def rows(self) -> list[int]:
        """The written tokens that are explained."""
        return rows_of(self.run, self.step)

    @property
    def ids(self) -> list[int]:
        """The written ids, T of them."""
        return [token.id for token in self.run.tokens]

    @property
    def foils(self) -> list[int] | None:
        """The written ids with the foil in its place, or None."""
        return None if self.foil is None else [self.foil if row == self.step else id for row, id in enumerate(self.ids)]

    @property
    def source(self) -> list[int]:
        """The ids that the encoder read, S of them."""
        return [token.id for token in self.run.source]

    @cached_property
    def encoded(self) -> EncodedDialogue:
        """The dialogue as the tokenizer gives it: names of speakers, and what was said by whom."""
        return self.summarizer.encode(self.run.dialogue, self.run.settings.truncation)

    @property
    def target(self) -> str:
        """F in words."""
        if self.step is None:
            return say("log p of each written token, given those before it")
        token, place = self.run.tokens[self.step].text, self.step + 1
        if self.foil is None:
            return say("log p(“{token}”) of written token {place}", token=token, place=place)
        other = self.summarizer.tokenizer.id_text(self.foil, self.encoded.speakers).strip()
        return say("log p(“{token}”) − log p(“{foil}”) of written token {place}", token=token, foil=other, place=place)

    @cached_property
    def own(self) -> Array:
        """F of every row in the run itself, [R], from the logits of its replay."""
        logits = self.run.logits[self.rows].astype(np.float64)
        logs = logits - np.logaddexp.reduce(logits, axis=-1, keepdims=True)
        token_logs = logs[range(len(logs)), [self.ids[row] for row in self.rows]]
        return np.asarray(token_logs if self.foil is None else token_logs - logs[:, self.foil], dtype=np.float32)

    def parts(self) -> tuple[Group, ...]:
        """Return the parts of the dialogue that can be taken away: all tokens of turns, but [EOS].

        Raises:
            SettingsError: there is only one.
        """
        tokens = self.run.source
        spoken = {place for place, token in enumerate(tokens) if in_a_turn(token) and token.id != END}
        removable = tuple(group for group in groups(tokens, self.unit) if set(group.members) <= spoken)
        if len(removable) < 2:
            raise SettingsError(
                "only one part of the dialogue can be taken away, and nothing would be left to compare with. "
                "Received: {count}. Add another turn, or take smaller parts",
                count=len(removable),
            )
        return removable

    def scores(self, sources: Sequence[Sequence[int]]) -> Array:
        """Return F of every row for each of several sources, [n, R]."""
        from core.decoding.probes import SCORE_ROWS

        chunks: list[Array] = []
        for first in range(0, len(sources), SCORE_ROWS):
            batch = sources[first : first + SCORE_ROWS]
            with CALLS.turn():
                rows = np.stack(self.summarizer.probes.score(batch, [self.ids] * len(batch)))
                if self.foils is not None:
                    rows = rows - np.stack(self.summarizer.probes.score(batch, [self.foils] * len(batch)))
            chunks.append(rows[:, self.rows])
            if self.report:
                self.report(min(first + SCORE_ROWS, len(sources)), len(sources))
        return np.concatenate(chunks)

    def answer(
        self,
        method: str,
        columns: tuple[Group, ...],
        values: Array,
        check: Check,
        unit: str = "nats",
        **more: Array | tuple[str, ...] | None,
    ) -> Attribution:
        """Return the answer of a method that has a row for each written token."""
        rows = labels([self.run.tokens[row] for row in self.rows])
        return Attribution(
            method, self.target, rows, self.run.source, columns, values, unit, check,
            **more,  # type: ignore[arg-type]
        )  # fmt: skip


def foil_of(summarizer: "Summarizer", run: Summary, text: str, step: int | None = None) -> tuple[int, int]:
    """Return the written token and its foil, which follow the same words (Yin and Neubig 2022, section 3).

    A name is the same whether it is written as a word or with the speaker's own token.

    Args:
        summarizer: the model that wrote the run.
        run: the summary.
        text: without a step another summary, such as the reference: the first token that differs is the foil. With a
            step words that could stand there: their first token is.
        step: a written token, 0-based, or None.

    Raises:
        SettingsError: the text is empty or begins with what was written, or there is no such token.
    """
    question = Question(summarizer, run, step)
    speakers, tokenizer = question.encoded.speakers, summarizer.tokenizer
    if step is None:
        other = tokenizer.encode_summary(text, speakers) if text.strip() else []
        texts = [[tokenizer.id_text(id, speakers).strip() for id in ids] for ids in (question.ids, other)]
        pairs = zip(*texts, strict=False)
        place = next((place for place, (written, foil) in enumerate(pairs) if written != foil), None)
        if place is not None:
            return place, other[place]
    elif continued := tokenizer.encode_continuation(text, speakers):
        if tokenizer.id_text(continued[0], speakers).strip() != run.tokens[step].text:
            return step, continued[0]
    raise SettingsError(
        "the contrast must differ from what was written. Received: {text}; written: {summary}",
        text=repr(text[:60]),
        summary=repr((run.text if step is None else run.tokens[step].text)[:60]),
    )
