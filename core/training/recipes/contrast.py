"""Make wrong summaries of training dialogues, to refine by contrast (after CLIFF, Cao and Wang 2021)."""

from collections.abc import Iterable, Iterator

import numpy as np

from core.config import Preset
from core.faults.alternatives import alternatives
from core.text.corpus import Corpus
from core.text.dialogue import Dialogue, parse_dialogue
from core.text.encoded import AnyTokenizer
from core.training.augmentation import other_tags, replaced
from core.training.batches import Pair
from core.training.circles import circles
from core.training.recipes.examples import encode_examples
from core.training.risk import ABSENT, Judged

WRONG = 2
"""Most wrong summaries of a dialogue, unless told otherwise."""
PERSONS = 3
"""Most wrong summaries of a dialogue with wrong persons in them."""
RETAGGED = 0.65
"""Share of the dialogues whose speakers take other tags."""


def contrasted(data: Corpus, tokenizer: AnyTokenizer, preset: Preset, most: int = WRONG, seed: int = 0) -> list[Judged]:
    """Put wrong summaries beside each reference, and let the speakers take other tags.

    Nearly every dialogue of DialogSum has two speakers: without other tags a model learns nothing of #Person3# and on.

    Args:
        data: dialogues and their references.
        tokenizer: makes the ids.
        preset: its model's lengths cut source and targets.
        most: wrong summaries of a dialogue, see `wrong_summaries`.
        seed: of all choices.

    Returns:
        For each dialogue the reference with a merit of 1, and at most `most` candidates with a merit of 0. A reference
        of which no wrong summary can be made is no candidate.

    Raises:
        CorpusError: no usable row.
    """
    rows, tagged = [], tokenizer.kind in ("bpe", "wordpiece")
    for place, example in enumerate(encode_examples(data, tokenizer, preset)):
        random = np.random.default_rng([seed, place])
        wrong = wrong_summaries(parse_dialogue(example.dialogue), example.summary, most, random)
        row = weighed(example.dialogue, example.pair, tokenizer, preset, wrong)
        rows.append(retagged(row, random) if tagged else row)
    return rows


def retagged(row: Judged, random: np.random.Generator) -> Judged:
    """Let the speakers take other tags, in `RETAGGED` of the cases; otherwise return the row as it is."""
    if random.random() >= RETAGGED:
        return row
    source, target, *candidates = other_tags((row.source, row.target, *row.candidates), random)
    return row._replace(source=source, target=target, candidates=candidates)


def wrong_summaries(dialogue: Dialogue, summary: str, most: int, random: np.random.Generator) -> list[str]:
    """Make wrong versions of a reference.

    Args:
        dialogue: its dialogue.
        summary: the reference.
        most: versions.
        random: of all choices.

    Returns:
        At most `most`: first at most `PERSONS` with wrong persons (people in each other's place, another speaker), then
        one with another name, number or a negation, then one that goes round in a circle.
    """
    made = alternatives(dialogue, summary, 12)
    persons = [*_other_places(dialogue, summary, random)]
    persons += [other.summary for other in made if other.kind == "speaker_swap"]
    others = [other.summary for other in made if other.kind != "speaker_swap"]
    return list(dict.fromkeys([*persons[:PERSONS], *others[:1], *circles(summary, random, 1)]))[:most]


def _other_places(dialogue: Dialogue, summary: str, random: np.random.Generator) -> Iterator[str]:
    """Put the people of a group in each other's place, twice at random."""
    named = [name for name in dialogue.speakers if name in summary]
    if len(dialogue.speakers) < 3 or len(named) < 2:
        return
    for _ in range(2):
        places = dict(zip(named, map(str, random.permutation(named)), strict=True))
        other = replaced(summary, places)
        if other != summary:
            yield other


def weighed(dialogue: str, pair: Pair, tokenizer: AnyTokenizer, preset: Preset, wrong: Iterable[str]) -> Judged:
    """Put wrong summaries beside the reference of a pair.

    Args:
        dialogue: its text.
        pair: the ids of dialogue and reference.
        tokenizer: makes the ids of the wrong summaries.
        preset: its model's lengths cut source and targets.
        wrong: the wrong summaries.
    """
    speakers = tokenizer.encode_dialogue(parse_dialogue(dialogue), preset.model.max_source_length).speakers
    targets = [tokenizer.encode_summary(text, speakers)[: preset.model.max_target_length] for text in wrong]
    others = [ids for ids in targets if ids != list(pair[1])]
    return Judged(*pair, others, [0.0] * len(others), 1.0 if others else ABSENT)
