"""The boxes of the two stacks, in the order of the configuration."""

from core.config import PRESETS, ModelConfig
from core.explain.blueprint import inside, stacks
from core.explain.parameters import total


def names(config: ModelConfig) -> tuple[list[str], list[str]]:
    encoder, decoder = stacks(config)
    return [box.name for box in encoder.boxes], [box.name for box in decoder.boxes]


def test_the_place_of_the_norm():
    encoder, decoder = names(PRESETS["report-b"].model)
    assert encoder[:4] == ["Source ids", "Source embedding", "+ positions", "Padding mask"]
    assert encoder[4:] == ["Self-attention", "Add", "Norm", "Feed-forward", "Add", "Norm"]
    block = ["Masked self-attention", "Add", "Norm", "Cross-attention", "Add", "Norm", "Feed-forward", "Add", "Norm"]
    assert decoder[4:] == [*block, "Output layer"]
    encoder, decoder = names(PRESETS["dialoscope"].model)
    assert encoder[4:] == ["Norm", "Self-attention", "Add", "Norm", "Feed-forward", "Add", "Norm"]
    assert decoder[-4:] == ["Norm", "Output layer", "Copy head", "Mixture"]


def test_sizes_and_shared_tables_are_said():
    encoder, decoder = stacks(PRESETS["dialoscope"].model, decoder_layer=3)
    boxes = {box.path: (box.detail, box.parameters) for box in (*encoder.boxes, *decoder.boxes)}
    for path, box in {
        "source_embedding": ("8,000 × 256", 2_048_000),
        "target_embedding": ("the source's table", 0),
        "decoder/block3/cross_attention": ("4 heads of width 64", 4 * (256 * 256 + 256)),
        "encoder/block1/feed_forward": ("256 → 1,024 → 256, ReLU", 256 * 1024 + 1024 + 1024 * 256 + 256),
        "source_positions": ("sinusoids, up to 512", 0),
    }.items():
        assert boxes[path] == box
    size = {"source_vocabulary": 7, "target_vocabulary": 7, "d_model": 6, "num_heads": 2}
    shared = ModelConfig(**size, share_embeddings=True, share_output=True, output_bias=True)
    encoder, decoder = stacks(shared)
    table, output = encoder.before[1], decoder.after[-1]
    assert (table.detail, table.parameters) == ("7 × 6", 7 * 6)
    assert (output.detail, output.parameters) == ("the transposed table of the target embedding, + bias", 7)
    learned = stacks(ModelConfig(positions="learned", d_model=1, num_heads=1, feed_forward_dim=1))[0]
    assert (learned.before[2].detail, learned.before[2].parameters) == ("learned, up to 512", 512)
    assert learned.block[0][0].detail == "1 head of width 1"


def test_together_the_boxes_hold_every_parameter():
    for config in [preset.model for preset in PRESETS.values() if preset.model.has.blocks]:
        boxes = [(box, stack) for stack in stacks(config) for box in stack.boxes]
        whole = sum(box.parameters * (stack.layers if inside(box.path, stack.path) else 1) for box, stack in boxes)
        assert whole == total(config), config
    # A box holds what goes on behind its path.
    assert inside("encoder/block1/self_attention/query", "encoder/block1/self_attention")
    assert inside("encoder/block1/self_attention", "encoder/block1") and inside("mixture", "")
    assert not inside("encoder/block11/feed_forward", "encoder/block1")
    assert not inside("encoder/block1/self_residual/add", "encoder/block1/self_residual/normalization")
