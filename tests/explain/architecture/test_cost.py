"""Multiply–adds and memory, worked out by hand."""

import pytest

from core.config import PRESETS, ModelConfig
from core.explain.architecture.cost import attention_bytes, crossover, work

SMALL = ModelConfig(
    source_vocabulary=11, target_vocabulary=11, d_model=4, num_heads=2, head_dim=3, feed_forward_dim=5,
    encoder_layers=2, decoder_layers=3,
)  # fmt: skip


def counts(config: ModelConfig, batch: int = 1, source: int = 7, target: int = 2) -> dict[str, int]:
    return {part.name: part.count for part in work(config, batch, source, target)}


def test_every_part_by_hand():
    assert counts(SMALL) == {
        "Encoder: query, key, value, output": 2 * 4 * 7 * 4 * 6,
        "Encoder: scores and weighted sums": 2 * 2 * 49 * 6,
        "Encoder: feed-forward": 2 * 2 * 7 * 4 * 5,
        "Decoder: self-attention projections": 3 * 4 * 2 * 4 * 6,
        "Decoder: self-attention scores and sums": 3 * 2 * 4 * 6,
        "Decoder: cross-attention projections": 3 * (2 * 2 * 4 * 6 + 2 * 7 * 4 * 6),
        "Decoder: cross-attention scores and sums": 3 * 2 * 2 * 7 * 6,
        "Decoder: feed-forward": 3 * 2 * 2 * 4 * 5,
        "Output: scores of the vocabulary": 2 * 4 * 11,
    }
    # Queries 2·4·4, keys 7·4·4, scores and context 2·7·4 each, switch 2·12; into the vocabulary 2·7·11.
    found = counts(SMALL.replace(copy=True))
    assert (found["Copy head"], found["Copying into the vocabulary"]) == (32 + 112 + 2 * 56 + 24, 154)
    # The batch multiplies everything.
    assert counts(SMALL, batch=3) == {name: 3 * count for name, count in counts(SMALL).items()}
    # 2 heads, 5 rows, 4 bytes: 40 bytes a pair of tokens and layer.
    memory = {"encoder_self": 40 * 2 * 49, "decoder_self": 40 * 3 * 4, "cross": 40 * 3 * 14}
    assert attention_bytes(SMALL, 5, 7, 2) == memory


def test_at_the_crossover_both_cost_the_same():
    for name, length in [("dialoscope", 1024), ("report-b", 64), ("vaswani-base", 2048), ("vaswani-big", 4096)]:
        config = PRESETS[name].model
        assert crossover(config) == length, name
        at, before = counts(config, source=length), counts(config, source=length - 1)
        assert at["Encoder: scores and weighted sums"] == at["Encoder: feed-forward"], name
        assert before["Encoder: scores and weighted sums"] < before["Encoder: feed-forward"], name
    # A gated network has a third map.
    gated = SMALL.replace(gated=True)
    assert counts(gated)["Encoder: feed-forward"] == 2 * 3 * 7 * 4 * 5
    assert counts(gated)["Decoder: feed-forward"] == 3 * 3 * 2 * 4 * 5
    assert crossover(gated) == pytest.approx(1.5 * crossover(SMALL))
    # Wide heads cross earlier.
    assert crossover(SMALL) == pytest.approx(4 * 5 / 6)
