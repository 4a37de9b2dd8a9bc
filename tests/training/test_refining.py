"""Tests of refining a checkpoint that knows nothing: what it writes, that it goes on, what it refuses."""

import json

import pytest

from core import checkpoints
from core.config import END, Preset, TrainConfig
from core.errors import CheckpointError
from core.scoring.rouge import rouge
from core.service import Summarizer
from core.training.loop import train
from core.training.recipes import refining
from core.training.recipes.examples import encode_examples
from tests.refusals import refused

pytestmark = pytest.mark.slow  # the summarizer that it starts from has learnt in a training of its own


@pytest.fixture(scope="module")
def data(corpus):
    """Ten dialogues: two batches."""
    dialogues = [f"#Person1#: The dog has {number} cats.\n#Person2#: No." for number in range(10)]
    return corpus([{"dialogue": dialogue, "summary": "A dog."} for dialogue in dialogues])


@pytest.fixture(scope="module")
def summarizer(tiny_checkpoint, data, tmp_path_factory) -> Summarizer:
    """It has learnt to write the one summary, and to end it."""
    begun = checkpoints.read(tiny_checkpoint)
    preset = Preset("A test.", begun.config)
    pairs = [each.pair for each in encode_examples(data, begun.tokenizer, preset)]
    config = TrainConfig(epochs=3, batch_tokens=100, learning_rate=3e-3, warmup_steps=5, average=0.0, patience=0)
    folder = tmp_path_factory.mktemp("start")
    result = train(pairs * 4, pairs, begun.config, config, begun.tokenizer, folder, begun.card)
    return Summarizer.load(result.last)


@pytest.fixture(scope="module")
def written(summarizer, data, tmp_path_factory):
    """Candidates of all ten, and their file."""
    path = tmp_path_factory.mktemp("run") / refining.FILE
    return refining.candidates(summarizer, data, path, progress=False), path


def test_candidates_are_what_the_widest_beam_leaves(written, summarizer, data):
    rows, _ = written
    assert len(rows) == len(data.dataset)
    assert all(row.candidates for row in rows)
    for row in rows:
        assert len(row.candidates) == len(row.merits) <= 8
        for ids, merit in zip(row.candidates, row.merits, strict=True):
            assert ids[-1] == END
            score = rouge(summarizer.tokenizer.decode(ids)[0], ["A dog."])
            assert merit == pytest.approx((score.rouge1 + score.rouge2 + score.rougeL) / 300)


def test_a_killed_run_goes_on(written, summarizer, data, tmp_path, monkeypatch):
    rows, path = written
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3  # a head and two batches
    cut = tmp_path / refining.FILE
    cut.write_bytes(lines[0] + lines[1] + lines[2][:50])
    calls = []
    judge = refining._judge
    monkeypatch.setattr(refining, "_judge", lambda *arguments: calls.append(1) or judge(*arguments))
    assert json.dumps(refining.candidates(summarizer, data, cut, progress=False)) == json.dumps(rows)
    assert len(calls) == 1 and cut.read_bytes() == path.read_bytes()


def test_a_file_of_another_run_is_refused(summarizer, data, tmp_path):
    path = tmp_path / refining.FILE
    head = '{"checkpoint": "other"}\n'
    for text, said in [(head, "another run"), ("no\n", "cannot be read"), ("", "cannot be read")]:
        path.write_text(text)
        refused(CheckpointError, said, refining.candidates, summarizer, data, path, progress=False)
        assert path.read_text() == text
