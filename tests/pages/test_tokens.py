"""The Tokens page: its views show what the core computes, its link and its texts are checked."""

import json
import shutil
from functools import partial
from types import SimpleNamespace

import pytest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.errors import CheckpointError
from core.explain.embedding import Kind, token_vector
from core.model.transformer import Transformer
from core.service import Summarizer
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.text.learnt import learn
from core.text.losses import losses
from core.text.merges import pieced_words
from core.text.tokenizer import EncodedDialogue, Tokenizer
from pages.parts.tokens import embedding, sources
from pages.shared.frame import model
from tests.pages.conftest import paste
from tests.pages.driver import (
    FIRST,
    captions,
    chart,
    choose,
    data,
    decoded,
    element,
    enter,
    noted,
    open_link,
    press,
    table,
    tiny,
    trigger,
)  # fmt: skip

arrive = partial(open_link, "pages/tokens.py")
WORDS, LEARNT = learn("word")
"""The word-level tokenizer that the page learns where no checkpoint has one."""
SHORT = "Anna lost a suitcase."


def own(app, text: str, **link: object):
    """Open the page with a text of one's own."""
    return arrive(app, tokens_of="own", tokens_text=text, **link)


def pick(app, line: int, index: int):
    """Lock a chip; -1 twice releases."""
    return trigger(app, "token_chips", "pick", {"line": line, "index": index})


def encoded(text: str, tokenizer: Tokenizer | None = None, *limits) -> EncodedDialogue:
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
    assert found["→ Tokens"] == f"{len(ours.ids):,}" and found["→ Turns"] == str(len(ours.dialogue.turns))
    assert found["→ Embedding"] == f"{len(ours.ids):,} × 16"
    assert list(table(app, "Ours")["Words"])[3] == losses(words, "word").unknown
    assert f"Ours: {len(ours.ids)} tokens, " in captions(app)


# Tokens --------------------------------------------------------------------------------------------------------------


def test_a_token_is_locked_leads_to_its_word_and_vector_and_is_forgotten_with_its_text(app):
    arrive(app)
    matches(app, FIRST)
    assert app.query_params == {} and f"from the checkpoint tiny, {tiny().tokenizer.size} ids" in captions(app)
    assert f"{LEARNT}." in captions(app)
    text = "Zoë: It is unbelievable 😀\nTom: <b>YES</b> $5"
    choose(app, "tokens_of", "own")
    enter(app, "tokens_box", text)
    matches(app, text)
    ours = chips(app, 0)
    assert ours[0] == ("#Person1#", 5, "tag") and ours[-1] == ("[EOS]", 2, "mark")
    assert not [each for each in app.markdown if "<b>" in each.value.replace("\\<", "")]
    drawn = json.loads(element(app, "bidi_component", "lost_word").proto.json)["changes"]
    after = "".join(text for kind, text in drawn if kind != "removed")
    assert after.split() == WORDS.decode(encoded(text, WORDS).ids)[0].split()
    place = next(index for index, (text, _, _) in enumerate(ours) if text.startswith("·u"))
    pick(app, 0, place)
    assert app.query_params["tokens_place"] == str(place + 1) and data(app, "token_chips")["chosen"] == [0, place]
    assert any("of the word “unbelievable”" in each.value for each in app.markdown)
    press(app, "to_merges")
    assert app.query_params["tokens_view"] == "merges" and app.query_params["merged_word"] == "unbelievable"
    press(choose(app, "tokens_view", "tokens"), "to_embedding")
    assert f"(id {ours[place][1]})" in captions(app)
    pick(choose(app, "tokens_view", "tokens"), -1, -1)
    assert "tokens_place" not in app.query_params and data(app, "token_chips")["chosen"] is None
    pick(app, 1, 1)
    assert app.query_params["tokens_line"] == "word"
    assert not [each for each in app.button if each.key == "to_embedding"]  # no vector: it is of no checkpoint
    pick(app, 0, len(ours) - 1)
    assert any("is a special token" in each.value for each in app.markdown)
    enter(app, "tokens_box", "Ben: good morning")
    assert data(app, "token_chips")["chosen"] is None and "tokens_place" not in app.query_params


def test_a_link_that_asks_in_vain(app):
    own(app, "a", tokens_place=99, tokens_view="nonsense", pad_to=1, forced=2, merged_word="x" * 61)
    assert [text for text, _, _ in chips(app, 0)] == ["·a", "[EOS]"]
    assert "No speakers were found here" in captions(app)
    assert "asks for token 99; there are 2 here (Ours)" in noted(app) and "tokens_place" not in app.query_params
    assert all(name in noted(app) for name in ("tokens_view=nonsense", "pad_to=1", "allowed: 60 characters"))
    choose(app, "tokens_view", "forcing")
    assert "asks for reference 2; this text has 0 that can be used" in noted(app)


