"""A text as tokenizers read it, and as a row of a batch."""

from core.figures.tokens import batch_rows, tokenized
from core.figures.tokens.tokenized import Tokenized, turns
from core.text.dialogue import parse_dialogue
from core.text.fates import fates
from core.text.learnt import learn
from core.text.merges import Merges, pieced_words
from core.text.tokenizer import Tokenizer
from core.trace import Token
from tests.components.samples import chip_line
from tests.figures.drawing import drawn
from tests.pages.components import given


def line(name: str, *tokens: tuple[str, int, int, int]) -> Tokenized:
    """A line of tokens: text, start, end, turn."""
    return chip_line(name, [Token(text, 9, start, end, turn, None, 0) for text, start, end, turn in tokens])


TEXT = "Anna: hi you\nBen: 😀"
DIALOGUE = parse_dialogue(TEXT)
OURS = line("Ours", ("Anna", 0, 4, 0), ("hi", 6, 8, 0), ("y", 9, 10, 0), ("ou", 10, 12, 0), ("Ben", 13, 16, 1),
            ("😀", 18, 19, 1), ("😀", 18, 19, 1), ("[EOS]", 19, 19, 1))  # fmt: skip
WORDS = line("Words", ("anna", 0, 4, 0), ("hi", 6, 8, 0), ("you", 9, 12, 0), ("ben", 13, 16, 1))


def test_a_text_is_cut_wherever_a_token_of_any_line_begins_or_ends(snapshot):
    # The picture ends where it is told to, and a text may have no speakers.
    whole, begun = (turns(DIALOGUE, [OURS, WORDS], end) for end in (len(TEXT), 9))
    alone = turns(parse_dialogue("hello\nyou"), [line("Ours", ("hello", 0, 5, 0))], 9)
    assert given(whole, begun, alone) == snapshot


OURS_LEARNT = Tokenizer.train_bpe(["Hello, it is believable. Yes, one two three four five."] * 4, 300)
WORDS_LEARNT = Tokenizer.train_words(["it is yes one two three four"] * 3)


def chips(found) -> dict[str, list]:
    """Return a table of the chips of a line."""
    return {name: [getattr(chip, name) for chip in found.chips] for name in ("text", "id", "kind", "tip")}


def test_both_kinds_of_tokenizer_say_what_they_make_of_a_text_and_lose(snapshot):
    text = "Zoë: It is unbelievable 😀\nTom: YES"
    lines = []
    for name, tokenizer, rules in (("Ours", OURS_LEARNT, Merges(OURS_LEARNT)), ("Words", WORDS_LEARNT, None)):
        encoded = tokenizer.encode_dialogue(parse_dialogue(text), 99)
        lines.append(tokenized.describe(name, tokenizer, rules, encoded))
        assert lines[-1].fates == fates(encoded, tokenizer.kind)
    tables = *tokenized.fates_table(lines), tokenized.special_tokens(lines), tokenized.table(lines)
    assert drawn(*map(chips, lines), tokenized.token_counts(text, lines), *tables) == snapshot
    # Words of many tokens come first, tags and marks are none.
    offered = pieced_words(lines[0].encoded, text, 60)
    assert offered[0] == "unbelievable" and {"Zoë", "Tom"}.isdisjoint(offered)
    assert "unbelievable" not in pieced_words(lines[0].encoded, text, 11)


def test_what_was_learnt_is_said():
    ours, about = learn("bpe")
    assert f"(pairs of bytes that occur most often): {ours.size:,} ids" in about and ours.size == 2000


def test_our_own_pieces_are_shown_with_their_blanks_and_bytes(snapshot):
    tokenizer = Tokenizer.of_pieces(["Ġgo", "##ing"])
    encoded = tokenizer.encode_dialogue(parse_dialogue("Zoë: going 😀\nTom: go"), 99)
    found = tokenized.describe("Its own", tokenizer, None, encoded)
    assert drawn(chips(found)) == snapshot
    assert (found.fates.kept, found.fates.tagged) == (8, 6)


def test_a_row_of_a_batch_is_cut_or_filled(snapshot):
    dialogue = parse_dialogue("Ann: one two\nBob: three\nAnn: four five")
    encode = OURS_LEARNT.encode_dialogue
    whole, found = encode(dialogue, 99), encode(dialogue, 8, "start")
    assert sum(batch_rows.turn_sizes(whole, 3)) == len(whole.tokens) - 3  # without [TURN] twice and [EOS]
    said = [batch_rows.left_out(found, 2), batch_rows.left_out(whole, 5), batch_rows.compared("Words", whole, found)]
    said += [batch_rows.compared("Words", None, None), *batch_rows.row(whole, len(whole.ids) + 5)]
    assert drawn(*said) == snapshot
    assert batch_rows.row(whole, len(whole.ids))[0] == f"[{', '.join(map(str, whole.ids))}]"


def test_capitals_that_a_tokenizer_reads_as_small_letters_are_counted():
    tokenizer = Tokenizer.of_pieces(["Ġwhen", "Ġyou"], truecase=True)
    found = tokenized.describe("WordPiece", tokenizer, None, tokenizer.encode_dialogue(parse_dialogue("When? you"), 99))
    assert [chip.text for chip in found.chips][0].strip("·") == "when"
    assert found.fates.lowered == 1 and found.fates.kept == found.fates.characters - 1
