"""The lenses as pictures: cells, contrast, captions."""

import numpy as np

from core.config import END
from core.figures.experiments.lenses import PALE, decoder_lens, lens_hover, logit_lens, stage_name
from tests.figures.conftest import cannot_draw, said, token
from tests.figures.drawing import drawn
from tests.figures.shared.test_palette import contrast

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


def test_the_caption_says_from_where_on_the_written_token_is_first(snapshot):
    late = np.array([[1, 9, 9, 9], [1, 9, 9, 9], [1, 1, 1, 9]])
    early = np.array([[1, 9, 9, 9], [9, 9, 9, 9], [1, 1, 9, 9]])
    assert drawn(*(said(lens(ranks)) for ranks in (RANK, late, early, RANK + 1))) == snapshot
    cannot_draw(r"Received: \[4, 4, 4\], \[3, 4\], \[2, 4\] and \[4, 4, 4\] for 4 tokens", lens, RANK[:2])
    cannot_draw("for 3 tokens", lens, tokens=TOKENS[:3])


def test_rows_are_tokens_and_columns_layers(snapshot):
    # Cells are cut, escaped, bold where the written token is first, and white where strong.
    assert drawn(lens()) == snapshot
    colors = {cell: trace.textfont.color for trace in lens().figure.data[1:]
              for cell in zip(trace.x, trace.y, strict=True)}  # fmt: skip
    assert len(colors) == 12 and (colors[2, 2], colors[2, 4]) == ("#ffffff", None)
    longer = logit_lens(TOKENS * 5, [row * 5 for row in TOP], np.tile(PROBABILITY, 5), np.tile(RANK, 5),
                        [row * 5 for row in HOVER], "rank").figure.layout.height  # fmt: skip
    assert longer - lens().figure.layout.height == 16 * 26


def test_ranks_have_a_logarithmic_colour(snapshot):
    assert drawn(lens(by="rank")) == snapshot
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


def test_the_decoder_lens_counts_words_of_the_embeddings_and_of_the_last_layer(snapshot):
    words = ["Ben", "<b>", "Ben", "home"]
    inside = np.array([[True, False, False, False], [False, False, True, False], [True, True, True, True]])
    other = decoder_lens(words, [0, None, 1, 2], inside, [-6.25, -2.5, -0.5])
    assert drawn(decoder_lens(words, [0, 2, 1, 2], inside, [-6.25, -2.5, -0.5]), said(other)) == snapshot
    received = r"Received: 4, \[3, 4\] and 2 for 4 words"
    cannot_draw(received, decoder_lens, words, [0, 2, 1, 2], inside, [-1.0, -0.5])


def test_what_is_said_of_a_cell_names_the_written_token_and_the_best_ones(snapshot):
    top = [[["a", "b"], ["c", "d"]], [["e", "f"], ["g", "h"]]]
    shares = np.array([[[0.5, 0.25], [0.4, 0.3]], [[0.6, 0.2], [0.7, 0.1]]])
    ranks = np.array([[3, 1200], [1, 2]])
    assert drawn(lens_hover(["x", "y"], top, shares, np.array([[0.1, 0.2], [0.3, 0.8]]), ranks)) == snapshot
