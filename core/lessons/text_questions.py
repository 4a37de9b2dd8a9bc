"""Questions about what the model reads: tokens, vectors, positions, masks."""

from itertools import groupby

import numpy as np

from core.errors import LessonError
from core.figures.shared.wording import count, listed, nats, number, percent, plain
from core.lessons.asking import Answer, Case, Question, pick
from core.trace import Token
from core.words import later, say

ALIKE = 1.1
"""Two vectors are about as long where the longer one has at most so many times the length of the other."""
LEAST_MOVE = 0.05
"""Share of a loss by which it must move to count as moved."""
LENGTHS = later(
    "In the mean over the {count} tokens the embedding has the length {embedding}, the position {position}. "
    "The first layer reads their sum."
)
LENGTHS_WITH_SPEAKER = later(
    "In the mean over the {count} tokens the embedding, with a vector for the speaker, has the length {embedding}, the "
    "position {position}. The first layer reads their sum."
)


def tokens(case: Case) -> Question:
    """Ask how many tokens the dialogue becomes."""
    dialogue, source = case.summary.dialogue, case.summary.source
    words = sum(len(turn.text.split()) for turn in dialogue.turns)

    def solve() -> Answer:
        counts = {
            "turns": count(len(dialogue.turns), "turn"),
            "words": count(words, "word"),
            "tokens": count(len(source), "token"),
        }
        spoken = sum(token.end > token.start for token in source)
        if added := len(source) - spoken:
            because = say(
                "{turns} of {words} become {tokens}: {spoken} for what stands in the dialogue, and {special} where a "
                "turn or the text ends.",
                **counts,
                spoken=spoken,
                special=count(added, "special token"),
            )
        else:
            because = say("{turns} of {words} become {tokens}.", **counts)
        return Answer(len(source), because, near=round(0.1 * len(source)))

    text = say("The dialogue has {words}. How many tokens does it become?", words=count(words, "word"))
    return Question(text, (), solve, 10 * words)


def cut_words(case: Case) -> Question:
    """Ask how many words of the dialogue are cut into several tokens."""
    spoken = [token for token in case.summary.source if token.end > token.start]
    words = [list(members) for _, members in groupby(spoken, key=lambda token: (token.turn, token.word))]
    several = [members for members in words if len(members) > 1]

    def solve() -> Answer:
        if not several:
            return Answer(0, say("None: every word of this dialogue is one token of the vocabulary."))
        because = say(
            "{several} of {words}, for instance {list}.",
            several=len(several),
            words=count(len(words), "word"),
            list=listed([_pieces(members) for members in several[:3]]),
        )
        return Answer(len(several), because, near=1)

    text = say(
        "How many of the {count} words and signs are cut into more than one token by this model's tokenizer?",
        count=len(words),
    )
    return Question(text, (), solve, len(words))


def _pieces(members: list[Token]) -> str:
    return f"“{''.join(token.text for token in members)}” = {' + '.join(plain(token.text) for token in members)}"


def longer_vector(case: Case) -> Question:
    """Ask which is longer, the embedding or the position vector."""
    has = case.summarizer.config.has
    if has.positions in (None, "relative"):
        raise LessonError("this model adds no vector for the position, so there is nothing to compare")
    options = (say("The embedding"), say("The position"), say("Both are about as long"))

    def solve() -> Answer:
        from core.experiments.positions import first_input

        word, place = (float(np.mean(norms)) for norms in first_input(case.summarizer, case.summary).norms)
        right = 2 if max(word, place) <= ALIKE * min(word, place) else 0 if word > place else 1
        message = LENGTHS_WITH_SPEAKER if has.blocks and has.blocks.speakers else LENGTHS
        size = len(case.summary.source)
        return Answer(right, say(message, count=size, embedding=number(word), position=number(place)))

    return pick(say("Two vectors are added for each token. Which one is longer?"), options, solve)


def without_positions(case: Case) -> Question:
    """Ask how many words differ in what the model writes without positions."""
    if case.summarizer.config.has.positions is None:
        raise LessonError("this model has no positions: it reads one token after the other")

    def solve() -> Answer:
        from core.experiments.effects import as_read
        from core.experiments.positions import places, replaced

        summarizer, summary = case.summarizer, case.summary
        base, size = as_read(summarizer, summary), len(summary.source)
        (effect,) = replaced(summarizer, base, [places("removed", size, summarizer.config.max_source_length)])
        because = say(
            "{share} of the words differ. Without positions it writes: {text}",
            share=percent(effect.changed or 0),
            text=effect.text,
        )
        return Answer(round(100 * (effect.changed or 0)), because, near=15)

    text = say("Without positions the model reads a bag of tokens. What percentage of the words it writes differ?")
    return Question(text, (), solve, 100)


def without_mask(case: Case) -> Question:
    """Ask what the loss does without the look-ahead mask."""
    if case.summarizer.config.has.blocks is None:
        raise LessonError("this model has no look-ahead mask: its decoder reads one token after the other")
    options = (say("It falls"), say("It stays as it is"), say("It rises"))

    def solve() -> Answer:
        from core.experiments.masks.missing_masks import losses

        source, target = ([token.id for token in each] for each in (case.summary.source, case.summary.tokens))
        kept, removed = (-float(np.mean(each)) for each in losses(case.summarizer, source, target))
        moved = (removed - kept) / kept if kept else 0.0
        right = 1 if abs(moved) < LEAST_MOVE else 2 if moved > 0 else 0
        because = say(
            "With the mask the loss of this summary is {kept} a token, without it {removed}.",
            kept=nats(kept),
            removed=nats(removed),
        )
        learnt = say("The model learnt with the mask: what comes later it never learnt to read, and it confuses it.")
        return Answer(right, f"{because} {learnt}" if right == 2 else because)

    text = say("The trained model runs without its look-ahead mask. What does the loss of its summary do?")
    return pick(text, options, solve)


def open_cells(case: Case) -> Question:
    """Ask how many cells of the look-ahead mask of the summary are open."""
    size = len(case.summary.steps)

    def solve() -> Answer:
        right = size * (size + 1) // 2
        cells = f"1 + … + {size} = {size} × {size + 1} ÷ 2 = {right}"
        because = say("Row 1 has 1 open cell, row {row} has {open}: {sum}.", row=size, open=size, sum=cells)
        return Answer(right, because, near=size // 4)

    product = f"{size} × {size} = {size * size}"
    text = say(
        "The summary has {size} tokens. How many of the {product} cells of its mask are open?",
        size=size,
        product=product,
    )
    return Question(text, (), solve, size * size)
