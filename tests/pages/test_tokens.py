"""The Tokens page: its views show what the core computes, its link and its texts are checked."""

from functools import partial

import pytest

from core import checkpoints
from core.config import DecodeSettings
from core.errors import CheckpointError
from core.explain.tokens.embedding import Kind, token_vector
from core.text.dialogue import parse_dialogue
from core.text.encoded import EncodedDialogue
from core.text.fates import fates
from core.text.merges import pieced_words
from pages.parts.tokens import embedding, sources
from pages.shared.model import models
from tests.closeness import near, same_network
from tests.pages.conftest import LEARNT, WORDS, paste
from tests.pages.driver import FIRST, chart, choose, data, decoded, enter, open_link, press, said, table, tiny, trigger

arrive = partial(open_link, "pages/tokens.py")
SHORT = "Anna lost a suitcase."


def pick(app, line: int, index: int):
    """Lock a chip; -1 twice releases."""
    return trigger(app, "token_chips", "pick", {"line": line, "index": index})


def encoded(text: str, tokenizer=None, *limits) -> EncodedDialogue:
    """Return the text as the core reads it; `limits` are a length and the side that is cut."""
    return (tokenizer or tiny().tokenizer).encode_dialogue(parse_dialogue(text), *limits or (10**9,))


def chips(app, line: int) -> list[tuple[str, int, str]]:
    """Return text, id and kind of every drawn chip of a line."""
    return [tuple(chip[1:4]) for turn in data(app, "token_chips")["turns"] for chip in turn["chips"][line]]


def matches(app, text: str) -> None:
    """Check that both lines and the numbers are what the core makes of the text."""
    ours, words = encoded(text), encoded(text, WORDS)
    assert [[id for _, id, _ in chips(app, line)] for line in (0, 1)] == [ours.ids, words.ids]
    found = {each.label: each.value for each in app.metric}
    assert found["→ Tokens"] == str(len(ours.ids)) and found["→ Turns"] == str(len(ours.dialogue.turns))
    assert found["→ Embedding"] == f"{len(ours.ids)} × 16"
    assert list(table(app, "BPE")["Words"])[3] == fates(words, "word").unknown
    assert f"BPE: {len(ours.ids)} tokens, " in said(app)


# Tokens --------------------------------------------------------------------------------------------------------------


def test_a_token_is_locked_leads_to_its_word_and_vector_and_is_forgotten_with_its_text(app):
    arrive(app)
    matches(app, FIRST)
    assert app.query_params == {} and f"from the checkpoint tiny, {tiny().tokenizer.size} ids" in said(app)
    assert f"{LEARNT}." in said(app)
    text = "Zoë: It is unbelievable 😀\nTom: <b>YES</b> $5"
    enter(choose(app, "tokens_of", "own"), "tokens_box", text)
    matches(app, text)
    after = "".join(text for kind, text in data(app, "word_diff")["changes"] if kind != "removed")
    assert after.split() == tiny().tokenizer.decode(encoded(text).ids, {5: "Zoë", 6: "Tom"})[0].split()
    ours = chips(app, 0)
    place = next(index for index, (text, _, _) in enumerate(ours) if text.startswith("·u"))
    pick(app, 0, place)
    assert app.query_params["tokens_place"] == str(place + 1) and data(app, "token_chips")["chosen"] == [0, place]
    assert "of the word “unbelievable”" in said(app)
    press(app, "to_merges")
    assert app.query_params["tokens_view"] == "merges" and app.query_params["merged_word"] == "unbelievable"
    press(choose(app, "tokens_view", "tokens"), "to_embedding")
    assert f"(id {ours[place][1]})" in said(app)
    pick(choose(app, "tokens_view", "tokens"), -1, -1)
    assert "tokens_place" not in app.query_params and data(app, "token_chips")["chosen"] is None
    pick(app, 1, 1)
    assert app.query_params["tokens_line"] == "word"
    assert "to_embedding" not in {each.key for each in app.button}  # no vector: it is of no checkpoint
    pick(app, 0, len(ours) - 1)
    assert "is a special token" in said(app)
    enter(app, "tokens_box", "Ben: good morning")
    assert data(app, "token_chips")["chosen"] is None and "tokens_place" not in app.query_params


