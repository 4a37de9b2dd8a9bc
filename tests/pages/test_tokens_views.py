"""Merges, length, embedding and teacher forcing on the Tokens page, against direct calls."""

import json
import math
import shutil

import numpy as np
import pytest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.errors import CheckpointError
from core.explain.embedding import token_vector
from core.figures.tokens import readable
from core.model.transformer import Transformer
from core.text.examples import load_examples
from core.text.merges import Merges
from pages.parts.tokens import sources
from pages.shared import model
from tests.pages.conftest import SECONDS
from tests.pages.driver import FIRST, captions, chart, decoded, noted, press, table, tiny
from tests.pages.tokens import TEXTS, WORDS, arrive, bpe, embedding_table, encoded, own, show, type_own

REFERENCES = load_examples()[0].references


def rows(app) -> list[str]:
    """The symbols of each step, as the table of the merges has them."""
    return list(table(app, "Symbols")["Symbols"])


@pytest.mark.parametrize("word", ["unbelievable", "Größe", "😀", "don't", "a", "#Person1#", "<b>$x$</b>"])
def test_the_merges_of_a_word_end_in_its_tokens(app, word):
    arrive(app, tokens_view="merges", merged_word=word)
    found = Merges(bpe()).apply(word)
    assert rows(app) == [" | ".join(map(readable, step.symbols)) for step in found.steps]
    assert list(found.ids) == bpe().encode_summary(word)[:-1]
    ids = ", ".join(map(str, found.ids))
    assert f"Ids: {ids}. The tokenizer itself, asked for this word, gives the same." in captions(app)
    assert chart(app, "merges_picture")["layout"]["yaxis"]["ticktext"][0] == "bytes"


def test_another_word_has_other_merges_and_a_vocabulary_of_words_has_none(app):
    arrive(app, tokens_view="merges", merged_word="hello")
    before = rows(app)
    assert f"It finds hello (id {WORDS.encode_summary('hello')[0]})." in captions(app)
    app.text_input(key="merged_word").set_value("Zyx!").run()
    assert rows(app) != before and app.query_params["merged_word"] == "Zyx!"
    assert "It finds [UNK] (id 3)." in captions(app)
    app.text_input(key="merged_word").set_value("!?").run()
    assert "It finds nothing: all of it is filtered." in captions(app)


def test_without_a_choice_the_word_of_most_tokens_is_taken_apart(app):
    arrive(app, tokens_view="merges")
    sizes: dict[int, int] = {}
    for token in encoded(FIRST).tokens:
        if token.id >= 14 and token.end > token.start:
            sizes[token.word] = sizes.get(token.word, 0) + 1
    assert len(rows(app)[-1].split(" | ")) == max(sizes.values())
    offered = [each.label for each in app.button if (each.key or "").startswith("offered_")]
    assert len(offered) == 8 and "merged_word" not in app.query_params
    press(app, "offered_3")
    assert app.query_params["merged_word"] == offered[3].replace("\\", "")


def test_a_word_beyond_the_limit_of_a_link_is_left_out(app):
    arrive(app, tokens_view="merges", merged_word="x" * 61)
    assert "allowed: 60 characters" in noted(app) and "merged_word" not in app.query_params
    app.text_input(key="merged_word").set_value("x" * 60).run()
    assert rows(app)[0].count("x") == 60


def test_symbols_alone_can_be_merged(app):
    own(app, "😀?!", tokens_view="merges")
    assert rows(app)[0].startswith("20 | F0") or rows(app)[0].startswith("·")
    assert "It finds nothing" in captions(app)


def kept(app) -> dict[str, list]:
    found = table(app, "Left out")
    return {name: list(found[name]) for name in found.columns}


@pytest.mark.parametrize("side", ["start", "middle", "end"])
@pytest.mark.parametrize("length", [2, 30, 128, 300])
def test_what_a_length_keeps_is_what_the_tokenizer_keeps(app, length, side):
    arrive(app, tokens_view="length", pad_to=length, cut_at=side)
    whole, found = encoded(FIRST), encoded(FIRST, None, length, side)
    counts = [sum(token.turn == turn.index and token.id not in (2, 4) for token in found.tokens)
              for turn in whole.dialogue.turns]  # fmt: skip
    marks = sum(token.id in (2, 4) for token in found.tokens)
    assert kept(app)["Kept"] == [*counts, marks, length - len(found.ids)] and sum(kept(app)["Kept"]) == length
    ids = list(table(app, "Mask")["Id"])
    assert ids == [*found.ids, *[0] * (length - len(found.ids))] and list(table(app, "Mask")["Mask"]) == [
        int(each != 0) for each in ids
    ]
    lost = [kept(app)["Turn"][place] for place, each in enumerate(counts) if not each]
    assert len(lost) == len(found.omitted)
    if not lost:
        assert "Nothing is left out." in captions(app)


