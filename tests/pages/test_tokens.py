"""The Tokens page: both tokenizers beside each other, what is lost, and what a link says."""

import json

import pytest

from core.text.losses import losses
from core.text.merges import Merges
from tests.pages.conftest import paste
from tests.pages.driver import FIRST, captions, data, element, noted, press, table
from tests.pages.tokens import WORDS, arrive, bpe, chips, embedding_table, encoded, metrics, own, pick, show, type_own

LOUD = "Anna: Hello THERE, dear!\nBen: Hello YOU."
UNBELIEVABLE = "Anna: unbelievable\nBen: yes"
HELLO = "Anna: hello you\nBen: yes"
HOSTILE = "Eve: <b>bold</b> *stars* costs $5 [x](y)\nDov: `code` :smile: <script>"


def matches(app, text: str) -> None:
    """Both lines and all numbers are what the core makes of the text."""
    ours, words = encoded(text), encoded(text, WORDS)
    assert [id for _, id, _ in chips(app, 0)] == ours.ids
    assert [id for _, id, _ in chips(app, 1)] == words.ids
    found = metrics(app)
    assert found["→ Tokens"] == f"{len(ours.ids):,}" and found["→ Turns"] == str(len(ours.dialogue.turns))
    assert found["→ Embedding"] == f"{len(ours.ids):,} × {embedding_table().shape[1]}"
    lost = table(app, "Ours")
    ours_lost, words_lost = losses(ours, "bpe"), losses(words, "word")
    assert list(lost["Ours"]) == [ours_lost.kept, 0, 0, 0, ours_lost.tagged]
    assert list(lost["Words"]) == [words_lost.kept, words_lost.lowered, words_lost.filtered, words_lost.unknown, 0]
    said = captions(app)
    assert f"Ours: {len(ours.ids)} tokens, {len(text) / len(ours.ids):.2f} characters each, none unknown" in said
    unknown = sum(id == 3 for id in words.ids)
    assert f"Words: {len(words.ids)} tokens" in said and f"{unknown} of them [UNK]" in said


def test_the_first_example_is_taken_apart_at_once(app):
    arrive(app)
    matches(app, FIRST)
    assert app.query_params == {}
    said = captions(app)
    assert f"learnt just now from the 25 bundled dialogues and their summaries, 4,275 words in all (words that occur "\
        f"at least 3 times): {WORDS.size} ids. Most words of other texts are unknown" in said  # fmt: skip
    assert f"from the checkpoint tiny, {bpe().size} ids" in said


def test_another_dialogue_has_other_numbers(app):
    before = metrics(arrive(app))
    app.selectbox(key="example").set_value("night-noise").run()
    text = app.session_state["example"]
    assert text == "night-noise" and metrics(app) != before


def test_ones_own_text_marks_unknown_words_parts_of_characters_and_tags(app):
    text = "Zoë: It is unbelievable 😀\nTom: Yes!"
    own(app, text)
    matches(app, text)
    ours = chips(app, 0)
    assert ours[0] == ("#Person1#", 5, "tag") and ours[-1] == ("[EOS]", 2, "mark")
    parts = [chip for chip, _, kind in ours if kind == "part"]
    rules = Merges(bpe())
    raw = [rules.token_bytes(id) for _, id, kind in ours if kind == "part"]
    assert "F0" in parts[0] and b"".join(raw).strip() == "😀".encode()
    assert [text for text, _, kind in chips(app, 1) if kind == "unknown"] == ["[UNK]"] * 2  # zoë, unbelievable
    assert app.query_params["tokens_text"] == text


def test_the_words_are_decoded_again_and_compared(app):
    own(app, LOUD)
    drawn = json.loads(element(app, "bidi_component", "lost_word").proto.json)["changes"]
    after = "".join(text for kind, text in drawn if kind != "removed")
    before = "".join(text for kind, text in drawn if kind != "added")
    assert after.split() == WORDS.decode(encoded(LOUD, WORDS).ids)[0].split()
    assert "".join(before.split()) == "".join(LOUD.split())
    ours = json.loads(element(app, "bidi_component", "lost_bpe").proto.json)["changes"]
    assert [text.strip() for kind, text in ours if kind == "removed"] == [":", ":"]
    assert not [text for kind, text in ours if kind == "added"]


def test_a_locked_token_is_in_the_link_and_leads_to_its_word_and_vector(app):
    own(app, UNBELIEVABLE)
    place = next(index for index, (text, _, _) in enumerate(chips(app, 0)) if text.startswith("·u"))
    pick(app, 0, place)
    assert app.query_params["tokens_place"] == str(place + 1) and data(app, "token_chips")["chosen"] == [0, place]
    assert any("of the word “unbelievable”" in each.value for each in app.markdown)
    press(app, "to_merges")
    assert app.query_params["tokens_view"] == "merges" and app.query_params["merged_word"] == "unbelievable"
    show(app, "tokens")
    press(app, "to_embedding")
    assert f"(id {chips_id(place)})" in captions(app)
    show(app, "tokens")
    pick(app, -1, -1)
    assert "tokens_place" not in app.query_params and data(app, "token_chips")["chosen"] is None


