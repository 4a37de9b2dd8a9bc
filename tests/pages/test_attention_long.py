"""The Attention page on a long dialogue: a model with a word vocabulary, without copying, that reads all of it."""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import DecodeSettings, ModelConfig
from core.service import Summarizer
from core.text.tokenizer import Tokenizer
from core.trace import Summary
from pages.shared.frame import model
from pages.shared.frame.selection import DIALOGUE, Own
from tests.pages.attention import KINDS, NEAR, arrive, given, labels, lines, rolled, sizes
from tests.pages.conftest import ROOT
from tests.pages.driver import captions, choose, data, notes

MEGABYTE = 1_000_000
NAMES = ("Ann", "Ben", "Cy")
TEXT = "\n".join(
    f"{NAMES[turn % 3]}: {' '.join(f'w{(7 * turn + 3 * word) % 90}' for word in range(12))} stop." for turn in range(65)
)
"""65 turns of 13 words: 845, and 65 names."""
MIDDLE = "\n".join(TEXT.splitlines()[:20])
"""280 words and the end: one head can travel as it is, six cannot."""
DECODING = DecodeSettings(strategy="greedy", max_tokens=8, min_tokens=4)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one checkpoint."""
    import keras

    from core.model.transformer import Transformer

    tokenizer = Tokenizer.train_words([TEXT], min_frequency=1)
    config = ModelConfig(
        source_vocabulary=tokenizer.size,
        target_vocabulary=tokenizer.size,
        d_model=16,
        num_heads=6,
        head_dim=4,
        feed_forward_dim=16,
        encoder_layers=2,
        decoder_layers=1,
        max_source_length=1024,
        max_target_length=16,
    )
    keras.utils.set_random_seed(5)
    folder = tmp_path_factory.mktemp("installed")
    card = {"about": "For tests.", "decoding": DECODING.to_dict(), "licence": "none"}
    weights = checkpoints.weights_of(Transformer(config))
    checkpoints.write(folder / "words", config, tokenizer, weights, [], card)
    return folder


@pytest.fixture(scope="module")
def loaded(words: Path) -> Iterator[Summarizer]:
    """The model behind the page, without the thread that compiles lengths ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", words)
        summarizer = Summarizer.load("words")
        done = threading.Event()
        done.set()
        job = SimpleNamespace(name="words", stage=2, seconds=0.0, summarizer=summarizer, error=None, done=done)
        patch.setattr(model, "job", lambda name: job)
        yield summarizer


@pytest.fixture(scope="module")
def summary(loaded: Summarizer) -> Iterator[Summary]:
    """What the page shows: given words, because a search of this length takes long to compile."""
    found = {text: loaded.force(text, "w1 w2 w3 stop w2 w9 stop", DECODING) for text in (TEXT, MIDDLE)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "summary", lambda _, text, *__: found[text])
        yield found[TEXT]


@pytest.fixture
def long(summary: Summary) -> AppTest:
    """The page before its first run, on the long dialogue."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state[DIALOGUE] = Own(TEXT)
    app.query_params["input"] = "paste"
    return app


def test_the_dialogue_is_long_and_read_as_a_whole(summary):
    assert len(TEXT.split()) >= 800 and len(TEXT.splitlines()) == 65
    assert len(summary.source) == 911 and not summary.omitted  # 845 words, 65 names, the end
    assert summary.attention.copy is None


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_stays_small(long, kind):
    arrive(long, kind=kind)
    for view in ("turns", "heads", "inside", "catalogue", "head"):
        choose(long, "see", view)
        assert not long.warning
        assert all(size < MEGABYTE for size in sizes(long).values()), sizes(long)
    choose(long, "head", 6)
    assert all(size < MEGABYTE for size in sizes(long).values()), sizes(long)


def test_heads_that_are_too_much_together_come_alone(long, summary):
    long.session_state[DIALOGUE] = Own(MIDDLE)
    arrive(long, see="head", kind="encoder")
    assert all(size < MEGABYTE for size in sizes(long).values()), sizes(long)
    assert "There is so much here that it is shown by turn." in captions(long)
    assert (data(long, "head_view")["count"], len(labels(long, "head_view"))) == (6, 21)
    choose(long, "head", 5)
    assert "There is so much here that it is one head at a time." in captions(long)
    assert data(long, "head_view")["names"] == ["Head 5"] and len(labels(long, "head_view")) == 281
    assert given(long, "head_view")[0] == pytest.approx(given(long, "attention_matrix"))
    lines(long, locked=[3, 3])
    assert long.query_params["head"] == "5" and data(long, "head_view")["heads"] == [0]


def test_what_was_made_coarser_is_said(long, summary):
    arrive(long, kind="encoder", column_unit="word")
    assert "So many tokens are shown with columns by turn and with rows by turn" in captions(long)
    expected = rolled(summary.attention.encoder_self[1].mean(axis=0), summary, "encoder", ("turn", "turn"))
    assert given(long, "ribbons") == pytest.approx(expected, abs=NEAR)
    choose(long, "see", "head")
    assert "There is so much here that it is shown by turn." in captions(long)
    assert data(long, "head_view")["count"] == 6
    assert given(long, "attention_matrix") == pytest.approx(expected, abs=NEAR)
    assert long.segmented_control(key="by").value == "token"  # what was asked for, for a shorter dialogue


def test_a_kind_with_fewer_layers_shows_its_last_one(long):
    arrive(long, kind="cross", layer=2)
    assert "asks for layer 2, which does not exist here (possible: 1 to 1)" in notes(long).replace("\\", "")
    assert data(long, "ribbons")["title"] == "Cross-attention, layer 1, mean of the heads"
    choose(choose(long, "kind", "encoder"), "layer_choice", 1)
    choose(long, "kind", "cross")
    assert data(long, "ribbons")["title"] == "Cross-attention, layer 1, mean of the heads"


def test_a_token_far_down_can_be_linked(long, summary):
    arrive(long, see="inside", kind="encoder", head=1, layer=1, token=900)
    assert long.query_params["token"] == "900"
    row = summary.attention.encoder_self[0, 0, 899]
    frame = next(each.value for each in long.dataframe if "Weight" in each.value.columns)
    assert list(frame["Weight"]) == pytest.approx(list(map(float, row)), abs=1e-5)
