"""What cannot be imported is refused in a sentence, and leaves nothing behind: one change to a whole folder each."""

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError, DialoscopeError, SettingsError
from core.importing.folder import INDEX, WEIGHTS, Tensor
from core.importing.generation import read_generation
from core.importing.run import import_model
from core.text.import_notes import said
from tests.needs import room
from tests.refusals import refused

Change = Callable[[Path], Any]
FIRST_MAP = "model.encoder.layers.0.fc1.weight"


def edit(name: str, **values: Any) -> Change:
    """Change settings in a JSON file; `...` takes one out."""

    def change(folder: Path) -> None:
        path = folder / name
        found = json.loads(path.read_text()) | values
        path.write_text(json.dumps({key: value for key, value in found.items() if value is not ...}))

    return change


config, generation = partial(edit, "config.json"), partial(edit, "generation_config.json")


def only(**values: Any) -> Change:
    return put("config.json", json.dumps(values))


def put(name: str, content: str | bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def cut(name: str, end: int) -> Change:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end])


def remove(*names: str) -> Change:
    return lambda folder: [(folder / name).unlink() for name in names]


def tensors(change: Callable[[dict[str, Any]], Any]) -> Change:
    def changed(folder: Path) -> None:
        found = load_file(folder / WEIGHTS)
        change(found)
        save_file(found, folder / WEIGHTS, {"format": "pt"})

    return changed


def indexed(**weight_map: str) -> Change:
    def change(folder: Path) -> None:
        (folder / WEIGHTS).rename(folder / "part.safetensors")
        (folder / INDEX).write_text(json.dumps({"weight_map": weight_map}))

    return change


POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1625\n"
REFUSED: dict[str, Change] = {
    "only pickled weights": lambda folder: (folder / WEIGHTS).rename(folder / "pytorch_model.bin"),
    "no weights": remove(WEIGHTS),
    "weights that end too early": cut(WEIGHTS, -500),
    "empty weights": cut(WEIGHTS, 0),
    "a web page for weights": put(WEIGHTS, "<!DOCTYPE html><p>Log in"),
    "a pointer for weights": put(WEIGHTS, POINTER),
    "a pointer for a tokenizer": put("tokenizer.json", POINTER),
    "a missing part": indexed(a="part.safetensors", b="other.safetensors"),
    "a part outside": indexed(a="../part.safetensors"),
    "a part without its tensor": indexed(a="part.safetensors"),
    "an index without a map": indexed(),
    "an output layer without its table": config(tie_word_embeddings=False),
    "still being downloaded": put("x.incomplete", ""),
    "no config": remove("config.json"),
    "a config that is no JSON": put("config.json", "{"),
    "a number that is none": config(dropout=float("nan")),
    "a config that is no text": put("config.json", b"\xff\xfe"),
    "a config that is a list": put("config.json", "[]"),
    "an unknown family": config(model_type="led"),
    "no family": config(model_type=["bart"]),
    "a decoder": only(model_type="gpt2", architectures=["GPT2LMHeadModel"]),
    "a new decoder": only(model_type="zeta", architectures=["ZetaForCausalLM"]),
    "an encoder": only(model_type="bert", architectures=["BertModel"]),
    "neither": only(architectures=7),
    "an unknown setting": config(sparse=True),
    "a missing setting": config(d_model=...),
    "an unsupported setting": config(tie_encoder_decoder=True),
    "quantised": config(quantization_config={"bits": 4}),
    "an unknown activation": config(activation_function="snake"),
    "heads that differ": config(encoder_attention_heads=2),
    "layers counted twice": config(num_hidden_layers=3),
    "width of another model": config(d_model=64),
    "width that is a text": config(d_model="32"),
    "vocabulary of another model": config(vocab_size=10**12),
    "positions of another model": config(max_position_embeddings=64),
    "feed-forward of another model": config(encoder_ffn_dim=40, decoder_ffn_dim=40),
    "more layers": config(encoder_layers=3, num_hidden_layers=3),
    "far too many layers": config(decoder_layers=900),
    "fewer layers": config(encoder_layers=1, num_hidden_layers=1),
    "an unknown tensor": tensors(lambda found: found.update({"adapter.weight": np.zeros(3, np.float32)})),
    "a missing tensor": tensors(lambda found: found.pop(FIRST_MAP)),
    "a copy that differs": tensors(
        lambda found: found.update({"model.encoder.embed_tokens.weight": found["model.shared.weight"] + np.float32(1)})
    ),
    "a bias of another vocabulary": tensors(lambda found: found.update(final_logits_bias=np.zeros((1, 9), np.float32))),
    "whole numbers": tensors(lambda found: found.update({FIRST_MAP: np.zeros((48, 32), np.int8)})),
    "no numbers": tensors(lambda found: found[FIRST_MAP].fill(np.nan)),
    "no tokenizer": remove("tokenizer.json", "tokenizer_config.json"),
    "a damaged tokenizer": cut("tokenizer.json", 90),
    "padding that is the end": config(pad_token_id=2),
    "no padding": config(pad_token_id=None),
    "an unknown setting of generation": generation(dreams=3),
    "20 beams": generation(num_beams=20),
    "beams that are a text": generation(num_beams="4"),
    "a penalty of repetition": generation(repetition_penalty=1.2),
    "banned words": generation(bad_words_ids=[[5, 6]]),
    "lengths that exclude each other": generation(min_length=30, forced_eos_token_id=None),
    "a forced token outside": generation(forced_bos_token_id=999),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case: str, bart: Path, tmp_path: Path, snapshot: Any) -> None:
    REFUSED[case](bart)
    with pytest.raises(DialoscopeError) as error:
        import_model(bart, tmp_path / "out", name="bart")
    assert str(error.value).replace(str(tmp_path), "") == snapshot
    assert os.listdir(tmp_path) == ["bart"]


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    why = r"there is no such folder\. Received: .*nothing'; a folder with config"
    refused(CheckpointError, why, import_model, tmp_path / "nothing", tmp_path / "out", name="bart")


