from base64 import b64decode

import numpy as np
import pytest

from core.config import END, START, TURN
from core.explain.rollup import groups
from core.trace import Token
from pages.shared import attention_data as views
from pages.shared.attention_views import HERE

TOKENS = (
    Token("Anna", 40, 0, 4, 0, "Anna", 0),
    Token(" the", 41, 5, 9, 0, "Anna", 1),
    Token("re", 42, 9, 11, 0, "Anna", 1),
    Token("[TURN]", TURN, 11, 11, 0, "Anna", 2),
    Token("<b>", 43, 12, 15, 1, "Ben", 3),
    Token("the", 44, 16, 19, 1, "Ben", 4),
    Token("[EOS]", END, 19, 19, 1, None, 5),
)
ITEMS = views.token_items(TOKENS)


def unpacked(text: str) -> np.ndarray:
    return np.frombuffer(b64decode(text), dtype="<u2") / 65535


def test_packed_weights_come_back():
    weights = np.random.default_rng(3).random((2, 3, 50)).astype(np.float32)
    assert np.abs(unpacked(views.packed(weights)) - weights.ravel()).max() < 1e-5


def test_packed_bytes_are_little_endian_rows_first():
    weights = np.array([[0.0, 1.0], [0.25, 1.00001]], dtype=np.float32)  # the last one: a sum after rounding
    assert b64decode(views.packed(weights.T)).hex(" ", 2) == "0000 0040 ffff ffff"


@pytest.mark.parametrize("wrong", [1.2, -0.1, np.nan])
def test_what_is_no_weight_is_refused(wrong):
    with pytest.raises(ValueError, match=r"from 0 to 1\. Received: from"):
        views.packed(np.array([0.5, wrong]))


def test_pooling_keeps_the_largest_weight_of_each_block():
    weights = np.array([[1, 2, 3, 4, 5], [9, 0, 0, 0, 0], [0, 0, 7, 0, 6]]) / 10
    small, block = views.pooled(weights, (2, 3))
    assert block == (2, 2) and small.tolist() == [[0.9, 0.4, 0.5], [0, 0.7, 0.6]]
    same, block = views.pooled(weights, (3, 5))
    assert block == (1, 1) and np.array_equal(same, weights)


def test_a_picture_of_a_long_dialogue_stays_small():
    small, block = views.pooled(np.ones((4, 512, 512), dtype=np.float32))
    assert small.shape == (4, 64, 86) and block == (8, 6)


def test_labels_of_tokens():
    assert [item["text"] for item in ITEMS] == ["Anna", "the", "re", "⏎ turn", "<b>", "the", "end"]
    assert [item["group"] for item in ITEMS] == [1, 1, 1, 1, 2, 2, None]  # the end belongs to no turn
    assert [item["special"] for item in ITEMS] == [False, False, False, True, False, False, True]
    assert [item["joined"] for item in ITEMS] == [False, False, True, False, False, False, False]
    assert views.token_items([Token("[SOS]", START, 0, 0, None, None, -1)])[0]["text"] == "start"


def test_a_written_mark_is_no_mark():
    item = views.token_items([Token("[EOS]", 99, 0, 5, 0, None, 0)])[0]
    assert item["text"] == "[EOS]" and not item["special"]


def test_labels_of_words_and_turns():
    words = views.group_items(groups(TOKENS, "word"), "word")
    assert [item["text"] for item in words] == ["Anna", "there", "⏎ turn", "<b>", "the", "end"]
    turns = views.group_items(groups(TOKENS, "turn"), "turn")
    assert [(item["text"], item["group"], item["speaker"]) for item in turns] == [
        ("turn 1", 1, "Anna"), ("turn 2", 2, "Ben"), ("end", None, None)
    ]  # fmt: skip
    assert views.labelled(turns, ["Anna", "Ben"])[0]["name"] == "turn 1"  # no quotes: nobody said it


def test_names_of_equal_tokens_keep_their_place():
    drawn = views.labelled(ITEMS, ["Anna", "Ben"])
    assert [each["name"] for each in drawn] == ["“Anna”", "“the · 2”", "“re”", "⏎ turn", "“<b>”", "“the · 6”", "end"]
    assert [each["speaker"] for each in drawn] == [0, 0, 0, 0, 1, 1, -1]


