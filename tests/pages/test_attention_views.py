"""The value type of the Attention page: labels, packing, roll-ups, and what the components are handed."""

from base64 import b64decode

import numpy as np
import pytest

from core.config import END, START, TURN
from core.explain.heads import input_tokens
from core.explain.sinks import category
from core.text.dialogue import parse_dialogue
from core.trace import Token
from pages.parts.attention.attention_matrix import matrix_data
from pages.parts.attention.head_grid import grid_data, pooled
from pages.parts.attention.head_view import view_data
from pages.parts.attention.ribbons import ribbon_data
from pages.parts.attention.view import AttentionView, held
from pages.parts.attention.weights import Weights, labels, packed, texts
from tests.pages.attention import KINDS, rolled, sides, trace, without_sinks
from tests.pages.driver import decoded

TOKENS = (
    Token("Anna", 40, 0, 4, 0, "Anna", 0),
    Token(" the", 41, 5, 9, 0, "Anna", 1),
    Token("re", 42, 9, 11, 0, "Anna", 1),
    Token("[TURN]", TURN, 11, 11, 0, "Anna", 2),
    Token("<b>", 43, 12, 15, 1, "Ben", 3),
    Token("the", 44, 16, 19, 1, "Ben", 4),
    Token("[EOS]", END, 19, 19, 1, None, 5),
)
LABELS = labels(TOKENS, "token")
TURNS = labels(TOKENS, "turn", parse_dialogue("Anna: there\nBen: <b> the"))


def unpacked(text: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), dtype="<u2") / 65535


def weights(*shape: int, rows=LABELS[:2], columns=LABELS, **more) -> Weights:
    return Weights("cross", "layer 3, head 2", np.full(shape, 1 / 7, dtype=np.float32), rows, columns, **more)


def test_packed_weights_come_back_as_little_endian_rows():
    values = np.random.default_rng(3).random((2, 3, 50)).astype(np.float32)
    assert np.abs(unpacked(packed(values)) - values.ravel()).max() < 1e-5
    small = np.array([[0.0, 1.0], [0.25, 1.00001]], dtype=np.float32)  # the last one: a sum after rounding
    assert b64decode(packed(small.T)).hex(" ", 2) == "0000 0040 ffff ffff"
    for wrong in (1.2, -0.1, np.nan):
        with pytest.raises(ValueError, match=r"from 0 to 1\. Received: from"):
            packed(np.array([0.5, wrong]))


def test_labels_of_tokens_words_turns_and_speakers():
    assert [each.text for each in LABELS] == ["Anna", "the", "re", "⏎ turn", "<b>", "the", "end"]
    assert [each.turn for each in LABELS] == [0, 0, 0, 0, 1, 1, None]  # the end belongs to no turn
    assert [each.special for each in LABELS] == [False, False, False, True, False, False, True]
    assert [each.joined for each in LABELS] == [False, False, True, False, False, False, False]
    assert [each.text for each in labels(TOKENS, "word")] == ["Anna", "there", "⏎ turn", "<b>", "the", "end"]
    assert [(each.text, each.turn, each.speaker) for each in TURNS] == [
        ("turn 1", 0, "Anna"), ("turn 2", 1, "Ben"), ("end", None, None)
    ]  # fmt: skip
    speakers = labels(TOKENS, "speaker")
    assert [(each.text, each.last) for each in speakers] == [("Anna", 3), ("Ben", 5), ("end", 6)]
    apart = labels([TOKENS[0], TOKENS[4], TOKENS[1]], "speaker")[0]
    assert apart.members == (0, 2) and apart.last == 0  # with another's turn between, its first token alone
    assert labels([Token("[SOS]", START, 0, 0, None, None, -1)], "token")[0].text == "start"
    written = labels([Token("[EOS]", 99, 0, 5, 0, None, 0)], "token")[0]  # typed, not a special token
    assert written.text == "[EOS]" and not written.special


def test_texts_of_sentences_and_tables():
    assert texts(LABELS) == ["Anna", "the · 2", "re", "⏎ turn", "<b>", "the · 6", "the end"]
    assert texts(TURNS) == ["1 · Anna: there", "2 · Ben: <b> the", "the end"]


def test_what_all_components_draw():
    drawn = weights(2, 7).data()
    assert drawn["title"] == "Cross-attention, layer 3, head 2" and drawn["speakers"] == ["Anna", "Ben"]
    assert drawn["axes"] == ("Summary, being written", "Dialogue, looked at") and not drawn["causal"]
    names = [each["name"] for each in drawn["columns"]]
    assert names == ["“Anna”", "“the · 2”", "“re”", "⏎ turn", "“<b>”", "“the · 6”", "end"]
    assert [each["group"] for each in drawn["columns"]] == [1, 1, 1, 1, 2, 2, None]
    assert [each["speaker"] for each in drawn["columns"]] == [0, 0, 0, 0, 1, 1, -1]
    turns = weights(2, 3, columns=TURNS).data()["columns"]
    assert [(each["name"], each["detail"]) for each in turns] == [
        ("turn 1", "there"), ("turn 2", "<b> the"), ("end", "")
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"\[2, 7\] of their labels\. Received: \[7, 2\]"):
        weights(7, 2)