def test_the_limits_of_the_model_are_said(app):
    arrive(app, tokens_view="length", pad_to=193)
    assert "The model has 192 source positions: its sinusoids could be computed for more" in app.warning[0].value
    app.number_input(key="pad_to").set_value(192).run()
    assert not app.warning and app.query_params["pad_to"] == "192"
    app.number_input(key="pad_to").set_value(2).run()
    assert "Length 2 is the shortest: one token and [EOS]." in app.info[0].value


def test_turns_that_are_lost_are_named_and_the_words_are_compared(app):
    arrive(app, tokens_view="length", pad_to=60, cut_at="end")
    found, words = encoded(FIRST, None, 60, "end"), encoded(FIRST, WORDS, 60, "end")
    first, last = found.omitted[0] + 1, found.omitted[-1] + 1
    assert f"Turns {first}–{last} left out." in captions(app)
    size, lost = len(encoded(FIRST, WORDS).ids), len(words.omitted) + len(words.shortened)
    assert f"needs {size} places for the whole text and loses or cuts {lost} turns" in captions(app)
    app.segmented_control(key="cut_at").set_value("start").run()
    assert f"Turns {first}–{last} left out." not in captions(app) and app.query_params["cut_at"] == "start"


def test_a_long_text_has_one_row_for_turns_of_one_fate(app):
    own(app, "Anna: hi")
    type_own(app, "Anna: hello there you\nBen: I am fine, thanks\n" * 1100)
    show(app, "length")
    assert chart(app, "kept_turns_picture")["layout"]["height"] < 1000
    assert sum(kept(app)["Kept"]) == 128 and len(kept(app)["Turn"]) == 2202


def test_an_embedding_is_the_row_of_the_weights(app):
    arrive(app, tokens_view="embedding", tokens_place=7)
    token = encoded(FIRST).ids[6]
    found = token_vector(embedding_table(), token)
    drawn = table(app, "Row of the table")
    assert list(drawn["Row of the table"]) == pytest.approx(list(embedding_table()[token]))
    assert list(drawn["Times √D"]) == pytest.approx(list(embedding_table()[token] * 4))  # D = 16
    near = table(app, "Cosine")
    assert list(near["Id"]) == [each for each, _ in found.nearest]
    assert list(near["Cosine"]) == pytest.approx([cosine for _, cosine in found.nearest])
    assert f"(id {token}) has length {found.norm:.2f}, rank {found.norm_rank} of {bpe().size}" in captions(app)
    before = captions(app)
    app.number_input(key="tokens_place").set_value(9).run()
    assert app.query_params["tokens_place"] == "9" and captions(app) != before


def test_the_cosines_are_those_of_the_weights(app):
    arrive(app, tokens_view="embedding", tokens_place=7)
    weights, token = embedding_table().astype(np.float64), encoded(FIRST).ids[6]
    for other, cosine in zip(table(app, "Cosine")["Id"], table(app, "Cosine")["Cosine"], strict=True):
        one, two = weights[token], weights[other]
        assert cosine == pytest.approx(one @ two / np.sqrt((one @ one) * (two @ two)))


def test_without_a_choice_a_word_is_looked_up(app):
    arrive(app, tokens_view="embedding")
    tokens = encoded(FIRST).tokens
    place = int(app.session_state["tokens_place"])
    assert len(tokens[place - 1].text) > 2 and tokens[place - 1].text.isalpha()
    own(app, "a", tokens_view="embedding", tokens_place=3)


def test_a_place_beyond_the_text_is_noted(app):
    own(app, "a", tokens_view="embedding", tokens_place=3)
    assert "asks for token 3; there are 2 here" in noted(app) and app.session_state["tokens_place"] == 1


def forced(app, steps) -> None:
    """The table is teacher forcing of these steps."""
    drawn = table(app, "Decoder input")
    source = encoded(FIRST, None, 192)
    assert list(drawn["Encoder id"])[: len(source.ids)] == source.ids
    ids = [step.token.id for step in steps]
    assert [int(each) for each in drawn["Target id"][: len(ids)]] == ids
    assert [int(each) for each in drawn["Input id"][: len(ids)]] == [1, *ids[:-1]]
    assert drawn["Decoder input"][0] == "[SOS]"
    losses = [-step.log_probability for step in steps]
    assert list(drawn["Loss (nats)"][: len(ids)]) == pytest.approx(losses)
    mean = sum(losses) / len(losses)
    said = captions(app)
    assert f"The mean loss of {len(ids)} positions is {mean:.2f} nats" in said
    assert f"e^{mean:.2f} = {math.exp(mean):,.0f};" in said or f"e^{mean:.2f} = {math.exp(mean):.2f};" in said
    assert f"ln {bpe().size} = {math.log(bpe().size):.2f} nats" in said
    assert list(chart(app, "forcing_picture")["data"][0]["y"]) == pytest.approx(losses)


def test_teacher_forcing_of_the_model_and_of_a_reference(app):
    arrive(app, tokens_view="forcing")
    forced(app, decoded().steps)
    app.selectbox(key="forced").set_value(2).run()
    assert app.query_params["forced"] == "2"
    settings = DecodeSettings(max_tokens=16)
    try:
        steps = tiny().force(FIRST, REFERENCES[1], settings).steps
    except ValueError:
        assert "too long" in app.error[0].value
    else:
        forced(app, steps)


