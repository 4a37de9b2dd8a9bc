"""A summarizer begun with BERT reads as BERT does, capitals or not, and can be trained."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer as Library

from core import checkpoints
from core.cli.main import main
from core.config import END, FIRST_TAG, START
from core.errors import CheckpointError
from core.importing.encoder import read_encoder
from core.importing.warm_start import chosen_pieces, warm_start
from core.model.families import build
from core.scoring.encoders import find
from core.text.dialogue import parse_dialogue
from core.text.examples import load_examples
from core.training.recipes.refining import with_layers
from tests.closeness import near, same_network
from tests.models import operator_by_operator
from tests.refusals import refused

TEXTS = [text for each in load_examples() for text in (each.dialogue, *each.references)] * 2


@pytest.fixture(scope="module")
def begun() -> checkpoints.Checkpoint:
    return warm_start(find().folder, TEXTS, [2, 6], max_target_length=40, copy_heads=3)


@pytest.mark.numeric
def test_it_reads_as_the_bert_does(begun: checkpoints.Checkpoint) -> None:
    """[CLS] and [SEP] are put around both here."""
    shape, weights, vocabulary = read_encoder(find().folder)
    bert, ours = build(shape), build(begun.config)
    checkpoints.set_weights(ours, begun.weights)
    for variable in bert.weights:
        if variable.path in weights:
            variable.assign(weights[variable.path])
    library = Library.from_file(str(find().folder / "tokenizer.json"))
    library.no_padding()

    def states(text: str) -> tuple[np.ndarray, np.ndarray]:
        pieces = begun.tokenizer.encode_summary(text)[:-1]
        theirs = library.encode(text, add_special_tokens=False)
        names = [begun.tokenizer.id_text(token).strip().lower() for token in pieces]
        assert names == [piece.removeprefix("##") for piece in theirs.tokens]
        read = ours.encode(np.array([[START, *pieces, END]]))
        expected = bert.encode(np.array([[START, *(vocabulary.ours[token] for token in theirs.ids), END]]))
        return np.asarray(read.states)[0], np.asarray(expected.states)[0]

    read, expected = states("the weather was nice on that day, and we went to the park.")
    same_network(read, expected, begun.config)
    read, expected = states("Hello, Tom! I don't think it's OK.")  # capitals and 't have marks of their own
    cosines = (read * expected).sum(-1) / np.linalg.norm(read, axis=-1) / np.linalg.norm(expected, axis=-1)
    assert 0.9 < cosines.min() and 0.98 < cosines.mean() < 0.9999


def test_the_decoder_begins_with_layers_of_the_encoder(begun: checkpoints.Checkpoint) -> None:
    weights = begun.weights
    parts = ["self_attention/query/kernel", "feed_forward/expand/bias", "self_residual/normalization/gamma"]
    parts += ["cross_attention/value/kernel", "cross_residual/normalization/beta"]
    for place, layer, part in [(*places, part) for places in ((1, 2), (2, 6)) for part in parts]:
        own = part.replace("cross_", "self_")
        np.testing.assert_array_equal(weights[f"decoder/block{place}/{part}"], weights[f"encoder/block{layer}/{own}"])
    assert (begun.config.decoder_layers, begun.config.copy_heads, begun.config.max_target_length) == (2, 3, 40)
    speakers, tags = weights["source_speakers/table"], weights["source_embedding/table"][FIRST_TAG : FIRST_TAG + 9]
    near(speakers[1:] - speakers[1], tags - tags[0], depth=2)
    near(speakers[1:].sum(axis=0), 0, terms=9)
    assert not speakers[0].any()
    refused(CheckpointError, r"numbers from 1 to 6. Received: \[2, 7\]", warm_start, find().folder, TEXTS, [2, 7])


def test_pieces_are_chosen_by_how_often_they_occur() -> None:
    library = Library.from_file(str(find().folder / "tokenizer.json"))
    library.no_padding()
    texts = ["Amanda's dripping tap. The tap drips, Amanda!"]
    found = chosen_pieces(library, texts, most=700)
    assert len(found) == 700 == len(set(found))
    once = {"ĠThe", "Ġdripping", "Ġdrip"}  # "The" occurs once, the others are cut in three and in two
    order = [found.index(piece) for piece in ("##Z", "Ã©", "ĠAmanda", "Ġtap", "Ġof")]
    assert order == sorted(order) and not once & set(found)  # characters, what occurs twice, other common words


@pytest.fixture(scope="module")
def small_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a BERT of random weights, with the pieces of the encoder."""
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("bert")
    shutil.copy(find().folder / "tokenizer.json", folder)
    values = json.loads((find().folder / "config.json").read_text()) | {"hidden_size": 24, "intermediate_size": 48}
    BertModel(BertConfig.from_dict(values)).save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps(values))
    return folder


@pytest.mark.slow
@operator_by_operator()
def test_begin_and_train_frozen_then_whole(
    small_bert: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"id": each.id, "dialogue": each.dialogue, "summary": each.references[0]} for each in load_examples()[:3]]
    corpus = tmp_path / "data.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def run(*arguments: str) -> dict[str, object]:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return dict(json.loads(capsys.readouterr().out))

    begun = tmp_path / "begun"
    run("begin", str(small_bert), str(corpus), "--output", str(begun))
    train = ["train", str(corpus), "--validation", str(corpus), "--preset", "minilm", "--precision", "float32"]
    first = run(*train, "--start", str(begun), "--epochs", "1", "--frozen", "3", "--output", str(tmp_path / "a"))
    assert checkpoints.read(begun).config.encoder_layers == 3
    start, frozen = checkpoints.read(begun), checkpoints.read(str(first["checkpoint"]))
    moved = {name for name, value in frozen.weights.items() if not np.array_equal(value, start.weights[name])}
    still = ("encoder/", "source_positions", "source_speakers", "source_norm")
    assert moved and not any(name.startswith(still) for name in moved)
    assert "source_embedding/table" not in moved and "source_embedding/bias" in moved
    # Then whole, from a start that brings its own shape: fewer layers, and no vectors of speakers.
    weights = {name: value for name, value in frozen.weights.items() if name != "source_speakers/table"}
    less = with_layers(replace(frozen, config=frozen.config.replace(speakers=0), weights=weights), [1])
    checkpoints.write(tmp_path / "less", less.config, less.tokenizer, less.weights, [], less.card)
    whole = run(*train, "--start", str(tmp_path / "less"), "--epochs", "1", "--output", str(tmp_path / "b"))
    after = checkpoints.read(str(whole["checkpoint"]))
    assert after.config == less.config != start.config
    first_map = "encoder/block1/self_attention/query/kernel"
    assert not np.array_equal(after.weights[first_map], start.weights[first_map])
    assert after.card["pretraining"]["training"]["frozen"] == 3
    assert after.tokenizer.encode_dialogue(parse_dialogue(rows[0]["dialogue"])).tokens