def test_the_grid():
    weights = np.zeros((2, 3, 70, 100), dtype=np.float32)
    weights[1, 2, 69, 99] = 0.5
    drawn = views.grid_data("decoder", weights, 1, 2, {(0, 1): "broad"})
    assert drawn["shape"] == (2, 3, 35, 50) and drawn["size"] == (70, 100) and drawn["block"] == (2, 2)
    assert unpacked(drawn["weights"])[-1] == pytest.approx(0.5, abs=1e-5)
    assert drawn["tags"] == [["", "broad", ""], ["", "", ""]]
    assert drawn["causal"] and not views.grid_data("cross", weights, 0, 0, None)["causal"]


def test_the_grid_refuses_a_head_that_it_does_not_have():
    weights = np.zeros((2, 3, 4, 5), dtype=np.float32)
    with pytest.raises(ValueError, match=r"one of 2 × 3\. Received: \(2, 0\)"):
        views.grid_data("cross", weights, 2, 0, None)
    with pytest.raises(ValueError, match=r"\[L, H, Q, N\]\. Received: \[3, 4, 5\]"):
        views.grid_data("cross", weights[0], 0, 0, None)


def test_the_matrix():
    weights = np.full((2, 7), 1 / 7, dtype=np.float32)
    drawn = views.matrix_data(weights, ITEMS[:2], ITEMS, "cross", 2, 1, None, 1, "row")
    assert drawn["title"] == "Cross-attention, layer 3, head 2" and drawn["place"] == "layer 3, head 2"
    assert (drawn["causal"], drawn["selected"], drawn["scale"]) == (False, 1, "row")
    assert len(drawn["rows"]) == 2 and len(drawn["columns"]) == 7
    mean = views.matrix_data(weights, ITEMS[:2], ITEMS, "encoder", 0, None, "causal", None, "fixed")
    assert mean["title"] == "Encoder self-attention, layer 1, mean of the heads" and mean["causal"]
    with pytest.raises(ValueError, match=r"\[7, 2\] of their labels\. Received: \[2, 7\]"):
        views.matrix_data(weights, ITEMS, ITEMS[:2], "cross", 2, 1, None, 1, "row")


def view(**changes):
    weights = np.full((3, 2, 7), 1 / 7, dtype=np.float32)
    known = {"kind": "cross", "layer": 0, "heads": [2, 0], "share": 0.75, "locked": (0, 1), "direction": None}
    return views.view_data(weights, ITEMS[:2], ITEMS, **known | {"version": 4} | changes)


def test_the_token_view():
    drawn = view()
    assert (drawn["heads"], drawn["count"], drawn["share"], drawn["locked"]) == ([0, 2], 3, 0.75, [0, 1])
    assert drawn["version"] == 4 and drawn["speakers"] == ["Anna", "Ben"] and not drawn["causal"]
    assert drawn["direction"] == ("Summary, being written", "Dialogue, looked at")
    assert view(direction=("a", "b"))["direction"] == ("a", "b")


@pytest.mark.parametrize("outside", [None, (0, 2), (-1, 0), (1, 0)])
def test_a_lock_outside_the_rows_is_none(outside):
    assert view(locked=outside)["locked"] is None


def test_the_token_view_needs_a_head_and_a_share_that_draws_something():
    assert view(heads=[1, 7])["heads"] == [1]  # a head of another checkpoint
    assert view(share=0.0)["share"] == 0.1 and view(share=3)["share"] == 1
    with pytest.raises(ValueError, match=r"at least one of 3 heads\. Received: \[3\]"):
        view(heads=[3])


def test_a_decoder_of_equal_sides_is_causal():
    weights = np.zeros((1, 7, 7), dtype=np.float32)
    drawn = views.view_data(weights, ITEMS, ITEMS, "decoder", 0, [0], 1.0, None, None, 0, mask="causal")
    assert drawn["causal"]


def test_the_ribbons():
    turns = [dict(item) for item in views.group_items(groups(TOKENS, "turn"), "turn")]
    turns[1]["detail"] = "<b> the"
    weights = np.array([[0.5, 0.25, 0.25]], dtype=np.float32)
    drawn = views.ribbon_data(weights, ITEMS[:1], turns, "cross", 0, None, 0.75, None)
    assert drawn["title"] == "Cross-attention, layer 1, mean of the heads"
    assert [column["detail"] for column in drawn["columns"]] == ["", "<b> the", ""]
    assert unpacked(drawn["weights"]) == pytest.approx([0.5, 0.25, 0.25], abs=1e-5)


@pytest.mark.parametrize("name", ["head_grid", "attention_matrix", "head_view", "ribbons"])
def test_scripts_write_texts_as_texts(name):
    scripts = [*(HERE / name).glob("*.js"), HERE / "attention_views.js"]
    for script in scripts:
        code = script.read_text(encoding="utf-8")
        assert not any(word in code for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval("))
