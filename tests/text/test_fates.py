"""What becomes of characters in each tokenizer, counted by hand."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.errors import DialogueError
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.fates import Fates, fates
from core.text.imported import ImportedTokenizer
from core.text.tokenizer import Tokenizer
from tests.models import imported_tokenizer

BPE = Tokenizer.train_bpe([each.dialogue for each in load_examples()], 900)
WORD = Tokenizer.train_words(["hello anna it's late ben"] * 3)


def count(tokenizer: Tokenizer, text: str) -> Fates:
    return fates(tokenizer.encode_dialogue(parse_dialogue(text), 10**9), tokenizer.kind)


def test_the_words_lose_symbols_capitals_and_unknown_words():
    found = count(WORD, "Anna: Hello!?\nBen: It's Zoë €\nAnna: late")
    # small: nna en nna ello t's late; filtered: ! ? €; capitals: A B A H I; unknown: Zoë (a colon belongs to no turn)
    assert found == Fates(kept=3 + 4 + 2 + 3 + 3 + 4, filtered=3, lowered=5, unknown=3, tagged=0, unknown_words=1)
    assert found.characters == 4 + 7 + 3 + 8 + 4 + 4
    # A turn of symbols is lost whole with its name.
    found = count(WORD, "Anna: hello\nBen: 😀!\nAnna: hello")
    assert found.filtered == 3 + 2 and found.kept == 2 * (3 + 5) and found.lowered == 2
    assert count(WORD, "Hello! hello") == Fates(4 + 5, 1, 1, 0, 0, 0)


def test_ours_loses_nothing_but_names_that_become_tags():
    found = count(BPE, "Anna: Hello!?\nBen: It's Zoë €\nAnna: late")
    assert found == Fates(kept=7 + 8 + 4, filtered=0, lowered=0, unknown=0, tagged=4 + 3 + 4, unknown_words=0)
    # Speaker tags of the text are kept as they are.
    found = count(BPE, "#Person1#: Hi #Person2#!\n#Person2#: Hi")
    assert found == Fates(kept=9 + 12 + 9 + 2, filtered=0, lowered=0, unknown=0, tagged=0, unknown_words=0)
    # The tenth name is written in letters.
    text = "\n".join(f"K{letter}: hi" for letter in "abcdefghijkl")
    found = count(BPE, text)
    assert found.tagged == 9 * 2 and found.kept == 3 * 2 + 12 * 2
    # What is kept can be read again.
    for each in load_examples():
        encoded = BPE.encode_dialogue(parse_dialogue(each.dialogue), 10**9)
        found = fates(encoded, "bpe")
        back = BPE.decode(encoded.ids, encoded.speakers)[0]
        assert len("".join(back.split())) == found.characters, each.id


@given(st.text(max_size=60))
def test_ours_never_filters_lowers_or_forgets(text):
    try:
        found = count(BPE, text)
    except DialogueError:
        return
    assert (found.filtered, found.lowered, found.unknown, found.unknown_words) == (0, 0, 0, 0)


def test_an_imported_tokenizer_loses_capitals_and_names_that_are_written_as_tags():
    def found(text, **changes):
        ours = imported_tokenizer()
        own = ImportedTokenizer(
            {**json.loads(ours.to_json())["source"], **changes.pop("document", {})},
            None,
            ours.vocabulary,
            replace(ours.conventions, **changes),
        )
        return fates(own.encode_dialogue(parse_dialogue(text), 999), "imported", own.lowers)

    assert found("Anna: Hi\nBen: Yo").tagged == 0
    assert found("Anna: Hi\nBen: Yo", dialogue="tags").tagged == 7
    assert found("#Person1#: Hi\n#Person2#: Yo", dialogue="tags").tagged == 0
    lowered = found("Anna: Hi\nBen: Yo", document={"normalizer": {"type": "Lowercase"}})
    assert (lowered.lowered, lowered.kept) == (4, 7)


def test_capitals_that_are_read_as_small_letters_count():
    encoded = BPE.encode_dialogue(parse_dialogue("Anna: When? You know\nBen: Is it 5 PM"), 10**9)
    found = fates(encoded, "wordpiece", read=lambda text: text.replace("When", "when").replace("Is", "is"))
    assert found.lowered == 2 and found.kept == fates(encoded, "wordpiece").kept - 2
