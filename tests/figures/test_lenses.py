"""The lenses as pictures: cells, contrast, captions."""

import numpy as np
import pytest

from core.config import END
from core.figures.lenses import PALE, decoder_lens, lens_hover, logit_lens, stage_name
from tests.figures.conftest import said, token
from tests.figures.test_palette import contrast

TOKENS = [token("the"), token("<b>"), token("the"), token("[EOS]", END)]
TOP = [["the", "<i>", "a", "b"], ["the", "appointments", "the", "c"], ["the", "<b>", "the", "the end"]]
PROBABILITY = np.array([[0.5, 0.0, 0.1, 0.1], [0.8, 0.2, 0.6, 0.2], [0.95, 0.9, 0.8, 0.4]], dtype=np.float32)
RANK = np.array([[1, 7000, 10, 100], [1, 4, 1, 2], [1, 1, 1, 1]])
HOVER = [[f"layer {layer}\n<b> {place}" for place in range(4)] for layer in range(3)]


def lens(rank=RANK, by="probability", tokens=TOKENS):
    return logit_lens(tokens, TOP, PROBABILITY, rank, HOVER, by)


def test_the_first_stage_has_positions_only_where_a_model_adds_them():
    named = [stage_name(0, kind) for kind in ("learned", "halves", "relative")]
    assert named == ["Embeddings and positions", "Embeddings and positions", "Embeddings"]
    assert stage_name(2, "relative") == "Layer 2"


def test_the_caption_says_from_where_on_the_written_token_is_first():
    assert said(lens()) == "At layer 1 the model already ranks 2 of 4 written tokens first; at the output 4."
    late = np.array([[1, 9, 9, 9], [1, 9, 9, 9], [1, 1, 1, 9]])
    assert said(lens(late)) == "Only at the output does the model rank 3 of 4 written tokens first; at layer 1 it is 1."
    early = np.array([[1, 9, 9, 9], [9, 9, 9, 9], [1, 1, 9, 9]])
    assert said(lens(early)).startswith("At the embedding the model already ranks 1 of 4 written tokens first; ")
    assert said(lens(RANK + 1)) == "Even at the output, the model ranks none of the 4 written tokens first."
    with pytest.raises(ValueError, match=r"Received: \[4, 4, 4\], \[3, 4\], \[2, 4\] and \[4, 4, 4\] for 4 tokens"):
        lens(RANK[:2])
    with pytest.raises(ValueError, match="for 3 tokens"):
        lens(tokens=TOKENS[:3])


def test_rows_are_tokens_and_columns_layers():
    picture = lens()
    heat, layout = picture.figure.data[0], picture.figure.layout
    assert np.asarray(heat.z) == pytest.approx(PROBABILITY.T) and (heat.zmin, heat.zmax) == (0, 1)
    assert list(heat.x) == [0, 1, 2] and list(heat.y) == [1, 2, 3, 4]
    assert layout.yaxis.ticktext == ("the", "&lt;b&gt;", "the", "the end") and layout.yaxis.range == (4.5, 0.5)
    assert layout.xaxis.ticktext == ("embed-<br>ding", "layer<br>1", "layer 2<br>output")
    assert heat.hovertext[3][1] == "layer 1<br>&lt;b&gt; 3"
    assert picture.table["Token"] == ["the", "<b>", "the", "the end"]
    assert picture.table["Layer 1"] == TOP[1] and picture.table["Layer 2 = output, rank"] == [1, 1, 1, 1]
    assert picture.table["Embedding, probability"] == pytest.approx([0.5, 0, 0.1, 0.1])
    longer = logit_lens(TOKENS * 5, [row * 5 for row in TOP], np.tile(PROBABILITY, 5), np.tile(RANK, 5),
                        [row * 5 for row in HOVER], "rank").figure.layout.height  # fmt: skip
    assert longer - layout.height == 16 * 26
    # Cells are cut, escaped, bold where the written token is first, and white where strong.
    cells = {(x, y): (text, trace.textfont.color) for trace in picture.figure.data[1:]
             for x, y, text in zip(trace.x, trace.y, trace.text, strict=True)}  # fmt: skip
    expected = {
        (0, 2): ("&lt;i&gt;", None), (1, 2): ("appointmen…", None), (1, 1): ("<b>the</b>", None),
        (2, 2): ("<b>&lt;b&gt;</b>", "#ffffff"), (2, 4): ("<b>the end</b>", None),
    }  # fmt: skip
    assert len(cells) == 12 and {place: cells[place] for place in expected} == expected


