"""Make wrong summaries of training dialogues, to refine by contrast (after CLIFF, Cao and Wang 2021)."""

from collections.abc import Iterable

from core.config import Preset
from core.faults.alternatives import alternatives
from core.text.corpus import Corpus
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer
from core.training.batches import Pair
from core.training.recipes.examples import encode_examples
from core.training.risk import ABSENT, Judged

WRONG = 2
"""Most wrong summaries of a dialogue, unless told otherwise."""


def contrasted(data: Corpus, tokenizer: AnyTokenizer, preset: Preset, most: int = WRONG) -> list[Judged]:
    """Put wrong summaries beside each reference: both speakers exchanged, another speaker, name or number, a negation.

    Args:
        data: dialogues and their references.
        tokenizer: makes the ids.
        preset: its model's lengths cut source and targets.
        most: wrong summaries of a dialogue; the kinds alternate, the exchange comes first.

    Returns:
        For each dialogue the reference with a merit of 1, and at most `most` candidates with a merit of 0. A reference
        of which no wrong summary can be made is no candidate.

    Raises:
        CorpusError: no usable row.
    """
    return [
        judged(example.dialogue, example.summary, example.pair, tokenizer, preset, most)
        for example in encode_examples(data, tokenizer, preset)
    ]


def judged(
    dialogue: str,
    summary: str,
    pair: Pair,
    tokenizer: AnyTokenizer,
    preset: Preset,
    most: int,
    more: Iterable[str] = (),
) -> Judged:
    """Put wrong summaries beside one reference.

    Args:
        dialogue: its text.
        summary: the reference.
        pair: the ids of both.
        tokenizer: makes the ids of the wrong summaries.
        preset: its model's lengths cut source and targets.
        most: summaries with something wrong.
        more: further wrong summaries.
    """
    parsed, longest = parse_dialogue(dialogue), preset.model.max_target_length
    speakers = tokenizer.encode_dialogue(parsed, preset.model.max_source_length).speakers
    others = [*(other.summary for other in alternatives(parsed, summary, most)), *more]
    targets = [tokenizer.encode_summary(other, speakers)[:longest] for other in others]
    wrong = [ids for ids in targets if ids != list(pair[1])]
    return Judged(*pair, wrong, [0.0] * len(wrong), 1.0 if wrong else ABSENT)