def test_a_typed_export_is_recognised_and_can_be_read_as_it_stands(app):
    chat = "12.03.25, 21:13 - Anna added Ben\n12.03.25, 21:14 - Anna: Which hat?\n12.03.25, 21:15 - Ben: My goat."
    arrive(app, tokens_of="own", tokens_text="Ben: good morning")
    assert "tokens_reading" not in app.session_state
    enter(app, "tokens_box", chat)
    assert "WhatsApp chat, 2 speakers, 2 turns; left out: 1 notice." in said(app).replace("\\", "")
    assert [id for _, id, _ in chips(app, 0)] == encoded("Anna: Which hat?\nBen: My goat.").ids
    choose(app, "tokens_reading", "dialogue")
    assert [id for _, id, _ in chips(app, 0)] == encoded(chat).ids and app.text_area(key="tokens_box").value == chat
    enter(app, "tokens_box", '{"kind": [1]}')  # no dialogue, and yet tokens
    assert [id for _, id, _ in chips(app, 0)] == encoded('{"kind": [1]}').ids


def test_texts_that_leave_little_or_nothing(app):
    arrive(app, tokens_of="own", tokens_text="  \n ")
    for view in ("merges", "length", "embedding", "forcing", "tokens"):
        choose(app, "tokens_view", view)
        assert "Type at least one character" in said(app) and not app.metric
    for text in ("?!… §", "😀👩‍👩‍👧‍👦"):
        enter(app, "tokens_box", text)
        assert [id for _, id, _ in chips(app, 0)] == encoded(text).ids
        assert data(app, "token_chips")["lines"] == ["BPE"] and "Words: nothing is left of this text" in said(app)
    choose(app, "tokens_view", "merges")
    assert "It finds no word" in said(app)
    choose(choose(app, "tokens_of", "dialogue"), "input", "paste")
    assert "No dialogue is chosen yet" in said(app)


def test_texts_that_are_long(app):
    arrive(app, tokens_of="own", tokens_text="\n".join(f"K{letter}: hello" for letter in "abcdefghijkl"))
    assert "12 people speak, and there are 9 tags: the first 9 who speak get them, 3 other names are" in said(app)
    text = "Anna: hello there you\nBen: I am fine, thanks\n" * 1000
    enter(app, "tokens_box", text)
    ours = encoded(text)
    assert 800 <= len(chips(app, 0)) <= 801
    assert f"Shown are the first {ours.tokens[800].start:,} of {len(text):,} characters" in said(app)
    assert "Links hold 600 characters of it" in said(app) and "tokens_text" not in app.query_params
    assert f"The model reads 192 tokens at most, and these are {len(ours.ids):,}" in said(app)
    choose(app, "tokens_view", "length")
    assert chart(app, "kept_turns_picture")["layout"]["height"] < 1000
    enter(app, "tokens_box", "a" * 200_001, may_refuse=True)
    assert "Received: 200,001 characters" in said(app) and len(app.text_area(key="tokens_box").value) == 200_001


# The other views -----------------------------------------------------------------------------------------------------


def test_the_word_of_most_tokens_is_merged_first_and_any_other_word_on_demand(app):
    arrive(app, tokens_view="merges")
    (word, *_) = pieced_words(encoded(FIRST), FIRST, 60)
    assert list(table(app, "Symbols")["Symbols"])[-1].count(" | ") == len(tiny().tokenizer.encode_summary(word)) - 2
    offered = [each.label for each in app.button if (each.key or "").startswith("offered_")]
    assert len(offered) == 8 and "merged_word" not in app.query_params
    press(app, "offered_3")
    assert app.query_params["merged_word"] == offered[3].replace("\\", "")
    for word in ("<b>$x$</b>", "hello"):
        enter(app, "merged_word", word)
        ids = ", ".join(map(str, tiny().tokenizer.encode_summary(word)[:-1]))
        assert f"Ids: {ids}. The tokenizer itself, asked for this word, gives the same." in said(app)
    assert f"It finds hello (id {WORDS.encode_summary('hello')[0]})." in said(app)


def test_what_a_length_keeps_is_what_the_tokenizer_keeps(app):
    arrive(app, tokens_view="length", pad_to=193)
    assert "The model has 192 source positions: its sinusoids could be computed for more" in said(app)
    for length, side in ((2, "start"), (60, "end"), (192, "start")):
        app.number_input(key="pad_to").set_value(length)
        choose(app, "cut_at", side)
        found = encoded(FIRST, None, length, side)
        assert sum(list(table(app, "Tokens left out")["Tokens kept"])[:-1]) == len(found.ids)
        assert list(table(app, "Mask")["Id"]) == [*found.ids, *[0] * (length - len(found.ids))]
        if length == 60:
            assert f"Turns {found.omitted[0] + 1}–{found.omitted[-1] + 1} left out." in said(app)
            assert f"needs {len(encoded(FIRST, WORDS).ids)} positions for the whole text and loses" in said(app)
    assert not app.warning