def test_a_short_reference_is_forced(app):
    arrive(app)
    app.switch_page("pages/summarize.py").run()
    app.segmented_control(key="input").set_value("paste").run()
    app.text_area(key="paste_box").set_value(FIRST)
    app.text_area(key="reference_box").set_value("Anna lost a suitcase.")
    next(each for each in app.button if each.label == "Summarize").click().run()
    arrive(app, tokens_view="forcing")
    app.segmented_control(key="tokens_view").set_value("forcing").run()
    app.selectbox(key="forced").set_value(1).run()
    forced(app, tiny().force(FIRST, "Anna lost a suitcase.", DecodeSettings(max_tokens=16)).steps)
    assert "The summary: Anna lost a suitcase." in captions(app)


def test_a_reference_that_is_not_there_is_noted(app):
    own(app, "Anna: hello you\nBen: yes", tokens_view="forcing", forced=1)
    assert "asks for reference 1; this text has 0" in noted(app)
    summary = tiny().summarize("Anna: hello you\nBen: yes", DecodeSettings(max_tokens=16))
    assert list(table(app, "Decoder input")["Loss (nats)"].dropna()) == pytest.approx(
        [-step.log_probability for step in summary.steps]
    )


@pytest.fixture
def words_installed(folder, tmp_path, monkeypatch):
    """A folder with `tiny` and an untrained word-level checkpoint `words`."""
    import keras

    shutil.copytree(folder / "tiny", tmp_path / "tiny")
    config = ModelConfig(
        source_vocabulary=WORDS.size, target_vocabulary=WORDS.size, d_model=8, num_heads=2, feed_forward_dim=8,
        encoder_layers=1, decoder_layers=1, max_source_length=64, max_target_length=12, positions="learned",
    )  # fmt: skip
    keras.utils.set_random_seed(1)
    card = {"about": "Words.", "decoding": DecodeSettings(max_tokens=8, strategy="greedy").to_dict(), "licence": "none"}
    checkpoints.write(tmp_path / "words", config, WORDS, checkpoints.weights_of(Transformer(config)), [], card)
    return tmp_path


def test_an_installed_word_checkpoint_gives_the_words(app, words_installed, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", words_installed)
    arrive(app)
    assert f"from the checkpoint words, {WORDS.size} ids" in captions(app)
    assert "learnt just now" not in captions(app)


def test_a_word_checkpoint_is_looked_into_and_ours_comes_from_another(app, words_installed, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", words_installed)
    job = model.job("words")
    assert job.done.wait(SECONDS) and job.error is None
    arrive(app, checkpoint="words", tokens_view="embedding", tokens_line="word", tokens_place=2)
    weights = job.summarizer.checkpoint.weights["source_embedding/table"]
    token = encoded(FIRST, WORDS).ids[1]
    assert list(table(app, "Row of the table")["Row of the table"]) == pytest.approx(list(weights[token]))
    assert "the summary has a table of its own" in captions(app)
    show(app, "tokens")
    assert "from the checkpoint tiny" in captions(app) and "from the checkpoint words" in captions(app)
    app.segmented_control(key="tokens_view").set_value("length").run()
    app.number_input(key="pad_to").set_value(65).run()
    assert "a position beyond them has no learned vector" in app.warning[0].value
    job.thread.join(SECONDS)


def test_symbols_alone_give_a_word_checkpoint_nothing(app, words_installed, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", words_installed)
    model.job("words").thread.join(SECONDS)
    own(app, "?!", checkpoint="words", tokens_view="length", pad_to=64)
    assert "leaves nothing of this text" in app.warning[0].value
    show(app, "embedding")
    assert "leaves nothing of this text" in app.warning[0].value
    app.segmented_control(key="tokens_view").set_value("forcing").run()
    assert "the dialogue has no words" in app.error[0].value.lower()


def test_a_damaged_checkpoint_beside_the_chosen_one_is_passed_over(app, words_installed, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", words_installed)
    (words_installed / "words" / "tokenizer.json").write_text("{}")
    card = json.loads((words_installed / "words" / "card.json").read_text())
    card["sha256"]["tokenizer.json"] = "damaged"
    (words_installed / "words" / "card.json").write_text(json.dumps(card))
    arrive(app)
    assert "learnt just now" in captions(app)
    with pytest.raises(CheckpointError):
        sources._reader("bpe", "words")


def test_ours_is_learnt_where_no_checkpoint_has_it(words_installed, monkeypatch):
    monkeypatch.setattr(checkpoints, "FOLDER", words_installed)
    shutil.rmtree(words_installed / "tiny")
    reader = sources._reader("bpe", "words")
    assert reader.checkpoint is None and reader.kind == "bpe" and reader.tokenizer.size == 2000
    assert f"{sum(len(text.split()) for text in TEXTS):,} words in all (pairs of bytes" in reader.about
