"""A text as tokenizers read it, and as a row of a batch."""

from core.figures import batch_rows, token_lines
from core.figures.token_lines import Line, turns
from core.text.dialogue import parse_dialogue
from core.text.learnt import learn
from core.text.losses import losses
from core.text.merges import Merges, pieced_words
from core.text.tokenizer import Tokenizer
from core.trace import Token
from tests.components.samples import chip_line
from tests.figures.conftest import said
from tests.figures.drawing import drawn
from tests.models import imported_tokenizer


def line(name: str, *tokens: tuple[str, int, int, int]) -> Line:
    """A line of tokens: text, start, end, turn."""
    return chip_line(name, [Token(text, 9, start, end, turn, None, 0) for text, start, end, turn in tokens])


TEXT = "Anna: hi you\nBen: 😀"
DIALOGUE = parse_dialogue(TEXT)
OURS = line("Ours", ("Anna", 0, 4, 0), ("hi", 6, 8, 0), ("y", 9, 10, 0), ("ou", 10, 12, 0), ("Ben", 13, 16, 1),
            ("😀", 18, 19, 1), ("😀", 18, 19, 1), ("[EOS]", 19, 19, 1))  # fmt: skip
WORDS = line("Words", ("anna", 0, 4, 0), ("hi", 6, 8, 0), ("you", 9, 12, 0), ("ben", 13, 16, 1))


def test_a_text_is_cut_wherever_a_token_of_any_line_begins_or_ends():
    first, second = turns(DIALOGUE, [OURS, WORDS], len(TEXT))
    assert first["label"] == [["Anna", [0], [0]]] and second["label"] == [["Ben", [4], [3]]]
    assert first["body"] == [["hi", [1], [1]], [" ", [], []], ["y", [2], [2]], ["ou", [3], [2]]]
    assert second["body"] == [["😀", [5, 6], []]] and (first["number"], second["number"]) == (1, 2)
    assert [chip[0] for chip in first["chips"][0]] == [0, 1, 2, 3]
    assert second["chips"][0][-1][:4] == [7, "[EOS]", 9, ""]
    assert second["chips"][1] == [[3, "ben", 9, "", "about ben"]]
    # The picture ends where it is told to, and a text may have no speakers.
    (turn,) = turns(DIALOGUE, [OURS, WORDS], 9)
    assert "".join(text for text, *_ in turn["body"]) == "hi " and [chip[0] for chip in turn["chips"][0]] == [0, 1, 2]
    found = turns(parse_dialogue("hello\nyou"), [line("Ours", ("hello", 0, 5, 0))], 9)
    assert [turn["label"] for turn in found] == [[], []] and [turn["speaker"] for turn in found] == [-1, -1]
    assert found[1]["chips"] == [[]] and found[1]["body"] == [["you", []]]


