"""Counts from the configuration: by hand, and beside the networks as they are built."""

import keras

from core.config import PRESETS, ModelConfig
from core.experiments.architecture.describe import _walk
from core.explain.architecture.parameters import by_kind, by_path, gathered, parts, rows, total
from core.model.transformer import Transformer
from tests.figures.drawing import drawn
from tests.models import FAMILIES

SMALL = ModelConfig(
    source_vocabulary=7, target_vocabulary=5, d_model=3, num_heads=2, head_dim=4, feed_forward_dim=6,
    encoder_layers=1, decoder_layers=2, max_source_length=9, max_target_length=8,
)  # fmt: skip
ODD = {
    "separate": SMALL,
    "learned": SMALL.replace(positions="learned"),
    "pre-norm": SMALL.replace(norm="pre"),
    "copying": SMALL.replace(source_vocabulary=5, copy=True),
    "tied": SMALL.replace(share_output=True),
    "shared": SMALL.replace(source_vocabulary=5, share_embeddings=True, share_output=True, norm="pre", copy=True),
    "T5": SMALL.replace(**FAMILIES["t5"] | {"share_embeddings": False}),
    "BART": SMALL.replace(source_vocabulary=5, **FAMILIES["bart"] | {"source_positions": 20, "target_positions": 30}),
    "width 1": SMALL.replace(d_model=1, num_heads=1, head_dim=None, feed_forward_dim=1),
}
CONFIGS = {name: PRESETS[name].model for name in ("dialoscope", "minilm", "book-mini", "tutorial-encoder")} | ODD


def test_a_small_model_by_hand(snapshot):
    # Attention: 3 × (3·8 + 8) + 8·3 + 3 = 123; feed-forward: 3·6 + 6 + 6·3 + 3 = 45; a norm: 6.
    encoder, decoder = 123 + 45 + 2 * 6, 2 * 123 + 45 + 3 * 6
    assert total(SMALL) == 7 * 3 + 5 * 3 + encoder + 2 * decoder + 3 * 5 + 5
    kinds = {"embeddings": 36, "attention": 5 * 123, "feed-forward": 3 * 45, "norms": 8 * 6, "output": 20}
    assert by_kind(SMALL) == kinds
    # Rows add their parts and say how: (90, 2 layers), (2 · 3 · 6), 54.
    found = rows(SMALL)
    columns = ("name", "total", "layers", "formula")
    assert drawn({name: [getattr(row, name) for row in found] for name in columns}) == snapshot
    assert sum(row.total for row in found) == total(SMALL)
    few = {row.name: row.total for row in gathered(SMALL)}
    assert sum(few.values()) == total(SMALL) and few["Encoder self-attention"] == 123 and len(few) < len(found)
    assert "Embeddings, shared" in [row.name for row in rows(ODD["shared"])]


def test_the_built_model_has_as_many_in_every_layer():
    for name, config in CONFIGS.items():
        with keras.StatelessScope(initialize_variables=False):  # shapes without numbers: the largest has 214 million
            model = Transformer(config)
            built = {path: layer.count_params() for path, layer in _walk(model)}
            whole = model.count_params()
        counted = by_path(config)
        if config.share_output and config.output_bias:  # the layer that has the shared table holds it
            owner = "source_embedding" if config.share_embeddings else "target_embedding"
            built["output_layer"] = config.target_vocabulary
            built[owner] -= config.target_vocabulary
        assert {path: count for path, count in built.items() if path in counted} == counted, name
        assert sum(counted.values()) == total(config) == whole, name
        assert all(part.each > 0 and part.layers > 0 for part in parts(config)), name
