"""What was recognised in a file or a pasted text, as a sentence."""

from core.figures.shared.wording import count, listed
from core.text.formats.registry import BY_NAME
from core.text.formats.transcript import REASONS, Transcript
from core.words import say


def sentence(transcript: Transcript) -> str:
    """Say the format, who speaks, what was joined and left out, and what else is to be noted."""
    speakers, turns = len(transcript.speakers), count(len(transcript.turns), "turn")
    text = say(
        "{format}, {speakers}, {turns}",
        format=say(BY_NAME[transcript.format].title),
        speakers=count(speakers, "speaker") if speakers else say("no named speakers"),
        turns=say("{entries} joined into {turns}", entries=count(transcript.taken, transcript.unit), turns=turns)
        if transcript.joined
        else turns,
    )
    left = listed([count(amount, REASONS[reason]) for reason, amount in transcript.left_out.items()])
    text = say("{said}; left out: {items}.", said=text, items=left) if left else f"{text}."
    return " ".join([text, *map(str, transcript.notes)])
