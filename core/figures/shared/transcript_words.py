"""What was recognised in a file or a pasted text, as a sentence."""

from core.figures.shared.wording import count, listed
from core.text.formats.registry import BY_NAME
from core.text.formats.transcript import REASONS, Transcript
from core.words import say


def sentence(found: Transcript) -> str:
    """Say the format, who speaks, what was joined and left out, and what else is to be noted."""
    speakers, turns = len(found.speakers), count(len(found.turns), "turn")
    said = say(
        "{format}, {speakers}, {turns}",
        format=say(BY_NAME[found.format].title),
        speakers=count(speakers, "speaker") if speakers else say("no named speakers"),
        turns=say("{entries} joined into {turns}", entries=count(found.taken, found.unit), turns=turns)
        if found.joined
        else turns,
    )
    left = listed([count(amount, REASONS[reason]) for reason, amount in found.left_out.items()])
    said = say("{said}; left out: {items}.", said=said, items=left) if left else f"{said}."
    return " ".join([said, *map(str, found.notes)])
