"""What cannot be imported is refused in a sentence, and leaves nothing behind: one change to a whole folder each."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core import checkpoints
from core.errors import CheckpointError, DialoscopeError, SettingsError
from core.importing.folder import Tensor
from core.importing.generation import read_generation
from core.importing.run import import_model
from tests.importing.folders import save_whole

Change = Callable[[Path], Any]
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
FIRST_MAP = "model.encoder.layers.0.fc1.weight"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "bart"
    save_whole("bart", folder)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "bart"))


def edit(name: str, **values: Any) -> Change:
    """Change settings in a JSON file; `...` takes one out."""

    def change(folder: Path) -> None:
        path = folder / name
        found = json.loads(path.read_text()) | values
        path.write_text(json.dumps({key: value for key, value in found.items() if value is not ...}))

    return change


def config(**values: Any) -> Change:
    return edit("config.json", **values)


def generation(**values: Any) -> Change:
    return edit("generation_config.json", **values)


def only(**values: Any) -> Change:
    return lambda folder: (folder / "config.json").write_text(json.dumps(values))


def put(name: str, content: str | bytes) -> Change:
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def cut(name: str, end: int) -> Change:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end])


def move(name: str, to: str) -> Change:
    return lambda folder: (folder / name).rename(folder / to)


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
WAY_OUT = "Import it with --decoding default"
TOKENIZER = "tokenizer.json", "tokenizer_config.json"
REFUSED: dict[str, tuple[Change, str]] = {
    "only pickled weights": (
        move(WEIGHTS, "pytorch_model.bin"),
        "there is no model.safetensors in bart, only pytorch_model.bin, which is refused",
    ),
    "no weights": (remove(WEIGHTS), "there is no model.safetensors and no model.safetensors.index.json in bart"),
    "weights that end too early": (cut(WEIGHTS, -500), "model.safetensors is damaged or cut off"),
    "empty weights": (cut(WEIGHTS, 0), "model.safetensors cannot be read: it is empty"),
    "a web page for weights": (put(WEIGHTS, "<!DOCTYPE html><p>Log in"), "it is a web page that was saved under this"),
    "a pointer for weights": (put(WEIGHTS, POINTER), "model.safetensors cannot be read: it is a Git LFS pointer"),
    "a pointer for a tokenizer": (
        put("tokenizer.json", POINTER),
        "tokenizer.json cannot be read: it is a Git LFS pointer",
    ),
    "a missing part": (
        indexed(a="part.safetensors", b="other.safetensors"),
        "bart is not complete: other.safetensors is missing, one of 2 files of weights",
    ),
    "a part outside": (indexed(a="../part.safetensors"), "names a file outside of the folder. Received: '../part"),
    "a part without its tensor": (indexed(a="part.safetensors"), "part.safetensors has no tensor a, which model"),
    "an index without a map": (indexed(), "model.safetensors.index.json has no weight_map"),
    "an output layer without its table": (
        config(tie_word_embeddings=False),
        "bart has no lm_head.weight, but its output layer is its own: tie_word_embeddings=False",
    ),
    "still being downloaded": (put("x.incomplete", ""), "bart is not complete: x.incomplete shows a download"),
    "no config": (remove("config.json"), "there is no config.json in bart: it is not a model's folder"),
    "a config that is no JSON": (put("config.json", "{"), "config.json is not JSON"),
    "a number that is none": (config(dropout=float("nan")), "config.json is not JSON: a number must be finite"),
    "a config that is no text": (put("config.json", b"\xff\xfe"), "config.json cannot be read"),
    "a config that is a list": (put("config.json", "[]"), "config.json must hold a JSON object. Received: list"),
    "an unknown family": (
        config(model_type="led"),
        "this family of encoder-decoders is not known. Received: 'led'; allowed: bart, mbart, pegasus, marian, ",
    ),
    "no family": (config(model_type=["bart"]), "this family of encoder-decoders is not known. Received: ['bart']"),
    "a decoder": (
        only(model_type="gpt2", architectures=["GPT2LMHeadModel"]),
        "'gpt2' is a decoder-only language model: it has no encoder. Allowed: bart, ",
    ),
    "a new decoder": (
        only(model_type="zeta", architectures=["ZetaForCausalLM"]),
        "'zeta' is a decoder-only language model: it has no encoder. Allowed: bart, ",
    ),
    "an encoder": (
        only(model_type="bert", architectures=["BertModel"]),
        "'bert' is an encoder alone: it writes nothing. Allowed: bart, ",
    ),
    "neither": (only(architectures=7), "None is no encoder-decoder that is known here. Allowed: bart, "),
    "an unknown setting": (
        config(sparse=True),
        "config.json has a setting that is not known here, and it may change what the model computes. "
        "Received: sparse=True",
    ),
    "a missing setting": (config(d_model=...), "config.json has no d_model, which a BART model needs"),
    "an unsupported setting": (
        config(tie_encoder_decoder=True),
        "config.json: tie_encoder_decoder must be False for an import. Received: tie_encoder_decoder=True",
    ),
    "quantised": (
        config(quantization_config={"bits": 4}),
        "config.json: quantization_config must be None for an import. Received: quantization_config={'bits': 4}",
    ),
    "an unknown activation": (
        config(activation_function="snake"),
        "config.json: the activation must be one of relu, gelu, gelu_new, gelu_pytorch_tanh, silu, swish. "
        "Received: 'snake'",
    ),
    "heads that differ": (
        config(encoder_attention_heads=2),
        "encoder_attention_heads and decoder_attention_heads must be equal here. Received: 2 and 4",
    ),
    "layers counted twice": (config(num_hidden_layers=3), "Received: num_hidden_layers=3 and 2"),
    "width of another model": (
        config(d_model=64),
        "config.json does not fit the weights: shared.weight must have the shape [407, 64]. Received: [407, 32]",
    ),
    "width that is a text": (config(d_model="32"), "config.json: d_model must be an integer"),
    "vocabulary of another model": (
        config(vocab_size=10**12),
        "shared.weight must have vocab_size rows. Received: vocab_size=1000000000000 and the shape [407, 32]",
    ),
    "positions of another model": (
        config(max_position_embeddings=64),
        "encoder.embed_positions.weight must have the shape [66, 32]. Received: [258, 32]",
    ),
    "feed-forward of another model": (
        config(encoder_ffn_dim=40, decoder_ffn_dim=40),
        "encoder.layers.0.fc1.weight must have the shape [40, 32]. Received: [48, 32]",
    ),
    "more layers": (
        config(encoder_layers=3, num_hidden_layers=3),
        "bart has no tensor encoder.layers.2.self_attn.q_proj.weight, which its config.json asks for",
    ),
    "far too many layers": (
        config(decoder_layers=900),
        "config.json does not fit the weights, which are 92 tensors. Received: decoder_layers=900",
    ),
    "fewer layers": (
        config(encoder_layers=1, num_hidden_layers=1),
        "bart has a tensor that is not known here. Received: 'encoder.layers.1.fc1.bias' (16 of ",
    ),
    "an unknown tensor": (
        tensors(lambda found: found.update({"adapter.weight": np.zeros(3, np.float32)})),
        "bart has a tensor that is not known here. Received: 'adapter.weight' (1 of ",
    ),
    "a missing tensor": (
        tensors(lambda found: found.pop(FIRST_MAP)),
        "bart has no tensor encoder.layers.0.fc1.weight, which its config.json asks for",
    ),
    "a copy that differs": (
        tensors(
            lambda found: found.update(
                {"model.encoder.embed_tokens.weight": found["model.shared.weight"] + np.float32(1)}
            )
        ),
        "encoder.embed_tokens.weight differs from model.shared.weight, of which it must be a copy",
    ),
    "a bias of another vocabulary": (
        tensors(lambda found: found.update(final_logits_bias=np.zeros((1, 9), np.float32))),
        "final_logits_bias must have a row for each of the 407 tokens of the vocabulary. Received: the shape [9]",
    ),
    "whole numbers": (
        tensors(lambda found: found.update({FIRST_MAP: np.zeros((48, 32), np.int8)})),
        "model.encoder.layers.0.fc1.weight in model.safetensors holds I8 numbers: quantised weights are not read",
    ),
    "no numbers": (
        tensors(lambda found: found[FIRST_MAP].fill(np.nan)),
        "model.encoder.layers.0.fc1.weight in model.safetensors holds values that are no finite numbers",
    ),
    "no tokenizer": (remove(*TOKENIZER), "has no tokenizer. Received: config.json, "),
    "a damaged tokenizer": (cut("tokenizer.json", 90), "tokenizer.json is damaged"),
    "padding that is the end": (
        config(pad_token_id=2),
        "config.json and the tokenizer do not fit: padding, end and unknown must be three tokens",
    ),
    "no padding": (config(pad_token_id=None), "the model must name one pad_token_id. Received: None"),
    "an unknown setting of generation": (
        generation(dreams=3),
        f"generation_config.json has a setting that is not known here. Received: dreams=3. {WAY_OUT}",
    ),
    "20 beams": (generation(num_beams=20), f"num_beams must be at most 8 here. Received: num_beams=20. {WAY_OUT}"),
    "beams that are a text": (generation(num_beams="4"), "num_beams must be an integer. Received: num_beams='4'"),
    "a penalty of repetition": (
        generation(repetition_penalty=1.2),
        f"repetition_penalty is not supported: it must be 1.0 or None. Received: repetition_penalty=1.2. {WAY_OUT}",
    ),
    "banned words": (
        generation(bad_words_ids=[[5, 6]]),
        f"bad_words_ids must ban single tokens here. Received: [[5, 6]]. {WAY_OUT}",
    ),
    "lengths that exclude each other": (
        generation(min_length=30, forced_eos_token_id=None),
        "min_length must be below max_length. Received: 30, 24",
    ),
    "a forced token outside": (
        generation(forced_bos_token_id=999),
        "forced_bos_token_id must be a token that can be written. Received: 999",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal(case: str, folder: Path, tmp_path: Path) -> None:
    change, said = REFUSED[case]
    change(folder)
    with pytest.raises(DialoscopeError) as error:
        import_model(folder, tmp_path / "out", name="bart")
    assert said in str(error.value)
    assert os.listdir(tmp_path) == ["bart"]


def test_tokenizer_with_more_ids_than_rows(tmp_path: Path) -> None:
    save_whole("bart", tmp_path / "bart", spare=-5)
    with pytest.raises(CheckpointError, match="a tokenizer with ids up to 403 and 400 rows of embeddings"):
        import_model(tmp_path / "bart", tmp_path / "out", name="bart")


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"there is no such folder\. Received: .*nothing'; a folder with config"):
        import_model(tmp_path / "nothing", tmp_path / "out", name="bart")


@pytest.mark.parametrize("held", ["the model itself", "other files", "a file"])
def test_what_the_output_holds_is_not_replaced(held: str, folder: Path, tmp_path: Path) -> None:
    output = folder if held == "the model itself" else tmp_path / "out"
    if held == "other files":
        output.mkdir()
        (output / "thesis.txt").write_text("long")
    elif held == "a file":
        output.write_text("long")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(SettingsError, match=re.escape(f"Received: {str(output)!r}, which holds something else")):
        import_model(folder, output, name="bart")
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_checkpoint_is_replaced_as_a_whole_or_stays(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    import_model(folder, output, name="first")
    config(sparse=True)(folder)
    with pytest.raises(CheckpointError):
        import_model(folder, output, name="second")
    assert checkpoints.read_card(output)["source"] == "first"
    config(sparse=...)(folder)
    import_model(folder, output, name="third")
    assert checkpoints.read_card(output)["source"] == "third"


def test_full_disk(folder: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limits[1]))  # bytes a file
    try:
        with pytest.raises(CheckpointError, match="out cannot be written: File too large.*Make room there"):
            import_model(folder, tmp_path / "out", name="bart")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert os.listdir(tmp_path) == ["bart"]


def test_default_decoding_is_the_way_out(folder: Path, tmp_path: Path) -> None:
    asked = {"num_beams": 20, "encoder_no_repeat_ngram_size": 3, "dreams": 3, "bad_words_ids": [[5, 6], [9]]}
    generation(**asked, max_length=34, min_length=8, forced_bos_token_id=0)(folder)
    report = import_model(folder, tmp_path / "out", name="bart", decoding="default")
    found = report.decoding
    assert (found.strategy, found.beam_size, found.no_repeat_ngram, found.whole_words) == ("beam", 4, 3, False)
    assert (found.max_tokens, found.min_tokens) == (33, 7)
    assert report.model.forced_first is not None and len(report.model.suppressed) == 2  # padding, too
    card = checkpoints.read_card(tmp_path / "out")
    assert any("default settings of this project" in note for note in card["notes"])


def test_one_value_of_a_tensor_that_is_no_number_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(np.array([1, np.nan, 2], np.float32).tobytes())
    assert Tensor("map", (1,), "F32", path, 8).read().tolist() == [2]
    with pytest.raises(CheckpointError, match="map in weights holds values that are no finite numbers"):
        Tensor("map", (3,), "F32", path, 0).read()


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
    with pytest.raises(CheckpointError, match=f"{key}={other}"):
        read_generation(config, own | {key: other})
