"""The Masks page: the four masks of a typed batch, and the scores before and after the softmax."""

import numpy as np
import pytest

from core.explain.masks import ROWS
from pages.parts.masks.rows import TEXTS
from tests.pages.driver import another, notes, table, tiny
from tests.pages.masks import arrive, choose, press, refusals, said, write

DEFAULT = TEXTS.default


def shapes(app) -> dict[str, str]:
    found = table(app, "Shape")
    return dict(zip(found["Mask"], found["Shape"], strict=True))


def drawn(app) -> np.ndarray:
    """The mask that is drawn, a square, from its table."""
    name = next(each.value for each in app.header if ", text " in each.value).split(", text")[0]
    found = table(app, name)[name]
    return np.array(found).reshape(int(len(found) ** 0.5), -1)


def test_a_first_visit_shows_the_target_mask_as_a_conjunction(app):
    arrive(app)
    assert not refusals(app) and app.query_params == {}
    lines = DEFAULT.splitlines()
    length = max(len(tiny().tokenizer.encode_summary(line)) for line in lines)
    assert shapes(app) == {
        "Padding mask": f"[3, 1, 1, {length}]",
        "Look-ahead mask": f"[{length}, {length}]",
        "Target mask": f"[3, 1, {length}, {length}]",
        "Cross padding mask": f"[3, 1, 1, {length}]",
    }
    assert all(":" in place and place.startswith("core/model/") for place in table(app, "Shape")["Made in"])
    real = len(tiny().tokenizer.encode_summary(lines[0]))
    expected = np.tril(np.ones((length, length))) * (np.arange(length) < real)
    np.testing.assert_array_equal(drawn(app), expected)
    assert f"{int(expected.sum())} of {length * length} cells are open" in said(app)
    assert "by padding alone" in said(app) and "by both are blocked" in said(app)
    assert "return ops.logical_and(padding_mask(tokens, pad)" in app.code[0].value
    assert "blocked cells have exactly 0." in said(app)


def test_an_edited_batch_changes_masks_shapes_and_link(app):
    arrive(app)
    write(app, "Yes.\nNo, thank you")
    sizes = [len(tiny().tokenizer.encode_summary(line)) for line in ("Yes.", "No, thank you")]
    assert shapes(app)["Target mask"] == f"[2, 1, {max(sizes)}, {max(sizes)}]"
    assert app.query_params["mask_texts"] == "Yes.\nNo, thank you"
    fresh = arrive(another(app), mask_texts="Yes.\nNo, thank you")
    assert shapes(fresh) == shapes(app)
    write(app, "Only one")
    assert shapes(app)["Padding mask"].startswith("[1, 1, 1, ")


@pytest.mark.parametrize("pads", ["0", "0, 7"])
def test_the_tutorials_example(app, pads):
    arrive(app, mask_of="ids", mask_pads=pads)
    assert shapes(app) == {"Padding mask": "[3, 1, 1, 7]", "Look-ahead mask": "[7, 7]",
                           "Target mask": "[3, 1, 7, 7]", "Cross padding mask": "[3, 1, 1, 7]"}  # fmt: skip
    opened = table(app, "Shape")["Open cells"]
    assert list(opened)[0] == ("14 of 21" if pads == "0" else "13 of 21")
    choose(app, "mask_row", 2)
    assert "13 of 49 cells are open; 15 by padding alone, 1 by look-ahead alone and 20 by both" in said(app)
    choose(app, "mask_kind", "look_ahead")
    np.testing.assert_array_equal(drawn(app), np.tril(np.ones((7, 7))))
    assert "positions[None, :] <= positions[:, None]" in app.code[0].value
    choose(app, "mask_kind", "padding")
    assert "14 of 49 cells are open; 35 by padding alone are blocked." in said(app)


