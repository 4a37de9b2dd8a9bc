"""How a model wants dialogues written: what special tokens are for, and the form and numbering of an imported one."""

from collections.abc import Sequence

from core.config import END, START
from core.figures.shared.wording import listed
from core.text.encoded import SPECIALS
from core.text.imported import ImportedTokenizer
from core.text.vocabulary import NONE
from core.words import later, say

SPECIAL = {
    "[PAD]": later("Fills a short sequence up to the length of its batch. Masks hide it; it has no loss."),
    "[SOS]": later("Start of sequence: the first thing that the decoder reads. It is never predicted."),
    "[EOS]": later("End of sequence: the last token of the dialogue, and what the decoder writes to stop."),
    "[UNK]": later("Stands for every word that a word-level vocabulary does not have. Bytes never need it."),
    "[TURN]": later("Between two turns, so that the model can see where one ends. The word-level tokenizer has none."),
}
"""What the special tokens are for, in the order of their ids."""
STYLES = {
    "names": later("This model reads lines such as “Anna: Hello”."),
    "tags": later("This model reads lines such as “#Person1#: Hello”, a number for each name."),
    "text": later("This model reads the spoken words alone, a line for each turn, without names."),
}
"""How an imported model reads turns."""


def form(tokenizer: ImportedTokenizer) -> str:
    """Say how a dialogue is written for an imported model, and what stands around it."""
    conventions = tokenizer.conventions

    def names(ids: Sequence[int]) -> str:
        return listed([f"“{tokenizer.peer_piece(token)}”" for token in ids])

    sentences = [say(STYLES[conventions.dialogue])]
    if conventions.prefix:
        sentences.append(say("The prefix “{prefix}” stands before them.", prefix=conventions.prefix))
    before, after = names(conventions.before), names(conventions.after)
    around = {
        (True, True): later("The whole begins with {before} and ends with {after}."),
        (True, False): later("The whole begins with {tokens}."),
        (False, True): later("The whole ends with {tokens}."),
    }.get((bool(before), bool(after)))
    if around:
        sentences.append(say(around, before=before, after=after, tokens=before or after))
    ends = {"start": names([START]), "end": names([END])}
    if conventions.first is None:
        sentences.append(say("Its decoder begins with {start}, and ends with {end}.", **ends))
    else:
        ends["first"] = names([conventions.first])
        sentences.append(say("Its decoder begins with {start}, then {first}, and ends with {end}.", **ends))
    return " ".join(sentences)


def numbering(tokenizer: ImportedTokenizer) -> str:
    """Say which of the model's own tokens the special tokens are, and that the others have other numbers here."""
    same = [
        say(
            "{name} (id {id}) is its “{piece}” ({own})",
            name=name,
            id=token,
            piece=tokenizer.peer_piece(token),
            own=tokenizer.peer_id(token),
        )
        for token, name in enumerate(SPECIALS)
        if tokenizer.peer_id(token) != NONE
    ]
    return say(
        "The ids of special tokens are the same for all models in this app: {same}. The model's other tokens follow in "
        "their own order; the Tokens view shows their own ids.",
        same=listed(same),
    )
