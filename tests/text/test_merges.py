"""Merges: steps worked out by hand, and the tokenizer's own result for every word."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from core.text.encoded import SPECIALS
from core.text.examples import load_examples
from core.text.merges import Merges, MergeStep
from core.text.tokenizer import TAGS, Tokenizer, byte_values
from tests.figures.drawing import drawn
from tests.refusals import refused

WORDS = [word for each in load_examples() for word in each.dialogue.split()]
BPE = Tokenizer.train_bpe([each.dialogue for each in load_examples()], 900)
HARD = [
    "Größe", "naïve", "cafe\u0301", "ß", "😀", "👩‍👩‍👧‍👦", "🇩🇪👍🏽!", "don't", "I'll", "#Person1#", "#Person1#'s",
    "x#Person3#y", "#Person0#", "שלום", "你好，世界。", "aaaaaaaaaaa", "12,345.67", "...", "$5.99",
    "\ud800", "a\0b", "a\u200bb", "[EOS]",
    "hello there", "tab\tand  two", "#Person1#: hi #Person2#", "un-be-liev-able", "\u3000", "",
]  # fmt: skip


def by_hand(merges: list[list[str]]) -> Merges:
    """A tokenizer with these rules, the first learnt first, over all 256 bytes."""
    document = json.loads(BPE.to_json())
    names = [*SPECIALS, *TAGS, *byte_values(), *("".join(pair) for pair in merges)]
    document["tokenizer"]["model"] |= {"vocab": {name: number for number, name in enumerate(names)}, "merges": merges}
    return Merges(Tokenizer.from_json(json.dumps(document)))


def test_merges_by_hand(snapshot):
    # The rule that was learnt first is applied first and everywhere; overlapping pairs are merged from the left; no
    # merge reaches across pieces, and places count over the whole word.
    first = by_hand([["a", "b"], ["b", "a"], ["Ġ", "ab"], ["ab", "ab"]]).apply("ababa")
    left = by_hand([["a", "a"]]).apply("aaaaa")
    apart = by_hand([["s", "'"], ["s", "s"], ["'", "s"]]).apply("ass's")
    assert snapshot == drawn(
        *([str(found.pieces), str(found.tokens), *map(str, found.steps)] for found in (first, left, apart))
    )
    # A tag is one symbol from the start.
    found = Merges(BPE).apply("#Person2#'s")
    assert found.steps[0].symbols == (b"#Person2#", b"'", b"s") and found.ids[0] == 6
    assert found.pieces[0] == b"#Person2#"
    found = MERGES.apply("  ")
    assert found.pieces == () and found.ids == () and found.steps == (MergeStep(None, ()),)
    # Bytes of marks tags and tokens.
    assert MERGES.token_bytes(2) == b"" and MERGES.token_bytes(5) == b"#Person1#"
    assert MERGES.rules == BPE.size - len(SPECIALS) - len(TAGS) - 256
    refused(ValueError, "Received: kind='word'", Merges, Tokenizer.train_words(["a a a"]))


def test_every_word_ends_as_the_tokenizer_encodes_it():
    assert len(set(WORDS)) > 1000
    for word in {*WORDS, *HARD}:
        agrees(word)


@given(st.text(max_size=30))
@example("it's  #Person9# 's")
def test_any_text_ends_as_the_tokenizer_encodes_it(text):
    agrees(text)


MERGES = Merges(BPE)


def agrees(word: str) -> None:
    found = MERGES.apply(word)
    assert list(found.ids) == BPE.encode_summary(word)[:-1]
    assert b"".join(found.pieces) == b"".join(found.steps[0].symbols) == b"".join(found.tokens)
    assert [MERGES.token_bytes(number) for number in found.ids] == list(found.tokens)
    for before, after in zip(found.steps, found.steps[1:], strict=False):
        assert len(before.symbols) - len(after.symbols) == len(after.merged) > 0
        assert all(after.symbols[place] == after.symbols[after.merged[0]] for place in after.merged)
