"""A text as one row of a batch: what a length keeps of it, in words, and its ids with the padding mask."""

from collections import Counter

from core.config import END, PAD, TURN, NetworkConfig, Positions
from core.figures.shared.wording import count, turn_ranges
from core.text.encoded import SPECIALS, EncodedDialogue
from core.words import later, say


def turn_sizes(encoded: EncodedDialogue, turns: int) -> list[int]:
    """Count the tokens of each turn without special tokens."""
    sizes = Counter(token.turn for token in encoded.tokens if token.id not in (TURN, END))
    return [sizes[turn] for turn in range(turns)]


def around(encoded: EncodedDialogue) -> int:
    """Count the tokens that stand before and behind the turns, whatever is left out of them."""
    return sum(token.turn is None or token.id == END for token in encoded.tokens)


def left_out(encoded: EncodedDialogue, room: int) -> str:
    """Say which turns are left out or cut, by their numbers, and why `room` positions stay free."""
    gone, cut = turn_ranges(encoded.omitted), turn_ranges(encoded.shortened)
    sentences = []
    if encoded.omitted:
        one = len(encoded.omitted) == 1
        sentences.append(say("Turn {turn} left out.", turn=gone) if one else say("Turns {turns} left out.", turns=gone))
    if encoded.shortened:
        one = len(encoded.shortened) == 1
        sentences.append(say("Turn {turn} cut.", turn=cut) if one else say("Turns {turns} cut.", turns=cut))
    if encoded.omitted and room:
        free = count(room, "position")
        sentences.append(say("The next turn does not fit into the {positions} that stay free.", positions=free))
    return " ".join(sentences or [say("Nothing is left out.")]) + " "


def compared(name: str, whole: EncodedDialogue | None, fitting: EncodedDialogue | None) -> str:
    """Say what the same length means for another tokenizer.

    Args:
        name: of that tokenizer.
        whole: the whole text, None if it finds nothing to read.
        fitting: what fits into the length.
    """
    if whole is None or fitting is None:
        return say("{name}, the other tokenizer, finds nothing to read.", name=name)
    lost = len(fitting.omitted) + len(fitting.shortened)
    needs = {"name": name, "positions": count(len(whole.tokens), "position")}
    if not lost:
        return say(
            "{name}, the other tokenizer, needs {positions} for the whole text and loses no turn at this length.",
            **needs,
        )
    return say(
        "{name}, the other tokenizer, needs {positions} for the whole text and loses or cuts {turns} at this length.",
        turns=count(lost, "turn"),
        **needs,
    )


def reads(config: NetworkConfig) -> str:
    """Say how much a model reads, and why not more."""
    sinusoids = later(
        "The model has {positions} source positions: its sinusoids could be computed for more, but it never saw such "
        "positions in training."
    )
    messages: dict[Positions | None, str] = {
        None: later(
            "The model reads {tokens} tokens at most: its LSTM could go on, but it never read so many in training."
        ),
        "relative": later(
            "The model reads {tokens} tokens at most by its settings: its biases by distance would serve for any "
            "length."
        ),
        "learned": later("The model has {positions} source positions: a position beyond them has no learned vector."),
    }
    longest = f"{config.max_source_length:,}"
    return say(messages.get(config.has.positions, sinusoids), tokens=longest, positions=longest)


def row(encoded: EncodedDialogue, length: int) -> tuple[str, str, dict[str, list[object]]]:
    """Return the ids of a row with its repeated end written once, a sentence, and the row as a table.

    Args:
        encoded: a text that fits.
        length: positions of the batch.
    """
    free = length - len(encoded.ids)
    ids = [*encoded.ids, *[PAD] * free]
    table: dict[str, list[object]] = {
        later("Position"): list(range(1, length + 1)),
        later("Token"): [*(token.text.strip() or "·" for token in encoded.tokens), *[SPECIALS[PAD]] * free],
        later("Id"): [*ids],
        later("Mask"): [int(token_id != PAD) for token_id in ids],
    }
    sentence = say(
        "{tokens} and {free} times [PAD] (id {pad}). The padding mask is 1 at the first {used} positions and 0 at the "
        "others.",
        tokens=count(len(encoded.ids), "token"),
        free=f"{free:,}",
        pad=PAD,
        used=f"{len(encoded.ids):,}",
    )
    tail = next((place for place, token_id in enumerate(reversed(ids)) if token_id != PAD), len(ids))
    shown = ", ".join(map(str, ids[: len(ids) - tail]))
    end = f", {'0, ' * min(tail - 1, 3)}{'…, ' if tail > 4 else ''}0" if tail else ""
    return f"[{shown}{end}]", sentence, table