@pytest.mark.parametrize("held", ["the model itself", "other files", "a file"])
def test_what_the_output_holds_is_not_replaced(held: str, bart: Path, tmp_path: Path) -> None:
    output = bart if held == "the model itself" else tmp_path / "out"
    if held == "other files":
        output.mkdir()
        (output / "thesis.txt").write_text("long")
    elif held == "a file":
        output.write_text("long")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    why = re.escape(f"Received: {str(output)!r}, which holds something else")
    refused(SettingsError, why, import_model, bart, output, name="bart")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_checkpoint_is_replaced_as_a_whole_or_stays(bart: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    import_model(bart, output, name="first")
    config(sparse=True)(bart)
    refused(CheckpointError, "sparse=True", import_model, bart, output, name="second")
    assert checkpoints.read_card(output)["source"] == "first"
    config(sparse=...)(bart)
    import_model(bart, output, name="third")
    assert checkpoints.read_card(output)["source"] == "third"


def test_full_disk(bart: Path, tmp_path: Path) -> None:
    why = "out cannot be written: File too large.*Make room there"
    with room(60_000):
        refused(CheckpointError, why, import_model, bart, tmp_path / "out", name="bart")
    assert os.listdir(tmp_path) == ["bart"]


def test_default_decoding_is_the_way_out(bart: Path, tmp_path: Path) -> None:
    asked = {"num_beams": 20, "encoder_no_repeat_ngram_size": 3, "dreams": 3, "bad_words_ids": [[5, 6], [9]]}
    generation(**asked, max_length=34, min_length=8, forced_bos_token_id=0)(bart)
    report = import_model(bart, tmp_path / "out", name="bart", decoding="default")
    found = report.decoding
    assert (found.strategy, found.beam_size, found.no_repeat_ngram, found.whole_words) == ("beam", 4, 3, False)
    assert (found.max_tokens, found.min_tokens) == (33, 7)
    assert report.model.forced_first is not None and len(report.model.suppressed) == 2  # padding, too
    card = checkpoints.read_card(tmp_path / "out")
    assert any("default settings of this project" in note for note in said(card["notes"]))


def test_one_value_of_a_tensor_that_is_no_number_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(np.array([1, np.nan, 2], np.float32).tobytes())
    assert Tensor("map", (1,), "F32", path, 8).read().tolist() == [2]
    why = "map in weights holds values that are no finite numbers"
    refused(CheckpointError, why, Tensor("map", (3,), "F32", path, 0).read)


@pytest.mark.parametrize(
    ("key", "neutral", "other"),
    [
        ("repetition_penalty", 1.0, 1.5), ("encoder_repetition_penalty", 1.0, 2.0), ("diversity_penalty", 0.0, 1.0),
        ("encoder_no_repeat_ngram_size", 0, 3), ("num_beam_groups", 1, 2),
    ],
)  # fmt: skip
def test_what_is_not_supported_may_be_said_if_it_changes_nothing(key: str, neutral: Any, other: Any) -> None:
    config, own = {"pad_token_id": 1}, {"decoder_start_token_id": 2, "eos_token_id": 2}
    assert read_generation(config, own | {key: neutral}).settings().strategy == "greedy"
    refused(CheckpointError, f"{key}={other}", read_generation, config, own | {key: other})
