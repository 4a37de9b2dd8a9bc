"""Tests of imported tokenizers: spans, turns, truncation and labels; ids are compared in tests/importing/."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from core.config import END, PAD, START, TURN, UNKNOWN, Truncation
from core.errors import CheckpointError, DialogueError
from core.text.dialogue import parse_dialogue
from core.text.imported import SHUT, Conventions, ImportedTokenizer
from core.text.spans import byte_values
from core.text.tokenizer import Tokenizer
from core.text.vocabulary import Vocabulary
from core.text.written import Style
from core.trace import Token
from tests.figures.drawing import drawn
from tests.models import unigram_tokenizer
from tests.refusals import refusals, refused

DIALOGUE = parse_dialogue("Amanda: I baked  cookies 😀\nJerry: Sure!\nAmanda: I'll bring you tomorrow :-)")
SPECIAL = {0: "<s>", 1: "<pad>", 2: "</s>", 3: "<unk>"}


def document(library: tokenizers.Tokenizer) -> dict[str, Any]:
    return dict(json.loads(library.to_str()))


def byte_level(**changes: Any) -> ImportedTokenizer:
    """Make a tokenizer of single bytes and of the words " I" and "Sure", with BART's special tokens."""
    names = [*SPECIAL.values(), *byte_values(), "ĠI", "Su", "re", "Sure"]
    merges = [("Ġ", "I"), ("S", "u"), ("r", "e"), ("Su", "re")]
    library = tokenizers.Tokenizer(models.BPE({name: number for number, name in enumerate(names)}, merges))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    vocabulary = Vocabulary(len(names), pad=1, start=2, end=2, unknown=3)
    conventions = Conventions(**({"special": SPECIAL, "before": (vocabulary.ours[0],)} | changes))
    return ImportedTokenizer(document(library), None, vocabulary, conventions)


def unigram() -> ImportedTokenizer:
    """Make a tokenizer of a few words, with T5's special tokens."""
    vocab = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁walk", -1.0), ("ing", -2.0), ("▁", -3.0), ("▁the", -1.0)]
    shut = [(SHUT + name if number < 3 else name, score) for number, (name, score) in enumerate(vocab)]
    library = tokenizers.Tokenizer(models.Unigram(shut, 2, False))
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    special = {0: "<pad>", 1: "</s>", 2: "<unk>"}
    return ImportedTokenizer(document(library), None, Vocabulary(9, 0, 0, 1, 2), Conventions(special))


def listed(tokens: Sequence[Token]) -> dict[str, list[Any]]:
    """Return a table of tokens."""
    return {
        name: [getattr(token, name) for token in tokens] for name in ("text", "start", "end", "turn", "speaker", "word")
    }


def test_tokens_have_the_place_the_turn_the_speaker_and_the_word_that_they_belong_to(snapshot) -> None:
    """A line end belongs to the turn before, bytes of a character are the whole one, a tag stands for the name."""
    short = parse_dialogue("Amy: I bake  it 😀\nBo: Sure!\nAmy: I'll :-)")
    for tokenizer in (byte_level(prefix="do: "), byte_level(dialogue="tags")):
        assert drawn(listed(tokenizer.encode_dialogue(short).tokens)) == snapshot
    blank = unigram().encode_dialogue(parse_dialogue("xyz walking")).tokens  # it stands in no text
    assert drawn(listed(blank)) == snapshot and blank[1].id == UNKNOWN


def test_special_tokens_are_words_of_their_own() -> None:
    tokenizer = byte_level(special=SPECIAL | {0: "en_XX"})
    ids = tokenizer.encode_summary("a😀")
    text, tokens = tokenizer.decode([*ids[:-2], END])  # the last byte of the character is missing
    assert text == "a\ufffd" and tokens[-1].word == tokens[-2].word + 1
    special = tokenizer.vocabulary.ours[0]
    assert [(token.text, token.word) for token in tokenizer.decode([special, *ids])[1]][:2] == [("en_XX", 0), ("a", 1)]


