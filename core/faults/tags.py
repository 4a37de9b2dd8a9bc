"""What stands for the speakers in the summaries of a model that knows them by tags."""

from core.text.dialogue import Dialogue
from core.text.encoded import AnyTokenizer, speaker_numbers
from core.text.imported import ImportedTokenizer
from core.text.written import tag


def written_tags(tokenizer: AnyTokenizer, dialogue: Dialogue) -> dict[str, str]:
    """Return the speaker for each tag that the model writes; none of a model that writes names."""
    if not isinstance(tokenizer, ImportedTokenizer) or tokenizer.conventions.dialogue != "tags":
        return {}
    return {tag(number): name for name, number in speaker_numbers(dialogue.speakers).items()}
