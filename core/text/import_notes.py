"""What an imported model does otherwise than `transformers`: sentences that its card keeps, or about one text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.text.imported import ImportedTokenizer
from core.words import later, say

Note = tuple[str, Mapping[str, Any]]
"""A key of `NOTES`, and what the names of its sentence stand for."""
MOST = 10
"""Tokens that a sentence names."""
NOTES: Mapping[str, str] = {
    "default_decoding": later("It is decoded with the default settings of this project, not with its own."),
    "task_decoding": later(
        "It is decoded as its config.json asks for summaries (task_specific_params), which generate of transformers "
        "does not read."
    ),
    "no_length": later(
        "Its own settings do not say how long a summary may be: it writes at most {tokens} tokens, as in transformers. "
        "“--decoding default”, in the app Decoding “As in this app”, takes the settings of this project."
    ),
    "task": later(
        "Its config.json also has settings for summaries ({settings}), which generate of transformers does not read: "
        "“--decoding task”, in the app Decoding “As its config.json says”, takes them."
    ),
    "shorter": later("It writes at most {most} tokens, not {asked}."),
    "relative": later(
        "Its positions are relative; the longest source is set to {most:,} tokens. A longer one is cut at its end, "
        "where transformers reads on."
    ),
    "cut": later(
        "It reads up to {most:,} tokens. In transformers its tokenizer cuts at {asked:,}, if it is asked to cut."
    ),
    "wrapped": later(
        "Its tensors have {parts} in their names, from torch.compile or parallel training. They were read without; "
        "transformers would find none of them and begin with random weights."
    ),
    "tokenizer": later("{folder} has no tokenizer: that of the folder above it was read."),
    "adapter": later("The LoRA adapter was merged into {base}; it was trained on {named}."),
    "special": later(
        "A text that holds {tokens} holds letters here; transformers makes one special token of each, with an id of "
        "its own."
    ),
    "no_row": later(
        "The tokenizer has {tokens}, for which the table of tokens has no row. In a text they are letters here; "
        "transformers stops there with an index error."
    ),
    "language": later(
        "No target language is forced, so that chance decides on the language, here as in transformers. "
        "“--language CODE”, in the app Language of the summary, forces one of {tokens}."
    ),
    "ends": later("A summary also ends at {tokens}, as in transformers."),
    "bytes": later("It reads bytes: each token is one byte of a text in UTF-8, so that texts are long."),
}
"""The sentences by their keys, to be said."""


def said(notes: Iterable[Any]) -> list[str]:
    """Say the notes of a card; what another version wrote as a text stays as it is, what is not known is left out."""
    found = []
    for note in notes:
        if isinstance(note, str):
            found.append(note)
        elif isinstance(note, list | tuple) and len(note) == 2 and note[0] in NOTES and isinstance(note[1], Mapping):
            try:
                found.append(say(NOTES[note[0]], **note[1]))
            except (KeyError, ValueError, TypeError):
                continue
    return found


def listed(names: Sequence[str]) -> str:
    """Name tokens, at most `MOST` of them."""
    return ", ".join(names[:MOST]) + (" …" if len(names) > MOST else "")


def of_text(tokenizer: ImportedTokenizer, text: str) -> list[str]:
    """Say what `transformers` would read otherwise in a text: special tokens that somebody typed."""
    rows = tokenizer.vocabulary.rows
    typed = {peer: name for peer, name in sorted(tokenizer.conventions.special.items()) if name and name in text}
    keys = {"special": [name for peer, name in typed.items() if peer < rows]}
    keys["no_row"] = [name for peer, name in typed.items() if peer >= rows]
    return said((key, {"tokens": listed(names)}) for key, names in keys.items() if names)
