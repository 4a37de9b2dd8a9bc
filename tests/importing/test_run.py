"""Models of other libraries from their files to a summary: text, card, precision."""

import json
from collections import Counter
from functools import partial
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError
from core.figures.masks.typed_batch import own_ids
from core.importing import folder, piece_files
from core.importing.folder import INDEX, WEIGHTS, Tensor
from core.importing.run import Decoding, import_model
from core.service import Summarizer
from core.text.dialogue import parse_dialogue
from core.text.import_notes import said as sentences
from core.text.written import write
from core.trace import Summary
from tests.closeness import decided
from tests.importing.folders import GENERATION, REAL, WHOLE, change, peer_text, save_whole
from tests.refusals import refused

DIALOGUES = (
    "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow.",
    "Ann: hi\nBob: Hello! Are you coming at 7?",
    "Zoë: The café is closed – really?\nJürgen: Yes.",
)
MATRIX = ("encoder/block1/feed_forward/expand/kernel", "model.encoder.layers.0.fc1.weight")


@pytest.mark.parametrize(
    "family",
    [name if name == "bart" else pytest.param(name, marks=pytest.mark.slow) for name in WHOLE if name != "marian"],
)
def test_summaries_are_those_of_the_peer(family: str, tmp_path: Path) -> None:
    folder, output = tmp_path / family, tmp_path / "imported"
    peer, _ = save_whole(family, folder)
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: apache-2.0\n---\n# Model\n")
    report = import_model(folder, output, name=f"someone/{family}-small", precision="original", revision="abc")
    summarizer = Summarizer.load(output)
    style, prefix = ("names", "summarize: " if family == "t5" else "")
    texts = set()
    for dialogue in DIALOGUES:
        summary = summarizer.summarize(dialogue)
        written = write(parse_dialogue(dialogue), style, prefix).text
        theirs, scores = peer_text(folder, peer, written), summary.beam.scores
        assert summary.text == theirs or decided(scores) < len(scores)  # behind a tie both may write on differently
        assert len({token.turn for token in summary.source} - {None}) == dialogue.count("\n") + 1
        texts.add(summary.text)
    assert len(texts) > 1 and max(map(len, texts)) > 10
    card = checkpoints.read_card(output)
    names = ("source", "revision", "licence", "dialogue", "prefix", "precision", "parameters")
    wanted = (f"someone/{family}-small", "abc", "apache-2.0", style, prefix, "original", report.parameters)
    assert tuple(card[name] for name in names) == wanted
    assert {"config.json", "generation_config.json", "model.safetensors"} < set(card["files"])
    assert all(sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in card["files"].items())
    decoding = {name: card["decoding"][name] for name in ("strategy", "beam_size", "max_tokens", "min_tokens")}
    assert decoding == {"strategy": "beam", "beam_size": 4, "max_tokens": 23, "min_tokens": 5}
    assert (card["decoding"]["whole_words"], card["decoding"]["early_stopping"]) == (False, True)


@pytest.mark.slow
def test_marian_writes_what_the_peer_writes(tmp_path: Path) -> None:
    import torch

    peer, _ = save_whole("marian", tmp_path)
    report = import_model(tmp_path, tmp_path / "out", name="marian", precision="original", dialogue="text")
    summarizer = Summarizer.load(tmp_path / "out")
    compared = 0
    for text, ids in zip(REAL["texts"], REAL["marian"]["sources"], strict=True):
        encoded = summarizer.encode(text)
        if write(encoded.dialogue, "text").text != text or len(ids) > 200 or compared == 5:
            continue
        theirs = peer.generate(torch.tensor([ids]), do_sample=False)[0, 1:].tolist()
        summary = summarizer.summarize(encoded)
        ours = [summarizer.tokenizer.peer_id(token.id) for token in summary.tokens]
        if decided(summary.beam.scores) == len(summary.beam.scores):
            assert ours == theirs[: len(ours)] and set(theirs[len(ours) :]) <= {peer.config.pad_token_id}
        compared += 1
    assert compared == 5
    assert {"source.spm", "target.spm", "vocab.json"} < set(report.files)


def test_options_decide_how_a_dialogue_is_written(bart: Path, tmp_path: Path) -> None:
    import_model(bart, tmp_path / "out", name="t5", dialogue="tags", prefix="dialogue: ")
    summarizer = Summarizer.load(tmp_path / "out")
    source, tokenizer = summarizer.encode(DIALOGUES[1]).tokens, summarizer.tokenizer
    assert "".join(token.text for token in source[1:-1]).replace(" ", "").startswith("dialogue:#Person1#:hi")
    card = checkpoints.read_card(tmp_path / "out")
    assert (card["dialogue"], card["prefix"]) == ("tags", "dialogue: ")
    pad = tokenizer.vocabulary.pad
    assert own_ids(tokenizer).startswith(f"In this model's own vocabulary padding is id {pad}; here")
    # A trace of an import is saved and read.
    summary = summarizer.summarize(DIALOGUES[0])
    summary.save(tmp_path / "trace.npz")
    assert Summary.load(tmp_path / "trace.npz").text == summary.text


