"""Find the token that another text would have put in a place of a summary: the foil."""

from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.experiments.attribution.question import Question
from core.trace import Summary

if TYPE_CHECKING:
    from core.service import Summarizer


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
