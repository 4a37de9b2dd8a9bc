"""A text as one row of a batch: what a length keeps of it, in words, and its ids with the padding mask."""

from collections.abc import Sequence

from core.config import END, PAD, TURN, NetworkConfig
from core.figures.wording import count, turn_ranges
from core.text.encoded import SPECIALS, EncodedDialogue


def turn_sizes(encoded: EncodedDialogue, turns: int) -> list[int]:
    """Count the tokens of each turn without special tokens."""
    sizes = [0] * turns
    for token in encoded.tokens:
        if token.turn is not None and token.id not in (TURN, END):
            sizes[token.turn] += 1
    return sizes


def around(encoded: EncodedDialogue) -> int:
    """Count the tokens that stand before and behind the turns, whatever is left out of them."""
    return sum(token.turn is None or token.id == END for token in encoded.tokens)


def left_out(found: EncodedDialogue, room: int) -> str:
    """Say which turns are gone, by their numbers, and why positions may stay free: `room` of them."""
    said = []
    for turns, what in ((found.omitted, "left out"), (found.shortened, "cut")):
        if turns:
            said.append(f"{'Turn' if len(turns) == 1 else 'Turns'} {turn_ranges(turns)} {what}. ")
    if found.omitted and room:
        said.append(f"The next turn does not fit into the {count(room, 'position')} that stay free. ")
    return "".join(said) or "Nothing is left out. "


def compared(name: str, whole: EncodedDialogue | None, found: EncodedDialogue | None) -> str:
    """Say what the same length is for another tokenizer.

    Args:
        name: of that tokenizer.
        whole: the whole text, None if it finds nothing to read.
        found: what fits into the length.
    """
    name = f"{name}, the other tokenizer,"
    if whole is None or found is None:
        return f"{name} finds nothing to read."
    lost = len(found.omitted) + len(found.shortened)
    loses = f"loses or cuts {count(lost, 'turn')}" if lost else "loses no turn"
    return f"{name} needs {count(len(whole.tokens), 'position')} for the whole text and {loses} at this length."


def reads(config: NetworkConfig) -> str:
    """Say how much a model reads, and why not more."""
    longest, positions = f"{config.max_source_length:,}", config.has.positions
    if positions is None:
        return f"reads {longest} tokens at most: its LSTM could go on, but it never read so many in training"
    if positions == "relative":
        return f"reads {longest} tokens at most by its settings: its biases by distance would serve for any length"
    if positions == "learned":
        return f"has {longest} source positions: a position beyond them has no learned vector"
    why = "its sinusoids could be computed for more, but it never saw such positions in training"
    return f"has {longest} source positions: {why}"


def row(found: EncodedDialogue, length: int) -> tuple[str, str, dict[str, list[object]]]:
    """Return the ids of a row with its repeated end written once, a sentence, and the row as a table.

    Args:
        found: a text that fits.
        length: positions of the batch.
    """
    free = length - len(found.ids)
    ids = [*found.ids, *[PAD] * free]
    table: dict[str, list[object]] = {
        "Position": list(range(1, length + 1)),
        "Token": [*(token.text.strip() or "·" for token in found.tokens), *[SPECIALS[PAD]] * free],
        "Id": [*ids],
        "Mask": [int(each != PAD) for each in ids],
    }
    said = (
        f"{count(len(found.ids), 'token')} and {free:,} times [PAD] (id {PAD}). The padding mask is 1 at the first "
        f"{len(found.ids):,} positions and 0 at the others."
    )
    return _short(ids), said, table


def _short(ids: Sequence[int]) -> str:
    tail = next((place for place, each in enumerate(reversed(ids)) if each != PAD), len(ids))
    shown = ", ".join(map(str, ids[: len(ids) - tail]))
    return f"[{shown}]" if not tail else f"[{shown}, {'0, ' * min(tail - 1, 3)}{'…, ' if tail > 4 else ''}0]"