def test_the_matrix_the_ribbons_and_the_lines():
    drawn = matrix_data(weights(2, 7, causal=True), 1)
    assert (drawn["place"], drawn["selected"], drawn["scale"], drawn["causal"]) == ("layer 3, head 2", 1, "fixed", True)
    assert [ribbon_data(weights(2, 7), share)["share"] for share in (0.0, 0.5, 3)] == [0.1, 0.5, 1]
    known = {"on": None, "share": 0.75, "locked": (0, 1), "version": 4}
    drawn = view_data(weights(3, 2, 7), [0, 1, 2], **known)
    assert (drawn["heads"], drawn["count"], drawn["locked"], drawn["version"]) == ([0, 1, 2], 3, [0, 1], 4)
    assert drawn["names"] == ["Head 1", "Head 2", "Head 3"]
    alone = view_data(weights(1, 2, 7), [4], **known | {"on": 4})
    assert alone["names"] == ["Head 5"] and alone["heads"] == [0]
    for outside in (None, (0, 2), (-1, 0), (1, 0)):
        assert view_data(weights(1, 2, 7), [4], **known | {"locked": outside})["locked"] is None
    with pytest.raises(ValueError):
        view_data(weights(1, 2, 7), [4], **known | {"on": 3})


def test_the_grid_pools_the_largest_weight_of_each_block():
    values = np.array([[1, 2, 3, 4, 5], [9, 0, 0, 0, 0], [0, 0, 7, 0, 6]]) / 10
    small, block = pooled(values, (2, 3))
    assert block == (2, 2) and small.tolist() == [[0.9, 0.4, 0.5], [0, 0.7, 0.6]]
    assert np.array_equal(pooled(values, (3, 5))[0], values)
    assert pooled(np.ones((4, 512, 512), dtype=np.float32))[0].shape == (4, 64, 86)
    heads = np.zeros((2, 3, 70, 100), dtype=np.float32)
    heads[1, 2, 69, 99] = 0.5
    drawn = grid_data("decoder", heads, 1, 2, {(0, 1): "broad"})
    assert drawn["shape"] == (2, 3, 35, 50) and drawn["size"] == (70, 100) and drawn["block"] == (2, 2)
    assert unpacked(drawn["weights"])[-1] == pytest.approx(0.5, abs=1e-5)
    assert drawn["tags"] == [["", "broad", ""], ["", "", ""]]
    assert drawn["causal"] and not grid_data("cross", heads, 0, 0)["causal"]
    with pytest.raises(ValueError, match=r"one of 2 × 3\. Received: \(2, 0\)"):
        grid_data("cross", heads, 2, 0)
    with pytest.raises(ValueError, match=r"\[L, H, Q, N\]\. Received: \[3, 70, 100\]"):
        grid_data("cross", heads[0], 0, 0)


def attention(kind, layer=0, head=1, words_only=False) -> AttentionView:
    """The view of a run of the tiny model."""
    summary = decoded()
    return AttentionView(summary, kind, held(summary)[kind], *sides(summary, kind), layer, head, words_only, None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_has_the_numbers_of_the_trace_by_every_unit(app, kind):
    summary = decoded()
    found = trace(summary, kind)
    for row in ("token", "word", "turn", "speaker"):
        for column in ("token", "word", "turn", "speaker"):
            shown = attention(kind).open_head((row, column))
            assert shown.values == pytest.approx(rolled(found[0, 1], summary, kind, (row, column)), abs=1e-6)
            assert shown.values.sum(axis=-1) == pytest.approx(1, abs=1e-4)
            assert shown.causal == (kind == "decoder" and row == "token")
    mean = attention(kind, 1, None).open_head(("token", "token"))
    assert mean.values == pytest.approx(found[1].mean(axis=0), abs=1e-6)
    assert mean.title.endswith("layer 2, mean of the heads")
    together = attention(kind).rolled(found[0], ("word", "word"), "layer 1")
    assert together.values[1] == pytest.approx(rolled(found[0, 1], summary, kind, ("word", "word")), abs=1e-6)
    assert together.table["Weight"] == pytest.approx(together.values.ravel())
    size = len(together.rows) * len(together.columns)
    assert len(together.table["Query"]) == len(together.table["Key"]) == 2 * size


@pytest.mark.parametrize("kind", KINDS)
def test_without_sinks_the_words_share_everything(app, kind):
    summary = decoded()
    keys = sides(summary, kind)[1]
    found = attention(kind, words_only=True)
    shown = found.open_head(("token", "token")).values
    assert shown == pytest.approx(without_sinks(trace(summary, kind)[0, 1], keys), abs=1e-6)
    special = [place for place, token in enumerate(keys) if category(token) != "word"]
    assert special and not shown[:, special].any()
    first = next(place for place in range(len(keys)) if place not in special)
    seen = slice(first, None) if kind == "decoder" else slice(None)  # a decoder row that sees only sinks has nothing
    assert shown[seen].sum(axis=-1) == pytest.approx(1, abs=1e-4)
    assert "without special tokens, tags and punctuation" in found.what


def test_decoder_rows_read_what_was_written_before():
    assert [token.text for token in input_tokens(TOKENS[:3])] == ["[SOS]", "Anna", " the"]
