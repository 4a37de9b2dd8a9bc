"""The boxes of the two stacks, in the order of the configuration."""

from core.config import PRESETS, ModelConfig
from core.explain.architecture.blueprint import inside, stacks
from tests.figures.drawing import drawn


def test_boxes_follow_the_configuration_and_say_their_sizes_and_what_is_shared(snapshot):
    shared = ModelConfig(source_vocabulary=7, target_vocabulary=7, d_model=6, num_heads=2, share_embeddings=True,
                         share_output=True, output_bias=True)  # fmt: skip
    learned = ModelConfig(positions="learned", d_model=1, num_heads=1, feed_forward_dim=1)
    for config in (PRESETS["report-b"].model, PRESETS["dialoscope"].model, shared, learned):
        boxes = [box for stack in stacks(config, decoder_layer=2) for box in stack.boxes]
        columns = ("path", "name", "detail", "parameters")
        assert drawn({name: [getattr(box, name) for box in boxes] for name in columns}) == snapshot


def test_a_box_holds_what_goes_on_behind_its_path():
    assert inside("encoder/block1/self_attention/query", "encoder/block1/self_attention")
    assert inside("encoder/block1/self_attention", "encoder/block1") and inside("mixture", "")
    assert not inside("encoder/block11/feed_forward", "encoder/block1")
    assert not inside("encoder/block1/self_residual/add", "encoder/block1/self_residual/normalization")
