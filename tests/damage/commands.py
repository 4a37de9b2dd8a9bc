"""The command line with a preset and a toy that train in seconds, for processes that are killed or meet a full disk."""

from core.cli.main import main as run
from core.config import PRESETS, DecodeSettings, Preset, TrainConfig
from core.evaluation.judge import Measures
from core.training import toys
from core.training.recipes import fitting
from tests.models import SHARED, operator_by_operator, small

TRAINING = TrainConfig(epochs=3, warmup_steps=2, batch_tokens=200, precision="float32")


def main(arguments: list[str]) -> int:
    """Run a command without XLA and BERTScore; `small` is a preset, and the toy `copy` sees its letters once."""
    fitting.Measures = lambda _: Measures()
    toys.EPOCHS["copy"] = 1
    PRESETS["small"] = Preset("A test.", small(320, **SHARED), training=TRAINING, decoding=DecodeSettings(max_tokens=8))
    with operator_by_operator():
        return run(arguments)


if __name__ == "__main__":
    import sys

    sys.exit(main(sys.argv[1:]))
