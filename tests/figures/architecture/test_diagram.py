"""Pictures of size and cost: their sentences follow the configuration, their tables hold what they show."""

from core.config import PRESETS, ModelConfig
from core.explain.architecture.parameters import total
from core.figures.architecture.diagram import memory_curves, parameter_bars, parameter_shares, work_curves
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

SMALL = ModelConfig(
    source_vocabulary=7, target_vocabulary=5, d_model=4, num_heads=2, head_dim=3, feed_forward_dim=6,
    encoder_layers=1, decoder_layers=2, max_source_length=8, max_target_length=8,
)  # fmt: skip


def test_the_bars_hold_every_parameter_once_and_name_what_is_shared(snapshot):
    # Attention: 3 × (4·6 + 6) + 6·4 + 4 = 118, five of them; feed-forward 24 + 6 + 24 + 4 = 58, three of them.
    picture = parameter_bars("small <b>", SMALL)
    assert sum(picture.table["Parameters"]) == total(SMALL) == 28 + 20 + 5 * 118 + 3 * 58 + 8 * 8 + 25
    both = SMALL.replace(source_vocabulary=5, share_embeddings=True, share_output=True)
    shared = [said(parameter_bars("s", config)) for config in (both, SMALL.replace(share_output=True))]
    assert drawn(picture, *shared) == snapshot


def test_shares_beside_the_models_of_the_paper(snapshot):
    # 63,082,496 / 901 = 70,013.9; 214,245,376 / 901 = 237,786.2. Table 3 of the paper prints 65 and 213 million; ours
    # has 37,000 shared sub-words and biases in every projection.
    models = {"small": SMALL} | {name: PRESETS[name].model for name in ("vaswani-base", "vaswani-big")}
    assert drawn(parameter_shares(models), said(parameter_shares({"small": SMALL}))) == snapshot
    cannot_draw("Received: none", parameter_shares, {})


def test_work_grows_with_the_source_as_the_formulas_say(snapshot):
    # At 8 tokens: 2·64·6 for S², 2·8·4·6 for the feed-forward network, 4·8·4·6 for the four maps.
    # S = D·F / (H·K) = 24 / 6 = 4; at 8 source tokens 768 / 384 = 2 times.
    copying = SMALL.replace(source_vocabulary=5, target_vocabulary=5, copy=True)
    assert drawn(work_curves("small", SMALL, 1, 2), list(work_curves("c", copying, 3, 2).table)) == snapshot
    # A crossover before the first token is said and not drawn.
    picture = work_curves("t", PRESETS["tutorial-transformer"].model, 1, 6)
    assert "passes the feed-forward network before the first token" in said(picture)
    assert not any("S² part =" in line.name for line in picture.figure.data)


def test_memory_in_megabytes(snapshot):
    # B = 3, 2 heads, 4 bytes: 24 bytes a pair; at S = 8, T = 2: 24 · (64 + 2·4 + 2·16) = 2,496 bytes.
    # At 16: 24 · (256 + 8 + 64) = 7,872 bytes, 3.15 times.
    assert drawn(memory_curves("small", SMALL, 3, 2)) == snapshot