def test_texts_that_leave_little_or_nothing(app):
    own(app, "  \n ")
    for view in ("merges", "length", "embedding", "forcing", "tokens"):
        choose(app, "tokens_view", view)
        assert "Type at least one character" in app.info[0].value and not app.metric
    for text in ("?!… §", "😀👩‍👩‍👧‍👦"):
        enter(app, "tokens_box", text)
        assert [id for _, id, _ in chips(app, 0)] == encoded(text).ids
        assert data(app, "token_chips")["lines"] == ["Ours"]
        assert "Words: nothing is left of this text" in app.warning[0].value
    choose(app, "tokens_view", "merges")
    assert "It finds nothing" in captions(app)
    choose(app, "tokens_of", "dialogue")
    choose(app, "input", "paste")
    assert "No dialogue is chosen yet" in app.info[0].value


def test_texts_that_are_long(app):
    own(app, "\n".join(f"K{letter}: hello" for letter in "abcdefghijkl"))
    assert [kind for _, _, kind in chips(app, 0)].count("tag") == 9
    assert "12 people speak, and there are 9 tags: the first 9 who speak get them, 3 other names are" in captions(app)
    text = "Anna: hello there you\nBen: I am fine, thanks\n" * 1100
    enter(app, "tokens_box", text)
    ours = encoded(text)
    assert 800 <= len(chips(app, 0)) <= 801
    assert f"Shown are the first {ours.tokens[800].start:,} of {len(text):,} characters" in captions(app)
    assert "Links hold 600 characters of it" in captions(app) and "tokens_text" not in app.query_params
    assert f"The model reads 192 tokens at most, and these are {len(ours.ids):,}" in captions(app)
    choose(app, "tokens_view", "length")
    assert chart(app, "kept_turns_picture")["layout"]["height"] < 1000
    found = table(app, "Left out")
    assert sum(found["Kept"]) == 128 and len(found["Turn"]) == 2202
    enter(app, "tokens_box", "a" * 200_001, may_refuse=True)
    assert "Received: 200,001 characters" in app.error[0].value.replace("\\", "")
    assert len(app.text_area(key="tokens_box").value) == 200_001


# Merges and length ---------------------------------------------------------------------------------------------------


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
        assert f"Ids: {ids}. The tokenizer itself, asked for this word, gives the same." in captions(app)
    assert f"It finds hello (id {WORDS.encode_summary('hello')[0]})." in captions(app)


def test_what_a_length_keeps_is_what_the_tokenizer_keeps(app):
    arrive(app, tokens_view="length", pad_to=193)
    assert "The model has 192 source positions: its sinusoids could be computed for more" in app.warning[0].value
    for length, side in ((2, "start"), (60, "end"), (192, "start")):
        app.number_input(key="pad_to").set_value(length)
        choose(app, "cut_at", side)
        found = encoded(FIRST, None, length, side)
        ids, free = found.ids, length - len(found.ids)
        assert sum(list(table(app, "Left out")["Kept"])[:-1]) == len(ids)
        assert list(table(app, "Mask")["Id"]) == [*ids, *[0] * free]
        assert list(table(app, "Mask")["Mask"]) == [1] * len(ids) + [0] * free
        if length == 60:
            lost = encoded(FIRST, WORDS, length, side).omitted
            assert f"Turns {found.omitted[0] + 1}–{found.omitted[-1] + 1} left out." in captions(app)
            assert f"needs {len(encoded(FIRST, WORDS).ids)} positions for the whole text" in captions(app) and lost
    assert not app.warning and app.query_params["pad_to"] == "192" and app.query_params["cut_at"] == "start"


# Embedding and teacher forcing ---------------------------------------------------------------------------------------


