"""Effects by word: each word has those of its own tokens, and all words together are the dialogue."""

import numpy as np
import pytest

from core.experiments.effects import Untouched
from core.experiments.gradients import TokenEffects
from core.experiments.word_effects import by_word, dialogue


def test_words_stand_as_in_the_dialogue_with_the_sums_of_their_tokens(base: Untouched) -> None:
    encoded = base.condition.encoded
    effects = np.arange(len(encoded.tokens), dtype=np.float32)
    found = TokenEffects(3, None, -1.0, effects, np.zeros(4, np.float32))
    turns = by_word(encoded, found)
    assert list(turns) == [turn.index for turn in encoded.dialogue.turns]
    words = [word for turn in turns.values() for word in turn]
    assert sorted(place for word in words for place in word.places) == list(range(len(encoded.tokens)))
    for word in words:
        assert word.value == pytest.approx(sum(word.places))  # each token's effect is its place
        assert {encoded.tokens[place].turn for place in word.places} == {encoded.tokens[word.places[0]].turn}
    assert [word.text for word in words if word.special][-1] == "end of dialogue"
    lines = ["".join(word.gap + word.text for word in turn if not word.special).strip() for turn in turns.values()]
    for line, said in zip(lines, encoded.dialogue.text.splitlines(), strict=True):
        assert line in (said, said.strip("#?!."))  # a tokenizer of words drops marks at the ends
    assert [turn.number for turn in dialogue(encoded, found, as_read=True)] == [1, 2, 3, 4]
