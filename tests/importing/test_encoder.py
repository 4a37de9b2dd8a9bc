"""What is no BERT that our encoder can be is refused; `test_parity` compares what it computes."""

import json
import shutil
from pathlib import Path

import pytest

from core.errors import CheckpointError
from core.importing.encoder import read_encoder
from core.scoring.encoders import find


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "roberta"}, "the encoder must be a BERT. Received: model_type='roberta'"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type must be 'absolute' or None"),
        ({"sparse": 1}, "a setting that is not known here"),
        ({"num_hidden_layers": 7}, "has no tensor encoder.layer.6.attention.self.query.weight"),
        ({"num_hidden_layers": 5}, "a tensor that is not known here. Received: 'encoder.layer.5.attention"),
        ({"intermediate_size": 99}, "encoder.layer.0.intermediate.dense.weight must have the shape [99, 384]"),
    ],
)
def test_what_is_no_such_encoder_is_refused(change: dict[str, object], said: str, tmp_path: Path) -> None:
    for path in find().folder.iterdir():
        if path.is_file() and path.name != "config.json":
            shutil.copy(path, tmp_path)
    values = json.loads((find().folder / "config.json").read_text()) | change
    (tmp_path / "config.json").write_text(json.dumps(values))
    with pytest.raises(CheckpointError) as error:
        read_encoder(tmp_path)
    assert said in str(error.value)
