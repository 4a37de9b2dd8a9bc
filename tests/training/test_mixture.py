"""What a training on a mixture reads: each dialogue as it is, augmented, or as a chat."""

from functools import partial

import numpy as np
import pytest

from benchmarks.chats.mixture import Maker, Versions, mixed, mixed_judged
from core import checkpoints
from core.config import Preset
from core.training.recipes import contrast
from core.training.risk import ABSENT, Judged

TALK = """#Person1#: Good morning. Can you mend my old red bicycle?
#Person2#: I can, but it takes until Thursday.
#Person1#: Thursday is fine. What will it cost?
#Person2#: About forty dollars, I think."""
ROWS = [
    {"dialogue": TALK, "summary": "#Person1# asks #Person2# to mend a bicycle, and #Person2# will do it by Thursday."},
    {"dialogue": "Ann: Hello there.\nBen: Good morning to you.", "summary": "Ann greets Ben."},
]


@pytest.fixture
def maker(tiny_checkpoint, corpus):
    begun = checkpoints.read(tiny_checkpoint)
    return partial(Maker, corpus(ROWS), begun.tokenizer, Preset("A test.", begun.config))


def test_versions_of_a_dialogue(maker, monkeypatch):
    monkeypatch.setattr(contrast, "RETAGGED", 0.0)
    made = maker(plain=3, rewritten=4, wrong=2)
    talk, greeting = made(0), made(1)
    example = made.examples[0]
    assert talk.plain[0] == example.pair and len(talk.plain) == 3 and len(talk.chats) == 4
    assert len({tuple(source) for source, _ in talk.chats}) == 4
    plain, chat = talk.judged
    assert (plain.source, plain.target) == example.pair and (chat.source, chat.target) == talk.chats[0]
    assert all(len(row.candidates) == 2 and row.merit == 1 and set(row.merits) == {0.0} for row in talk.judged)
    # A dialogue with names stays as it is.
    assert greeting.chats == [made.examples[1].pair] and len(greeting.judged) == 1
    assert len(greeting.judged[0].candidates) == 2
    assert made(0) == maker(plain=3, rewritten=4, wrong=2)(0) != maker(plain=3, rewritten=4, seed=1)(0)
    # With other tags the dialogue as it is stays as it is.
    monkeypatch.setattr(contrast, "RETAGGED", 1.0)
    assert made(0).plain[0] == talk.plain[0] and made(0).plain[1][0][0] != talk.plain[1][0][0]
    assert made(0).judged[0].source != plain.source


def test_an_epoch_mixes_versions_and_its_last_ones_are_calm():
    rows = [Versions([([place], [0]), ([place], [1])], [([place], [2]), ([place], [3])]) for place in range(400)]
    early, late = mixed(rows, 1, 10, 0), mixed(rows, 9, 10, 0)
    assert [source for source, _ in early] == [[place] for place in range(400)]
    shares = [np.bincount([target[0] for _, target in epoch], minlength=4) / 400 for epoch in (early, late)]
    # The draw has a seed; four standard deviations of a share of 400 draws are 0.08 to 0.1.
    np.testing.assert_allclose(shares[0], [0.25] * 4, atol=0.08)  # see above
    np.testing.assert_allclose(shares[1], [0.5, 0, 0.25, 0.25], atol=0.08)  # see above
    assert mixed(rows, 2, 10, 0) != early == mixed(rows, 1, 10, 0) != mixed(rows, 1, 10, 1)
    # In the next epoch a chat is another one.
    both = [pair for pair in zip(early, mixed(rows, 2, 10, 0), strict=True) if pair[0][1] in ([2], [3])]
    assert all(first != second for first, second in both)


def test_contrast_reads_half_of_the_dialogues_as_chats():
    rows = [Versions([], [], [Judged([place], [0]), Judged([place], [1])]) for place in range(400)]
    chosen = mixed_judged(rows, 1, 0)
    assert [row.source for row in chosen] == [[place] for place in range(400)]
    assert 0.4 < np.mean([row.target[0] for row in chosen]) < 0.6
    alone = Judged([7], [0], merit=ABSENT)
    assert mixed_judged([Versions([], [], [alone])] * 5, 1, 0) == [alone] * 5
