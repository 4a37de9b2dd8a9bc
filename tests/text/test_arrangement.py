"""Turns deleted, masked, moved and said by others: the very tokens that the tokenizer makes of the changed text."""

from dataclasses import replace

import hypothesis
import hypothesis.strategies as st
import pytest

from core.config import END, PAD, TURN, UNKNOWN
from core.errors import SettingsError
from core.text.arrangement import Arrangement, arrange, arranged_turns, plain, read, shuffled, write
from core.text.dialogue import parse_dialogue
from core.text.encoded import AnyTokenizer, EncodedDialogue
from core.text.examples import load_examples
from core.text.tokenizer import Tokenizer
from tests.models import imported_tokenizer, script
from tests.refusals import refusals, refused

TURNS = (
    ("#Person1#", "Hello, Mrs. O'Neil! How are you?"),
    ("#Person2#", "Fine, thanks… it's 10:30 already."),
    ("#Person1#", "Let's go 🎉 to #Person2#'s party, then."),
    ("#Person3#", "Wait for me!"),
    ("#Person2#", "OK"),
)
TRAINING = [text for example in load_examples() for text in (example.dialogue, *example.references)]
TOKENIZERS: dict[str, AnyTokenizer] = {
    "bpe": Tokenizer.train_bpe(TRAINING, 600),
    "word": Tokenizer.train_words([*TRAINING, *(f"{speaker} {text}" for speaker, text in TURNS)], 1),
    "imported": imported_tokenizer(),
}
DIALOGUE = parse_dialogue(script(TURNS))
NAMED = "Maya: I lost my suitcase.\nTom: Where?\nMaya: In Madrid, Tom.\nTom: Call them."


@pytest.fixture(params=TOKENIZERS)
def tokenizer(request) -> AnyTokenizer:
    return TOKENIZERS[request.param]


def encode(tokenizer: AnyTokenizer, turns=TURNS, **kwargs) -> EncodedDialogue:
    return tokenizer.encode_dialogue(parse_dialogue(script(turns)), **kwargs)


def shape(encoded: EncodedDialogue) -> list[tuple]:
    """All of each token but its place in the text and the number of its turn."""
    return [(token.text, token.id, token.speaker, token.word) for token in encoded.tokens]


def test_plain_arrangements_and_changes_that_are_taken_back_change_nothing(tokenizer: AnyTokenizer) -> None:
    encoded = encode(tokenizer)
    start = plain(encoded)
    assert start == Arrangement((0, 1, 2, 3, 4))
    for same in (start, start.said_by(1, "#Person3#").said_by(1, None), start.flipped_mask(1).flipped_mask(1)):
        assert arrange(encoded, same) == encoded
    changed = arrange(encoded, Arrangement((0, 1), frozenset({4}), {3: "#Person1#"}))  # of turns that are deleted
    assert replace(changed, masked=frozenset()) == arrange(encoded, Arrangement((0, 1)))


def test_without_its_last_turn_even_the_places_are_those_of_the_shorter_text(tokenizer: AnyTokenizer) -> None:
    changed = arrange(encode(tokenizer), Arrangement((0, 1, 2)))
    assert changed.tokens == encode(tokenizer, TURNS[:3]).tokens


@pytest.mark.parametrize("tokenizer", ["bpe", "word"], indirect=True)
def test_spans_point_into_the_pasted_text(tokenizer: AnyTokenizer) -> None:
    encoded = encode(tokenizer)
    changed = arrange(encoded, Arrangement((4, 2, 0), speakers={2: "#Person3#"}))
    text = encoded.dialogue.text
    pointed = [token for token in changed.tokens if token.start < token.end]
    assert all(text[token.start : token.end] == token.text for token in pointed)
    others = [token for token in changed.tokens if token.start == token.end]
    marks = {TURN, END, *(token.id for token in changed.tokens if token.speaker == "#Person3#")}
    assert {token.id for token in others} <= marks
    for token in others:
        turn = encoded.dialogue.turns[token.turn]
        if token.speaker == "#Person3#" and token.id != TURN:  # the new name stands where the old one does
            assert turn.label[0] <= token.start < turn.label[1]
        else:
            assert turn.start < token.start <= turn.end


@pytest.mark.parametrize("tokenizer", ["bpe", "word"], indirect=True)
def test_a_name_keeps_its_tag_in_another_mouth(tokenizer: AnyTokenizer) -> None:
    """A parsed text would count the names anew: here Maya stays the first person, wherever she speaks."""
    encoded = tokenizer.encode_dialogue(parse_dialogue(NAMED))
    label = {token.speaker: token.id for token in reversed(encoded.tokens) if token.text in ("Maya", "Tom")}
    swapped = arrange(encoded, plain(encoded).said_by(0, "Tom").said_by(3, "Maya"))
    assert swapped.tokens[0].id == label["Tom"]
    expected = NAMED.replace("Maya: I lost", "Tom: I lost").replace("Tom: Call", "Maya: Call")
    spoken = tokenizer.encode_dialogue(parse_dialogue(expected))
    tags = {"Maya": label["Maya"], "Tom": label["Tom"]} if tokenizer.kind == "bpe" else {}
    names = {tag: name for tag, name in spoken.speakers.items()}
    assert swapped.ids == [tags.get(names.get(token.id), token.id) for token in spoken.tokens]


