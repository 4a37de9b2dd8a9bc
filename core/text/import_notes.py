"""What an imported model does otherwise than `transformers`: sentences that its card keeps, or about one text."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
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
        "{advice}"
    ),
    "task": later(
        "Its config.json also has settings for summaries ({settings}), which generate of transformers does not read. "
        "{advice}"
    ),
    "shorter": later("It writes at most {most} tokens, not {asked}."),
    "longer": later("It writes at least {fewest} tokens, not {asked}: its longest summary has fewer."),
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
        "No target language is forced, so that chance decides on the language, here as in transformers. {advice}"
    ),
    "ends": later("A summary also ends at {tokens}, as in transformers."),
    "bytes": later("It reads bytes: each token is one byte of a text in UTF-8, so that texts are long."),
}
"""The sentences by their keys, to be said."""
CLIPPED = later(
    "transformers cuts only where it is asked to (truncation=True): else it reads on, or stops with an error."
)
"""What becomes of a text that is too long, to be said."""
WAYS: Mapping[str, tuple[str, str]] = {
    "decoding": (
        later("Import it with --decoding default to decode with the settings of this project instead"),
        later("Choose “As in this app” at Decoding to decode with the settings of this app instead"),
    ),
    "precision": (later("Use --precision original"), later("Choose “As it is” at Precision of the weights")),
    "base": (
        later("Name the folder of that model: --base FOLDER"),
        later("Name the folder of that model at Base of an adapter"),
    ),
    "no_length": (
        later("“--decoding default” takes the settings of this project."),
        later("Decoding “As in this app” takes the settings of this app."),
    ),
    "task": (later("“--decoding task” takes them."), later("Decoding “As its config.json says” takes them.")),
    "language": (
        later("“--language CODE” forces one of {tokens}."),
        later("Where a model is added, Language of the summary forces one of {tokens}."),
    ),
}
"""Ways out of a refusal, and on from a note, as the command line and as the app name them."""
_in_app: ContextVar[bool] = ContextVar("in_app", default=False)


def way(key: str, /, **values: Any) -> str:
    """Say a way where the reader can take it: a flag on the command line, a control in the app."""
    return say(WAYS[key][_in_app.get()], **values)


@contextmanager
def in_app() -> Iterator[None]:
    """Name the app's own ways in this thread for a while."""
    before = _in_app.set(True)
    try:
        yield
    finally:
        _in_app.reset(before)


def said(notes: Iterable[Any], only: Collection[str] | None = None) -> list[str]:
    """Say the notes of a card; what another version wrote as a text stays as it is, what is not known is left out.

    Args:
        notes: of the card.
        only: keys of those to say; None says all.
    """
    sentences = []
    known = NOTES if only is None else only
    for note in notes:
        if isinstance(note, str):
            sentences += [note] if only is None else []
        elif isinstance(note, list | tuple) and len(note) == 2 and note[0] in [*known] and isinstance(note[1], Mapping):
            try:
                advice = {"advice": way(note[0], **note[1])} if note[0] in WAYS else {}
                sentences.append(say(NOTES[note[0]], **note[1], **advice))
            except (KeyError, ValueError, TypeError):
                continue
    return sentences


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
