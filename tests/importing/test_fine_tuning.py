"""An imported network is the start of an own summarizer: `train --start`."""

import json
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.cli.main import main
from core.importing.run import import_model
from core.service import Summarizer
from core.text.examples import load_examples
from tests.importing import networks, peer_tokenizers
from tests.models import operator_by_operator


@pytest.mark.slow
@pytest.mark.parametrize("family", ["bart", "t5"])
@operator_by_operator()
def test_a_few_steps_from_an_imported_network(family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    peer = tmp_path / "peer"
    tokenizer, _ = peer_tokenizers.save(family, peer)
    longest = {} if family == "t5" else {"max_position_embeddings": 400}
    networks.save(family, peer, {"max_length": 24, "num_beams": 4}, rows=len(tokenizer), **longest)
    begun = import_model(peer, tmp_path / "begun", name=f"made/{family}-samsum").checkpoint
    rows = [{"id": each.id, "dialogue": each.dialogue, "summary": each.references[0]} for each in load_examples()[:6]]
    corpus = tmp_path / "data.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["train", str(corpus), "--validation", str(corpus), "--start", str(begun), "--epochs", "3"]
    status = main([*command, "--output", str(tmp_path / "run"), "--json"])
    printed = capsys.readouterr()
    assert status == 0, printed.err
    report = json.loads(printed.out)
    trained, start = checkpoints.read(report["checkpoint"]), checkpoints.read(begun)
    assert trained.config == start.config and trained.card["decoding"] == start.card["decoding"]
    assert trained.card["pretraining"]["source"] == f"made/{family}-samsum" and trained.card["preset"] == "begun"
    assert trained.tokenizer.to_json() == start.tokenizer.to_json()
    losses = [row["validation_loss"] for row in checkpoints.read(tmp_path / "run" / "last").history]
    assert losses[2] < losses[1] < losses[0] < 20
    moved = {name for name, values in trained.weights.items() if not np.array_equal(values, start.weights[name])}
    assert len(moved) > len(start.weights) / 2
    never = Summarizer(trained).summarize(rows[0]["dialogue"]).logits[:, [1, 4]]
    assert (never < never.min(axis=-1, keepdims=True) + 1e9).all() and (never < -1e4).all()