def test_an_embedding_is_the_row_of_the_weights_and_stands_beside_one_where_the_rule_fails(app, monkeypatch):
    weights, ids = tiny().checkpoint.weights["source_embedding/table"], encoded(FIRST).ids
    kinds = (Kind("of a kind", (ids[20], ids[30]), 0.5, 0.1, 0.9, (1, 77)),)
    monkeypatch.setattr(embedding, "_kinds", lambda summarizer: kinds)
    arrive(app, tokens_view="embedding")
    assert ids[int(app.session_state["tokens_place"]) - 1] == ids[20]  # a word of a kind that is near it
    for key, token in (("neighbours_picture", ids[20]), ("exception_picture", ids[30])):
        cosines = [cosine for _, cosine in token_vector(weights, token).nearest]
        assert list(chart(app, key)["data"][0]["x"]) == pytest.approx(cosines)
    assert any("comes at rank 77" in each.value for each in app.markdown)
    assert f"(id {ids[20]}) has length" in captions(app) and "Over 1 pair of words of one kind" in captions(app)
    enter(app, "tokens_place", 7)
    assert list(table(app, "Row of the table")["Times √D"]) == pytest.approx(list(weights[ids[6]] * 4))  # D = 16
    assert app.query_params["tokens_place"] == "7"


def test_the_reference_is_forced_where_the_text_has_one_that_fits(app):
    def shows(steps) -> None:
        ids = [step.token.id for step in steps]
        drawn = table(app, "Decoder input")
        assert [int(each) for each in drawn["Target id"][: len(ids)]] == ids
        assert [int(each) for each in drawn["Input id"][: len(ids)]] == [1, *ids[:-1]]
        assert list(drawn["Loss (nats)"].dropna()) == pytest.approx([-step.log_probability for step in steps])

    paste(app.run(), FIRST, SHORT)
    app.switch_page("pages/tokens.py").run()
    choose(app, "tokens_view", "forcing")
    assert app.selectbox(key="forced_choice").value == 1 and "forced" not in app.query_params
    shows(tiny().force(FIRST, SHORT, DecodeSettings(max_tokens=16)).steps)
    assert f"The summary: {SHORT}" in captions(app) and "wrote this summary itself" not in captions(app)
    choose(app, "forced_choice", 0)
    shows(decoded().steps)
    assert app.query_params["forced"] == "0" and "The model wrote this summary itself" in captions(app)
    choose(app, "input", "example")
    longest = tiny().config.max_target_length
    fits = [len(tiny().tokenizer.encode_summary(each)) <= longest for each in load_examples()[0].references]
    assert not all(fits) and f"longer than the model's {longest} target positions" in captions(app)


# Other checkpoints ---------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    return tmp_path


def test_a_word_checkpoint_is_looked_into_and_ours_comes_from_another(app, words_installed, monkeypatch):
    summarizer = Summarizer(checkpoints.read("words"))
    monkeypatch.setattr(model, "job", lambda name: SimpleNamespace(summarizer=summarizer, error=None))
    arrive(app, checkpoint="words", tokens_view="embedding", tokens_line="word", tokens_place=2)
    row = summarizer.checkpoint.weights["source_embedding/table"][encoded(FIRST, WORDS).ids[1]]
    assert list(table(app, "Row of the table")["Row of the table"]) == pytest.approx(list(row))
    assert "the summary has a table of its own" in captions(app)
    choose(app, "tokens_view", "tokens")
    assert "from the checkpoint tiny" in captions(app)
    assert f"from the checkpoint words, {WORDS.size} ids" in captions(app) and "learnt just now" not in captions(app)
    enter(choose(app, "tokens_view", "length"), "pad_to", 65)
    assert "a position beyond them has no learned vector" in app.warning[0].value
    enter(choose(app, "tokens_of", "own"), "tokens_box", "?!")
    assert "leaves nothing of this text" in app.warning[-1].value
    choose(app, "tokens_view", "embedding")
    assert "leaves nothing of this text" in app.warning[0].value
    choose(app, "tokens_view", "forcing", may_refuse=True)
    assert "the dialogue has no words" in app.error[0].value.lower()


def test_a_tokenizer_is_learnt_where_no_checkpoint_has_it(words_installed):
    def hash_as(name: str, digest: str) -> None:  # what is read once is told apart by its hash
        file = words_installed / name / "card.json"
        card = json.loads(file.read_text())
        card["sha256"]["tokenizer.json"] = digest
        file.write_text(json.dumps(card))

    (words_installed / "words" / "tokenizer.json").write_text("{}")
    hash_as("words", "damaged")
    assert sources._reader("word", "tiny").checkpoint is None  # the damaged one is passed over
    with pytest.raises(CheckpointError):
        sources._reader("bpe", "words")
    shutil.rmtree(words_installed / "words")
    WORDS.save(words_installed / "tiny" / "tokenizer.json")
    hash_as("tiny", "words")
    reader = sources._reader("bpe", "tiny")
    assert reader.checkpoint is None and "pairs of bytes that occur most often" in reader.about
