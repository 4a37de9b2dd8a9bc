"""The recurrent models as boxes, with their multiply–adds worked out by hand."""

from core.config import PRESETS
from core.explain.architecture.recurrent_stacks import edges, work


def test_multiply_adds_by_hand():
    """B = 2, S = 10, T = 5: 15 steps; the output multiplies 2 · 5 · 256 · 8,000 times."""
    found = {name: count for name, (_, count) in work(PRESETS["lstm-attention"].model, 2, 10, 5).items()}
    assert found["Output: scores of the vocabulary"] == 2 * 5 * 256 * 8000
    assert found["Encoder: LSTM"] == 2 * 4 * 10 * (128 + 256) * 256
    assert found["Attention: scores"] == 2 * (15 * 256 * 128 + 5 * 10 * 128)


def test_lines_lead_back_to_the_encoder_and_join_what_is_shared():
    config = PRESETS["lstm-attention"].model
    without, shared = edges(PRESETS["slides-lstm"].model), ["shared", "source_embedding", "target_embedding"]
    assert ["memory", "encoder", "decoder"] in without and not any("cross_attention" in edge for edge in without)
    assert any("cross_attention" in edge for edge in edges(config))
    assert [shared in edges(config.replace(share_embeddings=each)) for each in (True, False)] == [True, False]
