"""What is no BERT that our encoder can be is refused; `test_parity` compares what it computes."""

import json
import shutil
from pathlib import Path

from core.errors import CheckpointError
from core.importing.encoder import read_encoder
from core.scoring.encoders import find
from tests.refusals import refusals

CHANGES = [
    {"model_type": "roberta"}, {"position_embedding_type": "relative_key"}, {"sparse": 1}, {"num_hidden_layers": 7},
    {"num_hidden_layers": 5}, {"intermediate_size": 99},
]  # fmt: skip


def test_what_is_no_such_encoder_is_refused(tmp_path: Path, snapshot) -> None:
    for path in find().folder.iterdir():
        if path.is_file() and path.name != "config.json":
            shutil.copy(path, tmp_path)
    values = json.loads((find().folder / "config.json").read_text())

    def read(change: dict[str, object]) -> None:
        (tmp_path / "config.json").write_text(json.dumps(values | change))
        read_encoder(tmp_path)

    assert refusals(CheckpointError, read, CHANGES, hide=tmp_path.name) == snapshot
