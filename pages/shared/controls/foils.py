"""The tokens that a written one can be contrasted with."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from core.errors import DialogueError
from core.explain.decoding.distribution import next_token_distribution
from core.faults.source import written_tags
from core.figures.shared.wording import percent, plain
from core.trace import Summary
from core.words import say

if TYPE_CHECKING:
    from core.service import Summarizer


def foils(summarizer: "Summarizer", summary: Summary, step: int, references: Sequence[str]) -> dict[int, str]:
    """Return the other tokens that could stand at a step, each with its label, the most probable first.

    However improbable, how the speakers of the dialogue are written and what the first reference has there are among
    them.
    """
    tokenizer, written, dialogue = summarizer.tokenizer, summary.steps[step], summary.dialogue
    names = summarizer.encode(dialogue, summary.settings.truncation).speakers
    expected = [id for text in references[:1] for id in tokenizer.encode_summary(text, names)[step : step + 1]]
    speakers = []
    for speaker in written_tags(tokenizer, dialogue) or dialogue.speakers:
        with suppress(DialogueError):  # the model cannot write it
            speakers.append(tokenizer.encode_continuation(speaker, names)[0])
    distribution = next_token_distribution(
        summary.logits[step],
        rows=len(written.alternatives),
        always=[*expected, *speakers],
        text=lambda id: tokenizer.id_text(id, names),
    )
    marks = {id: f", {say('reference')}" for id in expected}
    return {
        candidate.id: f"“{plain(candidate.text)}” ({percent(candidate.probability)}{marks.get(candidate.id, '')})"
        for candidate in distribution.candidates
        if candidate.id != written.token.id
    }