def test_both_kinds_of_tokenizer_say_what_they_make_of_a_text_and_lose():
    (ours, about), (words, _) = learn("bpe"), learn("word")
    assert f"(pairs of bytes that occur most often): {ours.size:,} ids" in about and ours.size == 2000
    text = "Zoë: It is unbelievable 😀\nTom: YES"
    lines = []
    for name, tokenizer, rules in (("Ours", ours, Merges(ours)), ("Words", words, None)):
        encoded = tokenizer.encode_dialogue(parse_dialogue(text), 99)
        lines.append(token_lines.line(name, tokenizer, rules, encoded))
        assert lines[-1].lost == losses(encoded, tokenizer.kind)
    first, second = lines
    kinds = {chip.kind for chip in first.chips}
    assert kinds == {"", "tag", "mark", "part"} and {chip.kind for chip in second.chips} == {"", "unknown", "mark"}
    tag, end = first.chips[0], first.chips[-1]
    assert (tag.text, tag.id, tag.tip) == ("#Person1#", 5, "the tag of “Zoë” · token 1, id 5 · characters 1–3")
    assert end.tip.startswith("[EOS]: End of sequence") and end.kind == "mark"
    part = next(chip for chip in first.chips if chip.kind == "part")
    assert part.tip.startswith("part of “😀” · token ") and " byte" in part.tip
    unknown = next(chip for chip in second.chips if chip.kind == "unknown")
    assert unknown.tip.startswith("“Zoë” is not in the vocabulary · token 1, id 3 · characters 1–3")
    sentence = said(token_lines.sentence(text, lines))
    assert sentence.startswith(f"Ours: {len(first.tokens)} tokens, {len(text) / len(first.tokens):.2f} characters each")
    assert "none unknown" in sentence and f"{second.lost.unknown_words} of them [UNK]" in sentence
    table, fate = token_lines.fates(lines)
    assert list(table) == ["Visible characters that …", "Ours", "Words"] and table["Ours"][1:4] == [0, 0, 0]
    assert table["Words"] == [second.lost.kept, second.lost.lowered, second.lost.filtered, second.lost.unknown, 0]
    assert said(fate).startswith("Come back unchanged: Ours ")
    special = token_lines.special_tokens(lines)
    assert special["Here, Ours"] == ["0", "0", "1", "0", "1", "2"] and special["Here, Words"][5] == "0"
    rows = token_lines.table(lines)
    assert len(rows["Id"]) == len(first.tokens) + len(second.tokens) and rows["From character"][0] == 1
    # Words of many tokens come first, tags and marks are none.
    offered = pieced_words(first.encoded, text, 60)
    assert offered[0] == "unbelievable" and {"Zoë", "Tom"}.isdisjoint(offered)
    assert "unbelievable" not in pieced_words(first.encoded, text, 11)


def test_our_own_pieces_are_shown_with_their_blanks_and_bytes(snapshot):
    tokenizer = Tokenizer.of_pieces(["Ġgo", "##ing"])
    encoded = tokenizer.encode_dialogue(parse_dialogue("Zoë: going 😀\nTom: go"), 99)
    found = token_lines.line("Its own", tokenizer, None, encoded)
    assert drawn({name: [getattr(chip, name) for chip in found.chips] for name in ("text", "kind", "tip")}) == snapshot
    assert (found.lost.kept, found.lost.tagged) == (8, 6)


def test_an_imported_tokenizer_says_how_it_reads_and_which_special_tokens_are_its_own(snapshot):
    own = imported_tokenizer()
    assert drawn(token_lines.form(own), token_lines.numbering(own)) == snapshot


def test_a_row_of_a_batch_is_cut_or_filled():
    tokenizer, _ = learn("bpe")
    dialogue = parse_dialogue("Ann: one two\nBob: three\nAnn: four five")
    whole, found = tokenizer.encode_dialogue(dialogue, 99), tokenizer.encode_dialogue(dialogue, 8, "start")
    sizes = batch_rows.turn_sizes(whole, 3)
    assert sum(sizes) == len(whole.tokens) - 3  # without [TURN] twice and [EOS]
    assert found.omitted and found.omitted[0] == 0
    gone = batch_rows.left_out(found, 2)
    assert gone.startswith("Turn") and " left out. The next turn does not fit into the 2 positions" in said(gone)
    assert batch_rows.left_out(whole, 5) == "Nothing is left out. "
    lost = len(found.omitted) + len(found.shortened)
    assert said(batch_rows.compared("Words", whole, found)) == (
        f"Words, the other tokenizer, needs {len(whole.tokens)} positions for the whole text and loses or cuts "
        f"{lost} {'turn' if lost == 1 else 'turns'} at this length."
    )
    assert batch_rows.compared("Words", None, None).endswith("finds nothing to read.")
    ids, sentence, table = batch_rows.row(whole, len(whole.ids) + 5)
    assert ids.endswith("2, 0, 0, 0, …, 0]") and "and 5 times [PAD] (id 0)" in said(sentence)
    assert table["Mask"] == [1] * len(whole.ids) + [0] * 5 and table["Token"][-1] == "[PAD]"
    assert batch_rows.row(whole, len(whole.ids))[0] == f"[{', '.join(map(str, whole.ids))}]"