def test_an_embedding_is_the_row_of_the_weights_and_stands_beside_one_where_the_rule_fails(app, monkeypatch):
    weights, ids = checkpoints.read("tiny").weights["source_embedding/table"], encoded(FIRST).ids
    kinds = (Kind("of a kind", (ids[20], ids[30]), 0.5, 0.1, 0.9, (1, 77)),)
    monkeypatch.setattr(embedding, "_kinds", lambda summarizer: kinds)
    arrive(app, tokens_view="embedding")
    assert ids[int(app.session_state["tokens_place"]) - 1] == ids[20]  # a word of a kind that is near it
    for key, token in (("neighbours_picture", ids[20]), ("exception_picture", ids[30])):
        cosines = [cosine for _, cosine in token_vector(weights, token).nearest]
        near(chart(app, key)["data"][0]["x"], cosines, terms=16)
    assert "comes at rank 77" in said(app) and "Over 1 pair of words of one kind" in said(app)
    enter(app, "tokens_place", 7)
    near(table(app, "Row of the table")["Times √D"], weights[ids[6]] * 4)  # D = 16


def test_the_reference_is_forced_where_the_text_has_one_that_fits(app):
    def shows(steps) -> None:
        ids, drawn = [step.token.id for step in steps], table(app, "Decoder input")
        assert [int(each) for each in drawn["Target id"][: len(ids)]] == ids
        assert [int(each) for each in drawn["Input id"][: len(ids)]] == [1, *ids[:-1]]
        same_network(drawn["Loss (nats)"].dropna(), [-step.log_probability for step in steps], tiny().config)

    paste(app.run(), FIRST, SHORT)
    app.switch_page("pages/tokens.py").run()
    choose(app, "tokens_view", "forcing")
    assert app.selectbox(key="forced_choice").value == 1 and "forced" not in app.query_params
    shows(tiny().force(FIRST, SHORT, DecodeSettings(max_tokens=16)).steps)
    assert f"The summary: {SHORT}" in said(app) and "wrote this summary itself" not in said(app)
    choose(app, "forced_choice", 0)
    shows(decoded().steps)
    assert "The model wrote this summary itself" in said(app)
    choose(app, "input", "example")
    assert f"longer than the model's {tiny().config.max_target_length} target positions" in said(app)


def test_a_word_checkpoint_is_looked_into_and_ours_comes_from_another(app, words):
    arrive(app, checkpoint="words", tokens_view="embedding", tokens_line="word", tokens_place=2)
    row = checkpoints.read("words").weights["source_embedding/table"][encoded(FIRST, WORDS).ids[1]]
    near(table(app, "Row of the table")["Row of the table"], row)
    assert "the summary has a table of its own" in said(app)
    choose(app, "tokens_view", "tokens")
    assert "from the checkpoint tiny" in said(app)
    assert f"from the checkpoint words, {WORDS.size} ids" in said(app) and "learnt just now" not in said(app)
    enter(choose(app, "tokens_view", "length"), "pad_to", 65)
    assert "a position beyond them has no learned vector" in said(app)
    enter(choose(app, "tokens_of", "own"), "tokens_box", "?!")
    assert "leaves nothing of this text: there is nothing to pad or to cut" in said(app)
    choose(app, "tokens_view", "embedding")
    assert "leaves nothing of this text: there is no token to look up" in said(app)
    choose(app, "tokens_view", "forcing", may_refuse=True)
    assert "the dialogue has no words" in said(app).lower()


def test_a_tokenizer_is_learnt_where_no_checkpoint_has_it(app, monkeypatch):
    there = {"tiny": WORDS, "damaged": None, "ours": tiny().tokenizer}

    def read(name: str):
        if there[name] is None:
            raise CheckpointError("damaged")
        return there[name]

    monkeypatch.setattr(checkpoints, "installed", lambda: list(there))
    monkeypatch.setattr(models, "tokenizer", read)
    monkeypatch.setattr(models, "identity", lambda name, file: name)
    assert sources._reader("bpe", "tiny").checkpoint == "ours"  # the damaged one is passed over
    with pytest.raises(CheckpointError):
        sources._reader("bpe", "damaged")
    del there["ours"]
    reader = sources._reader("bpe", "tiny")
    assert reader.checkpoint is None and "pairs of bytes that occur most often" in reader.about