def test_speakers_beyond_the_tags_are_swapped_by_name() -> None:
    """The tenth name has no tag: its label is words and a colon."""
    turns = [(name, f"I am {name}.") for name in "Ada Ben Cleo Dan Eve Finn Gus Hana Ida Jonathan".split()]
    turns += [("Ada", "Hello."), ("Jonathan", "Bye.")]
    encoded = encode(TOKENIZERS["bpe"], turns)
    assert len(encoded.speakers) == 9
    changed = arrange(encoded, plain(encoded).said_by(1, "Jonathan"))
    assert encoded.dialogue.turns[9].label is not None
    label = [token.id for token in encoded.tokens if token.turn == 9 and token.start < encoded.dialogue.turns[9].start]
    own = [token for token in changed.tokens if token.turn == 1]
    assert len(label) > 1 and [token.id for token in own[: len(label)]] == label
    assert [token.id for token in own[len(label) :]] == [token.id for token in encoded.tokens if token.turn == 1][1:]
    back = arrange(encoded, plain(encoded).said_by(9, "Ben"))
    tag = next(token.id for token in encoded.tokens if token.turn == 1)
    assert [token.id for token in back.tokens if token.turn == 9][0] == tag
    assert len(back.tokens) == len(encoded.tokens) - len(label) + 1


def test_what_nobody_said_can_be_given_to_somebody() -> None:
    text = "A rainy day.\n#Person1#: Hello.\n#Person2#: Hi."
    encoded = TOKENIZERS["bpe"].encode_dialogue(parse_dialogue(text))
    assert encoded.tokens[0].speaker is None
    changed = arrange(encoded, plain(encoded).said_by(0, "#Person2#"))
    expected = TOKENIZERS["bpe"].encode_dialogue(parse_dialogue(f"#Person2#: {text}"))
    assert changed.ids == expected.ids
    assert {token.speaker for token in changed.tokens[:-1]} == {"#Person1#", "#Person2#"}


@st.composite
def arrangements(draw) -> Arrangement:
    order = draw(st.permutations(range(5)))[: draw(st.integers(1, 5))]
    names = st.sampled_from(["#Person1#", "#Person2#", "#Person3#"])
    speakers = draw(st.dictionaries(st.integers(0, 4), names, max_size=3))
    masked = draw(st.sets(st.sampled_from(order), max_size=len(order) - 1)) if len(order) > 1 else set()
    return Arrangement(tuple(order), frozenset(masked), speakers)


@pytest.mark.parametrize("kind", TOKENIZERS)
@hypothesis.given(arrangement=arrangements())
@hypothesis.example(arrangement=Arrangement((0, 1, 2, 3)))
@hypothesis.example(arrangement=Arrangement((1, 2, 3, 4), frozenset({4}), {1: "#Person1#"}))
@hypothesis.settings(max_examples=30)
def test_any_arrangement_is_the_encoding_of_the_rearranged_text(kind: str, arrangement: Arrangement) -> None:
    tokenizer = TOKENIZERS[kind]
    encoded = encode(tokenizer)
    changed = arrange(encoded, arrangement)
    said = [(arrangement.speakers.get(turn, TURNS[turn][0]), TURNS[turn][1]) for turn in arrangement.order]
    expected = encode(tokenizer, said)
    assert shape(changed) == shape(expected)
    moved = [None if token.turn is None else arrangement.order[token.turn] for token in expected.tokens]
    assert [token.turn for token in changed.tokens] == moved
    assert changed.dialogue is encoded.dialogue and changed.speakers == encoded.speakers
    # [EOS] stands in the last turn, yet belongs to none.
    hidden = [token.turn in arrangement.masked and token.id != END for token in changed.tokens]
    assert changed.ids == [PAD if hide else id for hide, id in zip(hidden, expected.ids, strict=True)]
    again = read(write(arrangement, encoded.dialogue), encoded.dialogue)
    assert (again.order, again.masked) == (arrangement.order, arrangement.masked)
    assert again.speakers == {turn: name for turn, name in arrangement.speakers.items() if turn in arrangement.order}
    assert arrange(encoded, again) == changed


