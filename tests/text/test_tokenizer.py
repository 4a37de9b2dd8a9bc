"""Tokenizers: hostile text round-trips, spans point at what they name, truncation keeps whole turns."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.config import END, PAD, START, TURN, UNKNOWN
from core.errors import CheckpointError, DialogueError
from core.text.dialogue import parse_dialogue
from core.text.encoded import SPECIALS
from core.text.spans import cut
from core.text.tokenizer import TAGS, Tokenizer
from core.trace import Token
from tests.figures.drawing import drawn
from tests.refusals import refusals, refused

TEXTS = [
    "#Person1#: Hello, how are you today? #Person2#: I'm fine, the weather's good. They're in the park.",
    "#Person1# tells #Person2# about the weather. #Person2#'s dog went to the park with #Person1#.",
    "Amanda and Tom went to the park. It's Amanda's dog, and they like the weather.",
]
BPE = Tokenizer.train_bpe(TEXTS * 4, size=344)
PIECES = Tokenizer.of_pieces(
    ["ĠH", "ello", "##ello", "Ġhow", "Ġare", "Ġyou", "Ġpark", "Ġp", "##ark", "Ġl", "##ight", "##house"]
)
WORD = Tokenizer.train_words(TEXTS * 4, min_frequency=1)
OURS = (BPE, PIECES)

HOSTILE = [
    "a 👩‍👩‍👧‍👦 family", "🇩🇪👍🏽!", "שלום עולם", "ﷺ السلام عليكم", "\u202eabc\u202c def",  # emoji, right to left
    "cafe\u0301 n\u0303o", "Z" + "\u0301\u0323\u0310" * 9 + "algo", "नमस्ते दुनिया", "你好，世界。", "สวัสดีครับ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "\ud800 lone \udc00", "\ud83d\ude00", "a\0b \0",  # beyond 16 bits, surrogates, NUL
    "tab\tand  two   spaces", "one\ntwo\r\nthree", "a\u2028b\u2029c\x85d\x0be", "no\u00a0break\u202fhere",
    "a\u200bb\ufeffc", "İSTANBUL ẞ ﬁ", "\x01\x1b[31m\x7f",  # zero width, case folding grows, controls
    "[EOS] and [PAD] [SOS] [UNK] [TURN]", "Ġhello Ċ Ā",  # typed specials, the alphabet of bytes
    "#Person0# #Person12# #person1 #Person#", "<b>&amp;</b> **bold** [x](y)",  # no tags, markup
]  # fmt: skip


def normal(text):
    """What the tokenizers make of white space and of what has no UTF-8."""
    return re.sub(r"\s+", " ", text.encode("utf-8", "replace").decode()).strip()


def test_hostile_text_round_trips_and_its_spans_are_the_texts():
    for text in HOSTILE:
        for tokenizer in (*OURS, WORD):
            ids = tokenizer.encode_summary(text)
            decoded, tokens = tokenizer.decode(ids)
            assert tokens[-1].id == END and not {PAD, START, END, TURN} & set(ids[:-1]), text  # typed ones are text
            assert tokenizer is WORD or (decoded == normal(text) and UNKNOWN not in ids), text
            end = 0
            for token in tokens[:-1]:
                assert decoded[token.start : token.end] == token.text, text
                assert end - 1 <= token.start <= token.end, text  # bytes of one character share its span
                end = token.end
            assert end == len(decoded), text


@given(st.text(st.characters(exclude_characters="\x1c\x1d\x1e\x1f"), max_size=40))  # white space to Python alone
@example("#Person1#")
def test_round_trip_of_any_text(text):
    # A speaker tag always takes a space before it.
    expected = re.sub(r"(?<=[^ ])(?=#Person[1-9]#)", " ", normal(text))
    for tokenizer in OURS:
        assert tokenizer.decode(tokenizer.encode_summary(text))[0] == expected


def test_source_spans_point_into_the_pasted_text():
    for text in HOSTILE:
        for tokenizer in (*OURS, WORD):
            dialogue = parse_dialogue(f"Amanda: Hello. {text} Good\nTom: {text} park")
            encoded = tokenizer.encode_dialogue(dialogue)
            for token in (each for each in encoded.tokens if each.id not in (END, TURN)):
                assert token.text.strip() == dialogue.text[token.start : token.end].strip(), text
                turn = dialogue.turns[token.turn]
                inside = turn.start <= token.start and token.end <= turn.end
                assert inside or (token.start, token.end) == turn.label, text
                assert token.speaker == turn.speaker, text
                label = tokenizer.id_text(token.id).strip()
                if tokenizer.kind == "word" and token.id != UNKNOWN:
                    assert label == token.text.lower(), text
                elif tokenizer.kind != "word" and label not in TAGS and "<0x" not in label:
                    assert label == normal(token.text), text
            covered = {place for token in encoded.tokens for place in range(token.start, token.end)}
            for turn in dialogue.turns:
                for place in range(turn.start, turn.end):
                    character = dialogue.text[place]
                    kept = character.isalnum() if tokenizer.kind == "word" else not character.isspace()
                    assert place in covered or not kept, repr(character)


def listed(encoded) -> dict[str, list]:
    """Return a table of tokens, with the number of a tag in place of ids."""
    columns = ("text", "start", "end", "turn", "speaker", "word")
    found = {name: [getattr(token, name) for token in encoded.tokens] for name in columns}
    return found | {"tag": [token.id - 4 if 5 <= token.id <= 13 else None for token in encoded.tokens]}


def test_tokens_have_their_places_and_words_and_named_speakers_are_tags(snapshot):
    """A tag of the text keeps its number, and turns are marked between turns, except among words."""
    texts = "#Person1#: They're xyzzy, cafe\u0301 👩‍👧 ok", "#Person2#: Hello\n#Person1#:  I'm\n#Person2#: you"
    for text in (*texts, "Amanda: Hello Tom\nTom: Hello Amanda\nAmanda: I'm fine"):
        encoded = BPE.encode_dialogue(parse_dialogue(text))
        assert drawn(listed(encoded), str(encoded.speakers)) == snapshot
    words = [(token.turn, token.text) for token in WORD.encode_dialogue(parse_dialogue(texts[1])).tokens]
    assert words == [(0, "Person2"), (0, "Hello"), (1, "Person1"), (1, "I'm"), (2, "Person2"), (2, "you"), (2, "[EOS]")]
    _, tokens = BPE.decode(BPE.encode_summary("Tom's xyzzy, שלום"))
    assert len({token.word for token in tokens}) == 5  # Tom's · xyzzy · , · שלום · [EOS]


def test_names_of_a_summary_come_back():
    tag = {"Amanda": 5, "Tom": 6}
    speakers = {number: name for name, number in tag.items()}
    ids = BPE.encode_summary("Tom asks about Amanda's dog. Tomorrow Amanda-Tom.", speakers)
    assert ids.count(tag["Tom"]) == 2 and ids.count(tag["Amanda"]) == 2
    text, tokens = BPE.decode(ids, speakers)
    assert text == "Tom asks about Amanda's dog. Tomorrow Amanda- Tom."
    assert all(text[token.start : token.end] == token.text for token in tokens[:-1])
    assert BPE.id_text(tag["Tom"], speakers) == " Tom"
    # Names inside names and tags.
    ids = BPE.encode_summary("Ann Lee, Ann and Person1", {5: "Ann", 6: "Ann Lee", 7: "Person1"})
    assert BPE.decode(ids)[0] == "#Person2#, #Person1# and #Person3#"


def test_speakers_beyond_the_tags_are_written_by_name_with_one_colon():
    names = [f"{letter}{letter.lower()}x" for letter in "ABCDEFGHIJK"]
    dialogue = parse_dialogue("\n".join(f"{name}: Hello" for name in names))
    assert dialogue.speakers == tuple(names)
    encoded = BPE.encode_dialogue(dialogue)
    assert list(encoded.speakers.values()) == names[:9]
    for index, name in enumerate(names):
        turn = [token for token in encoded.tokens if token.turn == index and token.id not in (TURN, END)]
        first = dialogue.turns[index].label
        assert (turn[0].start, dialogue.text[turn[0].start : first[1]]) == (first[0], name)
        assert (turn[0].id in encoded.speakers) == (index < 9)
        assert turn[-1].text == "Hello"
        if index >= 9:
            written = [*BPE.encode_summary(f"{name}:")[:-1], *BPE.encode_summary("Hello")[:-1]]
            assert [token.id for token in turn] == written


def test_words_are_lower_case_filtered_and_known_when_frequent():
    ids = WORD.encode_summary("HELLO!!! (the) Weather's: xyzzy?")
    assert [WORD.id_text(number).strip() for number in ids] == ["hello", "the", "weather's", "[UNK]", "[EOS]"]
    assert WORD.decode(ids)[0] == "hello the weather's [UNK]" and ids[3] == UNKNOWN
    # Rare words are unknown.
    tokenizer = Tokenizer.train_words(["park park park dog dog"], min_frequency=3)
    assert tokenizer.size == len(SPECIALS) + 1
    assert tokenizer.encode_summary("park dog") == [len(SPECIALS), UNKNOWN, END]


def test_specials_tags_and_sizes():
    assert BPE.size == 344
    for tokenizer in (*OURS, WORD):
        assert [tokenizer.id_text(number) for number in range(5)] == list(SPECIALS)
    assert [BPE.id_text(5 + number) for number in range(9)] == [" " + tag for tag in TAGS]
    ids = BPE.encode_summary("#Person1#'s dog and #Person9#")
    assert ids[0] == len(SPECIALS) and ids[-2] == len(SPECIALS) + 8
    text, tokens = BPE.decode(ids)
    assert text == "#Person1#'s dog and #Person9#"
    assert tokens[0].text == "#Person1#" and tokens[1].text.startswith("'")
    assert BPE.decode(BPE.encode_summary("#Person1##Person2#"))[0] == "#Person1# #Person2#"


def test_each_word_is_cut_into_the_longest_pieces():
    def names(text):
        return [PIECES.piece_name(token) for token in PIECES.encode_summary(text)[:-1]]

    assert names("park parks, lighthouse") == ["Ġpark", "Ġpark", "##s", ",", "Ġl", "##ight", "##house"]
    assert names("Hello how's") == ["ĠH", "##ello", "Ġhow", "'", "s"]
    long = "park" * 40
    assert names(long)[0] == "Ġpark" and UNKNOWN not in PIECES.encode_summary(long)
    assert PIECES.decode(PIECES.encode_summary(long))[0] == long


def test_a_word_that_begins_a_sentence_is_read_in_its_commoner_spelling():
    names = ["Ġsend", "ĠYes", "ĠSend", "Ġyes", "Ġdripping", "ĠWhite", "Ġnow", "Ġwhite"]
    plain, pieces = Tokenizer.of_pieces(names), Tokenizer.from_json(Tokenizer.of_pieces(names, truecase=True).to_json())
    for text, expected in (
        ("Send it. Yes? Send it!", "send it. Yes? send it!"),
        ("Dripping. We Send it: Send.", "dripping. We Send it: Send."),  # the capital is not a piece; inside a sentence
        ("Mr. White. White? J. Now", "Mr. White. White? J. Now"),  # the name is the commoner; abbreviations
        ("Send, are you there? “Send it.” I do. #Person1# Now", "Send, are you there? “send it.” I do. #Person1# Now"),
        ("", ""),
    ):
        assert pieces.truecased(text) == expected
    dialogue = parse_dialogue("Ann: Send it now. Now!\nBen: We Send it.")
    encoded = pieces.encode_dialogue(dialogue)
    small, capital = pieces.encode_summary("send Send")[:2]
    sent = [token for token in encoded.tokens if token.text == "Send"]
    assert [token.id for token in sent] == [small, capital]
    assert [token.id for token in plain.encode_dialogue(dialogue).tokens if token.text == "Send"] == [capital] * 2
    assert all(encoded.dialogue.text[token.start : token.end] == token.text for token in sent)
    summary = pieces.decode([encoded.tokens[1].id])[0]
    assert summary == "send" and pieces.decode(pieces.encode_summary("Send it"))[0] == "Send it"


def test_bytes_padding_and_start():
    # Bytes of a split character are labelled.
    labels = [BPE.id_text(number) for number in BPE.encode_summary("é")[:-1]]
    assert "".join(labels).replace(" ", "") == "<0xC3><0xA9>"
    # Padding and start give no text.
    text, tokens = BPE.decode([START, *BPE.encode_summary("Hello you"), PAD, PAD])
    assert text == "Hello you"
    assert [token.text for token in tokens if token.start == token.end] == ["[SOS]", "[EOS]", "[PAD]", "[PAD]"]
    assert BPE.decode([]) == ("", ())
    # Broken bytes decode to a replacement.
    text, tokens = BPE.decode([*BPE.encode_summary("😀")[-3:-1], END])
    assert "\ufffd" in text and len(tokens) == 3


DIALOGUE = parse_dialogue(
    "#Person1#: Hello, how are you?\n#Person2#: I'm fine.\n#Person1#: the park?\n#Person2#: good\n#Person1#: dog"
)
WHOLE = BPE.encode_dialogue(DIALOGUE)
LENGTHS = [sum(token.turn == index and token.id != END for token in WHOLE.tokens) for index in range(5)]


def test_truncation_keeps_whole_turns():
    for truncation, kept in [("end", [0, 1]), ("start", [2, 3, 4]), ("middle", [0, 4])]:
        room = sum(LENGTHS[index] for index in kept) + 2
        encoded = BPE.encode_dialogue(DIALOGUE, room, truncation)
        assert encoded.omitted == tuple(index for index in range(5) if index not in kept), truncation
        assert encoded.shortened == (), truncation
        found, expected = (
            [(token.turn, token.id) for token in tokens if token.turn in kept and token.id not in (TURN, END)]
            for tokens in (encoded.tokens, WHOLE.tokens)
        )
        assert found == expected and {turn for turn, _ in found} == set(kept), truncation


def test_every_length_is_kept():
    for tokenizer in [BPE, WORD]:
        for truncation in ["start", "middle", "end"]:
            whole = tokenizer.encode_dialogue(DIALOGUE)
            for room in range(2, len(whole.tokens) + 2):
                encoded = tokenizer.encode_dialogue(DIALOGUE, room, truncation)
                assert 2 <= len(encoded.tokens) <= room, (truncation, room)
                assert encoded.ids[-1] == END and encoded.ids.count(END) == 1, (truncation, room)
                turns = {token.turn for token in encoded.tokens}
                assert sorted([*turns, *encoded.omitted]) == [0, 1, 2, 3, 4], (truncation, room)
                assert encoded.tokens[0].word == 0, (truncation, room)
            assert encoded.omitted == encoded.shortened == (), (truncation, room)


def test_one_turn_longer_than_the_room_is_shortened():
    dialogue = parse_dialogue("#Person1#: " + " ".join(["park"] * 20 + ["dog"] * 20))
    for truncation in ["start", "middle", "end"]:
        encoded = BPE.encode_dialogue(dialogue, 11, truncation)
        assert (encoded.omitted, encoded.shortened) == ((), (0,)), truncation
        assert len(encoded.tokens) == 11, truncation
        texts = {token.text for token in encoded.tokens[:-1]}
        assert texts == ({"dog"} if truncation == "start" else {"#Person1#", "park"}), truncation


def test_what_cannot_be_encoded_is_refused():
    why = r"too long. Received: \d+ tokens; allowed: 9\. Shorten it"
    refused(DialogueError, why, BPE.encode_dialogue, DIALOGUE, 9, "error")
    assert BPE.encode_dialogue(DIALOGUE, len(WHOLE.tokens) + 1, "error") == WHOLE
    refused(ValueError, "max_tokens must be at least 2. Received: max_tokens=1", BPE.encode_dialogue, DIALOGUE, 1)
    refused(DialogueError, "no words", WORD.encode_dialogue, parse_dialogue("!!! ... ???"))


def test_save_and_load(tmp_path):
    for tokenizer in (*OURS, WORD):
        tokenizer.save(tmp_path / "tokenizer.json")
        again = Tokenizer.load(tmp_path / "tokenizer.json")
        assert [again.kind, again.size, again.to_json()] == [tokenizer.kind, tokenizer.size, tokenizer.to_json()]
        for text in (*HOSTILE, *TEXTS):
            assert again.encode_summary(text) == tokenizer.encode_summary(text), tokenizer.kind
        assert again.encode_dialogue(DIALOGUE) == tokenizer.encode_dialogue(DIALOGUE), tokenizer.kind
    # Training twice gives the same tokenizer.
    assert Tokenizer.train_bpe(TEXTS * 4, size=344).to_json() == BPE.to_json()


GOOD = json.loads(BPE.to_json())
WRONG = [
    {"tokenizer": GOOD["tokenizer"]},
    {"kind": "bpe"},
    {"kind": "bpe", "tokenizer": {}},
    GOOD | {"kind": "wordpiece"},
    GOOD | {"tokenizer": GOOD["tokenizer"] | {"model": {"type": "Oracle"}}},
    GOOD | {"tokenizer": json.loads(WORD.to_json())["tokenizer"]},  # another vocabulary
]
DAMAGED = ["", "{", BPE.to_json()[:-20], "[]", "7", *map(json.dumps, WRONG)]


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "tokenizer.json"
    for content in (*(text.encode() for text in DAMAGED), b"\xff\xfe\0"):
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match="tokenizer.json") as caught:
            Tokenizer.load(path)
        assert "\n" not in str(caught.value)
    why = "the tokenizer .*/none.json cannot be read: .*; copy the"
    refused(CheckpointError, why, Tokenizer.load, tmp_path / "none.json")


def test_word_parts_tell_beginnings_from_continuations() -> None:
    texts = ["The lighthouse keeper's lamps: 10:30, naïve, 🙂!"] * 3
    bpe = Tokenizer.train_bpe(texts, 330)
    parts = bpe.word_parts()
    assert len(parts) == bpe.size
    assert parts[5] == parts[6] == 2  # speaker tags
    first, *rest = bpe.encode_summary("lighthouses")[:-1]
    assert parts[first] == 2 and rest and all(parts[token] == 1 for token in rest)
    dot = bpe.encode_summary("a.")[-2]
    assert parts[dot] == 0 and parts[2] == 0
    emoji = bpe.encode_summary("x🙀")[-4:-1]  # bytes of a character that was never merged
    assert all(parts[token] == 1 for token in emoji[1:])
    pieces = PIECES.word_parts()
    assert [pieces[token] for token in PIECES.encode_summary("lighthouse's, #Person1#")[:-1]] == [2, 1, 1, 0, 1, 0, 2]
    word = Tokenizer.train_words(texts, 1)
    assert word.word_parts() == [0] * 5 + [2] * (word.size - 5)


def test_a_continuation_is_a_summary_without_its_end():
    for text in ("the park", "  the weather's good \n", "naïve 🙂", "[EOS] [UNK]", "#Person1# likes"):
        assert BPE.encode_continuation(text) == BPE.encode_summary(text)[:-1]
    assert WORD.encode_continuation("The park!") == WORD.encode_summary("the park")[:-1]
    # Names in a continuation are tags.
    speakers = {5: "Amanda", 6: "Tom"}
    assert BPE.encode_continuation("Tom", speakers) == [6]
    ids = BPE.encode_continuation("Amanda's dog, Tommy and Tom", speakers)
    assert ids[0] == 5 and ids[-1] == 6 and ids.count(6) == 1
    assert BPE.decode(ids, speakers)[0] == "Amanda's dog, Tommy and Tom"
    # A plus joins the first piece to the word before.
    for text, expected in [
        ("+ing", "the parking"), (" + ing now", "the parking now"), ("+, Tom", "the park, Tom"),
        ("ing", "the park ing"), ("++", "the park+"), ("+Tom and Tom", "the parkTom and Tom"),
        ("+er xTom", "the parker xTom"),
    ]:  # fmt: skip
        ids = BPE.encode_summary("the park")[:-1] + BPE.encode_continuation(text, speakers)
        assert BPE.decode(ids, speakers)[0] == expected, text
        assert ids.count(6) == (expected + " ").count(" Tom "), text


def test_continuations_that_are_refused(snapshot):
    assert refusals(DialogueError, BPE.encode_continuation, ["", "  \n", "+", " + "]) == snapshot
    cases = ["!!!", "+ing", "the Wether, xyzzy", "the xyzzy"]
    assert refusals(DialogueError, WORD.encode_continuation, cases) == snapshot


def test_a_piece_whose_characters_stand_for_no_bytes_is_shown_as_it_is() -> None:
    values = json.loads(Tokenizer.train_bpe(["a b c"], 300).to_json())
    pieces = values["tokenizer"]["model"]["vocab"]
    letter = next(reversed(pieces))
    values["tokenizer"]["model"]["vocab"] = {"\u0301" if piece == letter else piece: id for piece, id in pieces.items()}
    values["tokenizer"]["model"]["merges"] = []
    assert "\u0301" in Tokenizer.from_json(json.dumps(values)).id_text(pieces[letter])


def test_a_turn_that_fits_keeps_its_end_and_a_longer_one_its_last_words():
    turn = [
        Token("so", 9, 0, 2, 0, None, 1),
        Token("long", 8, 3, 7, 0, None, 1),
        Token("[TURN]", TURN, 7, 7, 0, None, 0),
    ]
    for truncation in ("end", "start"):
        assert cut(turn, 3, truncation) == turn
    assert (cut(turn, 1, "end"), cut(turn, 1, "start")) == (turn[:1], turn[1:2])