def chips_id(place: int) -> int:
    return encoded(UNBELIEVABLE).ids[place]


def test_a_word_of_the_reports_can_be_locked_and_a_mark_stands_for_nothing(app):
    own(app, HELLO)
    pick(app, 1, 1)
    assert app.query_params["tokens_line"] == "word"
    assert not [each for each in app.button if each.key == "to_embedding"]  # no vector: it is of no checkpoint
    pick(app, 0, len(encoded(HELLO).ids) - 1)
    assert any("is a mark" in each.value for each in app.markdown)


def test_the_choice_does_not_outlive_its_text(app):
    own(app, HELLO, tokens_place=2)
    assert data(app, "token_chips")["chosen"] == [0, 1]
    type_own(app, "Ben: good morning")
    assert data(app, "token_chips")["chosen"] is None and "tokens_place" not in app.query_params


def test_a_link_that_asks_for_a_token_that_is_not_there(app):
    own(app, "a", tokens_place=99)
    assert "asks for token 99; there are 2 here (Ours)" in noted(app) and "tokens_place" not in app.query_params


def test_a_link_with_impossible_values(app):
    arrive(app, tokens_view="nonsense", pad_to=1, cut_at="left", forced="x")
    said = noted(app)
    assert all(name in said for name in ("tokens_view=nonsense", "pad_to=1", "cut_at=left", "forced=x"))
    matches(app, FIRST)


@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_text_has_no_tokens(app, text):
    own(app, text)
    assert "Type at least one character" in app.info[0].value and not app.metric
    for view in ("merges", "length", "embedding", "forcing"):
        show(app, view)
        assert "Type at least one character" in app.info[0].value


@pytest.mark.parametrize("text", ["?!… §", "😀👩‍👩‍👧‍👦"])
def test_symbols_and_emoji_are_nothing_to_the_words(app, text):
    own(app, text)
    assert [id for _, id, _ in chips(app, 0)] == encoded(text).ids
    assert data(app, "token_chips")["lines"] == ["Ours"]
    assert "Words: nothing is left of this text" in app.warning[0].value
    assert list(table(app, "Ours")["Ours"])[0] == len("".join(text.split()))


def test_one_character(app):
    own(app, "a")
    assert [text for text, _, _ in chips(app, 0)] == ["·a", "[EOS]"]
    assert metrics(app)["Text"] == "1 character"
    assert "No speakers were found here" in captions(app)


def test_more_than_nine_speakers(app):
    own(app, "\n".join(f"K{letter}: hello" for letter in "abcdefghijkl"))
    kinds = [kind for _, _, kind in chips(app, 0)]
    assert kinds.count("tag") == 9
    said = captions(app)
    assert "12 people speak, and there are 9 tags: the first 9 who speak get them, 3 other names are written" in said


def test_fifty_thousand_characters_are_counted_whole_and_drawn_in_part(app):
    text = "Anna: hello there you\nBen: I am fine, thanks\n" * 1100
    assert len(text) > 49_000
    own(app, "Anna: hi")
    type_own(app, text)
    ours = encoded(text)
    assert metrics(app)["→ Tokens"] == f"{len(ours.ids):,}" and 800 <= len(chips(app, 0)) <= 801
    assert len(data(app, "token_chips")["turns"]) < 200
    end = ours.tokens[800].start
    assert f"Drawn are the first {end:,} of {len(text):,} characters" in captions(app)
    assert "Links hold 600 characters of it" in captions(app) and "tokens_text" not in app.query_params
    assert f"The model reads 192 tokens at most, and these are {len(ours.ids):,}" in captions(app)
    assert app.text_area(key="tokens_box").value == text


def test_a_text_beyond_the_limit_is_refused_and_kept(app):
    own(app, "Anna: hi")
    app.text_area(key="tokens_box").set_value("a" * 200_001).run()
    assert "Received: 200,001 characters" in app.error[0].value.replace("\\", "")
    assert len(app.text_area(key="tokens_box").value) == 200_001


def test_markup_stays_text(app):
    own(app, HOSTILE)
    drawn = "".join(text for turn in data(app, "token_chips")["turns"] for text, *_ in turn["body"])
    assert "<b>bold</b>" in drawn and "<script>" in drawn
    assert not [each for each in app.markdown if "<script>" in each.value]


def test_a_pasted_dialogue_is_taken_apart(app):
    app.run()
    paste(app, "Anna: Where is the key?\nBen: No idea.")
    app.switch_page("pages/tokens.py").run()
    matches(app, "Anna: Where is the key?\nBen: No idea.")


def test_without_a_dialogue_there_is_a_way_out(app):
    app.run()
    app.segmented_control(key="input").set_value("paste").run()
    app.switch_page("pages/tokens.py").run()
    assert "No dialogue is chosen yet" in app.info[0].value
