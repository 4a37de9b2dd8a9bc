"""The command line with a preset and a toy that train in seconds, for processes that are killed or meet a full disk."""

from core.cli.main import main as run
from core.config import PRESETS, DecodeSettings, ModelConfig, Preset, TrainConfig
from core.evaluation.judge import Measures
from core.training import toys
from core.training.recipes import fitting
from tests.models import operator_by_operator

SMALL = ModelConfig(
    d_model=16, num_heads=2, feed_forward_dim=32, encoder_layers=1, decoder_layers=1, max_source_length=64,
    max_target_length=24, source_vocabulary=320, target_vocabulary=320, share_embeddings=True, share_output=True,
)  # fmt: skip
TRAINING = TrainConfig(epochs=3, warmup_steps=2, batch_tokens=200, precision="float32")


def main(arguments: list[str]) -> int:
    """Run a command without XLA and BERTScore; `small` is a preset, and the toy `copy` sees its letters once."""
    fitting.Measures = lambda _: Measures()
    toys.EPOCHS["copy"] = 1
    PRESETS["small"] = Preset("A test.", SMALL, training=TRAINING, decoding=DecodeSettings(max_tokens=8))
    with operator_by_operator():
        return run(arguments)


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