def test_each_tensor_and_each_file_of_the_tokenizer_is_read_once(
    bart: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = load_file(bart / WEIGHTS)
    table = weights["model.shared.weight"]
    save_file({**weights, "model.encoder.embed_tokens.weight": table, "lm_head.weight": table}, bart / WEIGHTS)
    names: Counter[str] = Counter()
    for owner, method in ((Tensor, "read"), (piece_files, "read_text")):
        plain = getattr(owner, method)
        monkeypatch.setattr(owner, method, lambda each, plain=plain: (names.update([each.name]), plain(each))[1])
    import_model(bart, tmp_path / "out", name="bart")
    assert names == Counter([*load_file(bart / WEIGHTS), "tokenizer.json"])


@pytest.mark.parametrize("asked", [0, 10, 40])
def test_a_cancelled_import_stops_and_writes_nothing(asked: int, bart: Path, tmp_path: Path) -> None:
    stop = partial(next, iter([False] * asked), True)
    why = "the import of bart was cancelled"
    refused(CheckpointError, why, import_model, bart, tmp_path / "out", name="bart", cancelled=stop)
    assert not (tmp_path / "out").exists()


def test_hashing_asks_between_the_parts_of_a_file(bart: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = folder.open_folder(bart)
    sizes = [(bart / name).stat().st_size for name in found.files]
    monkeypatch.setattr(folder, "PART", 10_000)
    asked: list[None] = []
    whole = folder.sha256(found, lambda: asked.append(None))
    assert whole == {name: sha256((bart / name).read_bytes()).hexdigest() for name in found.files}
    assert len(asked) == sum(-(-size // 10_000) for size in sizes) > 2 * len(sizes)


@pytest.mark.parametrize(("decoding", "most", "said"), [("own", 20, 1), ("default", 80, 0)])
def test_a_model_that_names_no_length(decoding: Decoding, most: int, said: int, tmp_path: Path) -> None:
    save_whole("bart", tmp_path / "bart", {}, max_position_embeddings=100)
    report = import_model(tmp_path / "bart", tmp_path / "out", name="bart", decoding=decoding)
    assert report.decoding.max_tokens == most
    note = "at most 20 tokens, as in transformers. “--decoding default”"
    assert sum(note in each for each in sentences(report.notes)) == said


def test_precision(bart: Path, tmp_path: Path) -> None:
    given = load_file(bart / WEIGHTS)[MATRIX[1]].T
    found = {}
    for precision in ("original", "half"):
        import_model(bart, tmp_path / precision, name="bart", precision=precision)  # type: ignore[arg-type]
        found[precision] = checkpoints.read(tmp_path / precision).weights
    assert {values.dtype.name for values in found["original"].values()} == {"float32"}
    np.testing.assert_array_equal(found["original"][MATRIX[0]], given)
    assert {values.dtype.name for values in found["half"].values()} == {"float16"}
    for path, values in found["half"].items():
        np.testing.assert_array_equal(values, found["original"][path].astype(np.float16))


@pytest.mark.parametrize(("dtype", "stored"), [("bfloat16", "float32"), ("float16", "float16")])
def test_files_in_half_precision(dtype: str, stored: str, tmp_path: Path) -> None:
    import torch

    peer, _ = save_whole("bart", tmp_path)
    halved = peer.to(getattr(torch, dtype))
    halved.save_pretrained(tmp_path)
    import_model(tmp_path, tmp_path / "out", name="bart", precision="original")
    found = checkpoints.read(tmp_path / "out").weights[MATRIX[0]]
    assert found.dtype == stored
    np.testing.assert_array_equal(found, halved.state_dict()[MATRIX[1]].float().numpy().T)


def test_numbers_beyond_half_precision_are_refused_by_name(tmp_path: Path) -> None:
    import torch

    peer, _ = save_whole("bart", tmp_path)
    with torch.no_grad():
        peer.get_parameter(MATRIX[1])[3, 4] = 7e4
    peer.save_pretrained(tmp_path)
    why = r"layers\.0\.fc1\.weight has numbers that half .* --precision original"
    refused(CheckpointError, why, import_model, tmp_path, tmp_path / "out", name="bart")
    assert not (tmp_path / "out").exists()
    import_model(tmp_path, tmp_path / "out", name="bart", precision="original")
    assert checkpoints.read(tmp_path / "out").weights[MATRIX[0]][4, 3] == np.float32(7e4)


def test_weights_in_several_files(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    peer, _ = save_whole("bart", parts)
    import_model(parts, tmp_path / "whole", name="bart", precision="original")
    (parts / WEIGHTS).unlink()
    peer.save_pretrained(parts, max_shard_size="40KB")
    shards = set(json.loads((parts / INDEX).read_text())["weight_map"].values())
    assert len(shards) > 3
    report = import_model(parts, tmp_path / "out", name="bart", precision="original")
    whole, again = (checkpoints.read(tmp_path / name).weights for name in ("whole", "out"))
    np.testing.assert_equal(again, whole)
    assert shards < set(report.files)


def test_generation_of_config_json_counts_where_there_is_no_file_of_its_own(bart: Path, tmp_path: Path) -> None:
    (bart / "generation_config.json").unlink()
    asked = {**GENERATION, "max_length": 30, "length_penalty": 2.0, "forced_bos_token_id": 0}
    change(bart / "config.json", **asked)
    settings = import_model(bart, tmp_path / "out", name="bart").decoding
    assert (settings.beam_size, settings.length_penalty, settings.max_tokens) == (4, 2.0, 29)
    summary = Summarizer.load(tmp_path / "out").summarize(DIALOGUES[0])
    assert summary.tokens[0].text == "<s>"