@pytest.mark.parametrize(
    ("truncation", "kept"), [("end", {0, 1}), ("start", {1, 2}), ("middle", {0})], ids=["end", "start", "middle"]
)
def test_whole_turns_are_left_out(truncation: Truncation, kept: set[int]) -> None:
    tokenizer = byte_level()
    length = len(tokenizer.encode_dialogue(DIALOGUE).ids) - 20
    encoded = tokenizer.encode_dialogue(DIALOGUE, length, truncation)
    assert {token.turn for token in encoded.tokens} - {None} == kept
    assert (set(encoded.omitted), encoded.shortened) == ({0, 1, 2} - kept, ())
    assert len(encoded.ids) <= length
    assert encoded.tokens[-2].text != "\n"
    assert (encoded.tokens[0].text, encoded.tokens[-1].id) == ("<s>", END)


@pytest.mark.parametrize("truncation", ["start", "middle", "end"])
def test_turn_that_is_too_long_is_cut(truncation: Truncation) -> None:
    tokenizer = byte_level(prefix="p ")
    encoded = tokenizer.encode_dialogue(parse_dialogue("A: abcdefghij\nB: klmnopqrst"), 10, truncation)
    said = "".join(token.text for token in encoded.tokens[3:-1])
    assert said == ("opqrst" if truncation == "start" else "A: abc")
    assert len(encoded.ids) == 10
    assert (encoded.shortened, encoded.omitted) == (((1,), (0,)) if truncation == "start" else ((0,), (1,)))


def test_exact_length_keeps_everything() -> None:
    tokenizer = byte_level()
    whole = tokenizer.encode_dialogue(DIALOGUE)
    assert tokenizer.encode_dialogue(DIALOGUE, len(whole.ids), "error") == whole
    why, most = f"Received: {len(whole.ids)} tokens; allowed: {len(whole.ids) - 1}", len(whole.ids) - 1
    refused(DialogueError, why, tokenizer.encode_dialogue, DIALOGUE, most, "error")


def test_what_cannot_be_encoded_is_refused() -> None:
    refused(DialogueError, "no words", byte_level().encode_dialogue, parse_dialogue(" \n "))
    why = "max_tokens must be at least 5 here. Received: max_tokens=4"
    refused(ValueError, why, byte_level(prefix="p ").encode_dialogue, DIALOGUE, 4)


def test_decoded_tokens_point_into_the_text_and_are_counted_by_words(snapshot) -> None:
    bytes_, words = byte_level(), unigram()
    start, (the, walk, ing, blank) = bytes_.vocabulary.ours[0], (words.vocabulary.ours[peer] for peer in (6, 3, 4, 5))
    for tokenizer, ids in [
        (bytes_, [START, start, *bytes_.encode_summary("Zoë: I 😀!")]),
        (words, [the, walk, ing, blank, ing, PAD, UNKNOWN, END]),
        (words, [blank, END]),  # the end joins no blank before it
        (bytes_, bytes_.encode_summary("a😀")[:3]),  # a broken character
    ]:  # fmt: skip
        text, tokens = tokenizer.decode(ids)
        assert drawn(text, listed(tokens)) == snapshot


def test_labels_of_ids() -> None:
    tokenizer = byte_level()
    ours = tokenizer.vocabulary.ours
    first, second = tokenizer.encode_summary("ë")[:2]
    word = tokenizer.encode_summary("x I")[1]
    labels = [tokenizer.id_text(token) for token in (PAD, START, END, UNKNOWN, TURN, ours[0], first, second, word)]
    assert labels == ["[PAD]", "[SOS]", "</s>", "[UNK]", "[TURN]", "<s>", "<0xC3>", "<0xAB>", " I"]
    assert unigram().id_text(unigram().size - 1) == "<8>"  # a row without a piece


def test_names_and_ids_of_the_peer() -> None:
    tokenizer = byte_level()
    assert [tokenizer.peer_piece(token) for token in range(6)] == ["<pad>", "</s>", "</s>", "<unk>", "", "<s>"]
    assert [tokenizer.peer_id(token) for token in range(6)] == [1, 2, 2, 3, -1, 0]