def test_another_pad_id_changes_the_mask(app):
    arrive(app, mask_of="ids", mask_ids="1 2 9 9")
    assert "10 of 16 cells are open; 6 by look-ahead alone are blocked." in said(app)
    write(app, "9", "mask_pads")
    assert "7 of 16 cells are open" in said(app) and app.query_params["mask_pads"] == "9"


def test_a_row_that_is_all_padding_is_explained_by_its_numbers(app):
    arrive(app)
    press(app, "mask_show_empty")
    assert app.query_params["mask_of"] == "ids" and app.query_params["mask_ids"] == ROWS["empty"]
    assert "0 of 16 cells are open" in said(app) and "4 queries may look nowhere" in said(app)
    assert "The 4 queries that may look nowhere gave every one of 4 keys the same, 25 %." in said(app)
    np.testing.assert_array_equal(table(app, "Weight")["Weight"], [0.25] * 16)
    choose(app, "mask_row", 3)
    assert "The 2 queries that may look nowhere gave every one of 4 keys the same, 25 %." in said(app)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"mask_of": "ids", "mask_ids": "1 x"}, "An id of row 1 must be a whole number from 0 to 999,999. "
         "Received: 'x'"),
        ({"mask_of": "ids", "mask_ids": "1\n2\n3\n4\n5"}, "A batch has 1 to 4 rows here. Received: 5"),
        ({"mask_of": "ids", "mask_ids": " "}, "Received: 0"),
        ({"mask_pads": "-1"}, "A pad id must be a whole number"),
        ({"mask_texts": "\n \n"}, "A batch has 1 to 4 texts here. Received: 0"),
        ({"mask_texts": "a\nb\nc\nd\ne"}, "Received: 5"),
        ({"mask_texts": "yes " * 60}, "A text has at most 24 tokens here. Received: "),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_kept(app, link, message):
    arrive(app, **link)
    assert message in refusals(app)
    for key, value in link.items():
        assert app.query_params[key] == value
    box = app.text_area[0]
    box.set_value("7 8" if link.get("mask_of") == "ids" else "All is well.").run()
    if "mask_pads" not in link:
        assert not refusals(app)


def test_an_id_beyond_the_vocabulary_has_masks_but_no_scores(app):
    arrive(app, mask_of="ids", mask_ids="5 99999")
    assert shapes(app)["Target mask"] == "[1, 1, 2, 2]" and "3 of 4 cells are open" in said(app)
    assert "no embedding for an id beyond its vocabulary, so there are no scores. Received: 99999" in refusals(app)


def test_what_a_link_asks_in_vain_is_noted(app):
    arrive(app, mask_row=4, mask_head=9)
    assert "asks for text 4, which does not exist here (possible: 1 to 3)" in notes(app).replace("\\", "")
    assert "asks for head 9, which does not exist here (possible: 1 to 2)" in notes(app).replace("\\", "")
    assert app.query_params == {}


def test_a_text_that_is_taken_out_of_the_batch_is_no_reason_for_a_note(app):
    arrive(app, mask_row=3)
    write(app, "One.\nTwo.")
    assert not app.warning and app.selectbox(key="mask_row").value == 1


def test_the_cross_mask_has_the_encoders_keys(app):
    arrive(app, mask_kind="cross")
    found = table(app, "Cross padding mask")
    keys = list(dict.fromkeys(found["Key"]))
    assert "[EOS]" in keys and "[SOS]" not in keys and "[SOS]" in set(found["Query"])
    scores, weights = table(app, "Score"), table(app, "Weight")
    assert len(scores) == len(weights) == len(found)
    blocked = np.array(found["Cross padding mask"]) == 0
    assert (np.array(weights["Weight"])[blocked] == 0).all() and blocked.any()
    before = list(scores["Score"])
    choose(app, "mask_head", 2)
    assert list(table(app, "Score")["Score"]) != before and app.query_params["mask_head"] == "2"


def test_markup_stays_text(app):
    arrive(app, mask_texts="<b>x</b> $y$\nno")
    assert not refusals(app) and "<b>" not in app.header[0].value