def test_ranks_have_a_logarithmic_colour():
    heat = lens(by="rank").figure.data[0]
    assert [heat.z[3][0], heat.z[2][0], heat.z[0][2]] == pytest.approx([0.5, 0.75, 1])
    assert dict(zip(heat.colorbar.ticktext, heat.colorbar.tickvals, strict=True))["100"] == pytest.approx(0.5)
    assert "rank" in heat.colorbar.title.text and "probability" in lens().figure.data[0].colorbar.title.text
    worse = RANK.copy()
    worse[0, 1] = 50_000
    assert lens(worse, "rank").figure.data[0].z[1][0] == 0


def test_words_can_be_read_on_every_cell():
    for ground, ink in [("#ffffff", "#10161f"), ("#0d1218", "#e9edf2")]:
        top = np.array([36, 112, 200]) / 255
        under = np.array([int(ground[place : place + 2], 16) / 255 for place in (1, 3, 5)])
        for strength in np.linspace(0, 1, 41):
            share = 0.03 + 0.97 * strength
            mixed = "#" + "".join(f"{round(255 * part):02x}" for part in share * top + (1 - share) * under)
            assert contrast(mixed, "#ffffff" if strength >= PALE else ink) >= 4, strength


def test_the_decoder_lens_counts_words_of_the_embeddings_and_of_the_last_layer():
    words = ["Ben", "<b>", "Ben", "home"]
    inside = np.array([[True, False, False, False], [False, False, True, False], [True, True, True, True]])
    picture = decoder_lens(words, [0, 2, 1, 2], inside, [-6.25, -2.5, -0.5])
    assert said(picture) == "From the embeddings alone 1 of 4 words is there; 2 appear first at layer 2, the last."
    other = decoder_lens(words, [0, None, 1, 2], inside, [-6.25, -2.5, -0.5])
    assert said(other).endswith("; 1 appears first at layer 2, the last; 1 from no layer.")
    absent, there, first = (list(zip(bar.customdata, bar.y, strict=True)) for bar in picture.figure.data)
    assert there == [(2, 1), (2, 3)] and first == [(0, 1), (2, 2), (1, 3), (2, 4)] and len(absent) == 6
    layout = picture.figure.layout
    assert layout.xaxis.ticktext[0] == "embed-<br>dings<br>−6.25" and layout.xaxis.ticktext[2] == "layer<br>2<br>−0.50"
    assert layout.yaxis.ticktext == ("Ben", "&lt;b&gt;", "Ben", "home")
    assert picture.figure.data[2].hovertext[1] == "“&lt;b&gt;”, layer 2<br>there for the first time"
    assert picture.table["First at layer"] == ["embeddings", "layer 2", "layer 1", "layer 2"]
    assert picture.table["Layer 1 (−2.50\u00a0nats a token)"] == [False, False, True, False]
    with pytest.raises(ValueError, match=r"Received: 4, \[3, 4\] and 2 for 4 words"):
        decoder_lens(words, [0, 2, 1, 2], inside, [-1.0, -0.5])


def test_what_is_said_of_a_cell_names_the_written_token_and_the_best_ones():
    top = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
    shares = np.array([[[0.5, 0.25], [0.4, 0.3]], [[0.6, 0.2], [0.7, 0.1]]])
    hover = lens_hover(["x", "y"], top, shares, np.array([[0.1, 0.2], [0.3, 0.8]]), np.array([[3, 1200], [1, 2]]))
    assert hover[0][1].replace("\xa0", " ") == "finally written: “y”, 20 %, rank 1,200\n1. “c” 40 %\n2. “d” 30 %"
    assert hover[1][0].startswith("finally written: “x”, 30") and hover[1][0].endswith("2. “f” 20\xa0%")