@pytest.mark.parametrize(("words", "expected"), [("walking", [3, 4]), ("+ing", [4]), ("the walking", [6, 3, 4])])
def test_continuations(words: str, expected: list[int]) -> None:
    tokenizer = unigram()
    assert [tokenizer.peer_id(token) for token in tokenizer.encode_continuation(words)] == expected


def test_continuation_of_bytes_begins_with_a_blank() -> None:
    tokenizer = byte_level()
    assert [tokenizer.id_text(token) for token in tokenizer.encode_continuation("I")] == [" I"]
    assert [tokenizer.id_text(token) for token in tokenizer.encode_continuation("+I")] == ["I"]


def test_continuations_that_are_refused(snapshot) -> None:
    assert refusals(DialogueError, unigram().encode_continuation, ["", "+", "xyz"]) == snapshot


def test_words_that_are_closed_cannot_be_joined() -> None:
    library = tokenizers.Tokenizer(models.BPE({"a</w>": 3, "u": 2}, [], unk_token="u", end_of_word_suffix="</w>"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    rules = Conventions({0: "p", 1: "e", 2: "u"}, after=(), joint="@@", stripped=True)
    tokenizer = ImportedTokenizer(document(library), None, Vocabulary(4, 0, 0, 1, 2), rules)
    assert tokenizer.decode(tokenizer.encode_continuation("a a"))[0] == "a a"
    refused(DialogueError, "marks the end of every word", tokenizer.encode_continuation, "+a")


def test_words_have_no_parts_here() -> None:
    assert byte_level().word_parts() == [0] * byte_level().size


@pytest.mark.parametrize("style", ["names", "tags", "text"])
def test_round_trip(style: Style, tmp_path: Any) -> None:
    tokenizer = byte_level(dialogue=style, prefix="p ", first=5, cleaned=True)
    tokenizer.save(tmp_path / "tokenizer.json")
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    assert isinstance(again, ImportedTokenizer)
    assert again.conventions == tokenizer.conventions
    assert again.vocabulary == tokenizer.vocabulary
    assert again.encode_dialogue(DIALOGUE) == tokenizer.encode_dialogue(DIALOGUE)


def test_damaged_document_is_refused(snapshot) -> None:
    whole = json.loads(byte_level().to_json())
    cases = [{"source": {}}, {"vocabulary": {"rows": 3}}, {"conventions": {}}, {"target": 3}]
    assert refusals(CheckpointError, lambda change: Tokenizer.from_json(json.dumps(whole | change)), cases) == snapshot


def test_unknown_way_to_write_dialogues_is_refused() -> None:
    refused(ValueError, "dialogue must be one of names, tags, text. Received: 'lines'", byte_level, dialogue="lines")


def test_bytes_of_one_span_share_one_text() -> None:
    dialogue = parse_dialogue("ab: " + "x" * 5000)
    tokens = unigram_tokenizer(byte_fallback=True).encode_dialogue(dialogue, 10_000).tokens
    texts = [token.text for token in tokens if "x" in token.text]
    assert len(texts) > 4000 and (len(texts[0]) == 1 or texts[1] is texts[-2])


def test_blanks_before_punctuation_stay_unless_the_model_takes_them_out() -> None:
    ids = [token.id for token in byte_level().encode_dialogue(parse_dialogue("A: Sure .")).tokens]
    assert byte_level().decode(ids)[0].endswith("Sure .")
    assert byte_level(cleaned=True).decode(ids)[0].endswith("Sure.")


def test_a_piece_that_is_a_blank_keeps_its_name() -> None:
    names = {"<pad>": 0, "</s>": 1, "<unk>": 2, SHUT + "a": 3, SHUT: 4}
    library = tokenizers.Tokenizer(models.WordLevel(names, "<unk>"))
    special = {0: "<pad>", 1: "</s>", 2: "<unk>"}
    tokenizer = ImportedTokenizer(document(library), None, Vocabulary(5, 0, 0, 1, 2), Conventions(special))
    assert [tokenizer.peer_piece(tokenizer.our_id(peer)) for peer in (3, 4)] == ["a", " "]