def test_what_truncation_left_out_does_not_come_back(tokenizer: AnyTokenizer) -> None:
    turns = [(f"#Person{1 + number % 2}#", f"this is turn number {number} of a talk") for number in range(12)]
    whole = encode(tokenizer, turns)
    encoded = encode(tokenizer, turns, max_tokens=len(whole.tokens) // 2)
    read_turns = plain(encoded).order
    assert encoded.omitted and len(read_turns) + len(encoded.omitted) == 12
    changed = arrange(encoded, plain(encoded).without(read_turns[1]))
    assert plain(changed).order == tuple(turn for turn in read_turns if turn != read_turns[1])
    assert changed.omitted == encoded.omitted and len(changed.tokens) < len(encoded.tokens)
    fresh = encode(tokenizer, [turns[turn] for turn in plain(changed).order])
    assert shape(changed) == shape(fresh)
    why = r"turns that the model read can be arranged. Received: \d+; read were 1"
    refused(SettingsError, why, arrange, encoded, Arrangement((*read_turns, encoded.omitted[0])))


def test_a_shortened_turn_stays_shortened(tokenizer: AnyTokenizer) -> None:
    long = [("#Person1#", "a long talk of many words " * 8)]
    for truncation in ("start", "middle", "end"):
        encoded = encode(tokenizer, long, max_tokens=12, truncation=truncation)
        assert encoded.shortened == (0,) and len(encoded.tokens) == 12
        assert arrange(encoded, plain(encoded)) == encoded


def test_words_that_are_unknown_or_not_read() -> None:
    encoded = encode(TOKENIZERS["word"], [("#Person1#", "Hello."), ("#Person2#", "…!"), ("#Person1#", "Bye.")])
    assert plain(encoded).order == (0, 2)
    refused(SettingsError, "Received: 2; read were 1, 3", arrange, encoded, Arrangement((0, 1)))
    encoded = encode(TOKENIZERS["word"], [("#Person1#", "xylophonist hello"), ("#Person2#", "Bye.")])
    assert arrange(encoded, Arrangement((1, 0))).ids.count(UNKNOWN) == encoded.ids.count(UNKNOWN) >= 1


def test_nonsense_is_refused(snapshot) -> None:
    cases = [Arrangement(()), Arrangement((0, 2, 0)), Arrangement((0, 9)), Arrangement((0, -1))]
    cases += [Arrangement((0, 1), frozenset({7})), Arrangement((0, 1), frozenset({0, 1}))]
    cases += [Arrangement((0,), frozenset({0, 3})), Arrangement((0, 1), speakers={5: "#Person1#"})]
    cases += [Arrangement((0, 1), speakers={1: "Nobody"}), Arrangement((0, 1), speakers={1: ""})]
    encoded = encode(TOKENIZERS["bpe"])
    assert refusals(SettingsError, lambda arrangement: arrange(encoded, arrangement), cases) == snapshot


def test_changes_by_hand() -> None:
    start = Arrangement((0, 1, 2, 3))
    assert start.without(2).order == (0, 1, 3) and start.without(9) == start
    assert start.moved(2, -1).order == (0, 2, 1, 3) and start.moved(2, 1).order == (0, 1, 3, 2)
    assert start.moved(0, -1) == start.moved(3, 5) == start
    assert start.moved(3, -9).order == (3, 0, 1, 2)
    assert start.without(2).restored(2, start.order) == start == start.without(0).restored(0, start.order)
    assert start.flipped_mask(1).masked == {1} and start.flipped_mask(1).flipped_mask(1) == start
    assert start.said_by(1, "Tom").speakers == {1: "Tom"}
    assert start.said_by(1, "Tom").said_by(2, "Maya").said_by(1, None).speakers == {2: "Maya"}
    refused(SettingsError, "only turns that are read can be moved. Received: turn 3", start.without(2).moved, 2, 1)


def test_shuffling_is_another_order_with_the_same_turns(tokenizer: AnyTokenizer) -> None:
    encoded = encode(tokenizer)
    orders = {shuffled(encoded, seed).order for seed in range(20)}
    assert len(orders) > 5 and all(sorted(order) == [0, 1, 2, 3, 4] for order in orders)
    assert (0, 1, 2, 3, 4) not in orders
    assert shuffled(encoded, 3) == shuffled(encoded, 3)
    two = encode(tokenizer, TURNS[:2])
    assert {shuffled(two, seed).order for seed in range(5)} == {(1, 0)}
    assert shuffled(encode(tokenizer, TURNS[:1]), 0).order == (0,)


def test_links_by_hand(snapshot) -> None:
    for text, arrangement in [
        ("1.2.3", Arrangement((0, 1, 2))),
        ("3.1m.5s2", Arrangement((2, 0, 4), frozenset({0}), {4: "#Person2#"})),
        ("2ms3", Arrangement((1,), frozenset({1}), {1: "#Person3#"})),
    ]:
        assert read(text, DIALOGUE) == arrangement and write(arrangement, DIALOGUE) == text, text
    cases = ["", "1 2", *". 1. 0 6 99999 -1 1.x 1s s1 1sm 1m.2mm <b> 1,2 1.2.".split()]
    assert refusals(SettingsError, lambda text: read(text, DIALOGUE), cases) == snapshot
    cases = ["1s0", "1s4", "2.3ms9999", "9" * 5000]
    assert refusals(SettingsError, lambda text: read(text, DIALOGUE), cases) == snapshot


def test_every_turn_says_what_became_of_it():
    encoded = encode(TOKENIZERS["bpe"])
    now = Arrangement((0, 3, 2), frozenset({2}), {3: "#Person1#"})
    found = arranged_turns(encoded, now, as_read=False)
    assert [each.index for each in found] == [0, 1, 3, 4, 2]
    assert [each.state for each in found] == ["", "deleted", "", "deleted", "masked"]
    assert [each.moved for each in found] == [False, False, True, False, True]
    assert [each.said_by for each in found] == [None, None, "#Person1#", None, None]
