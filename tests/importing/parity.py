"""Imported networks beside those of transformers: how far numbers differ, and what each writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core import checkpoints
from core.config import START, DecodeSettings
from core.decoding.engine import Engine
from core.importing.encoder import read_encoder
from core.importing.families import model_config, read_weights
from core.importing.folder import open_folder
from core.importing.generation import read_generation
from core.model.transformer import Transformer
from core.scoring.encoders import find
from core.text.vocabulary import Vocabulary
from tests.importing.networks import ROWS, save, sources

UNKNOWN = 7
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {"max_length": 16},
    "greedy, forced end": {"max_new_tokens": 9, "forced_eos_token_id": "end", "no_repeat_ngram_size": 2},
    "4 beams": {"num_beams": 4, "max_length": 16, "length_penalty": 2.0, "no_repeat_ngram_size": 3},
    "4 beams, early": {"num_beams": 4, "max_length": 16, "early_stopping": True, "min_length": 5},
    "5 beams, forced": {
        **{"num_beams": 5, "max_length": 12, "early_stopping": True, "length_penalty": 0.6},
        **{"forced_bos_token_id": 12, "forced_eos_token_id": "end", "no_repeat_ngram_size": 2},
    },
}


class Imported(NamedTuple):
    """A network here, with the two orders of ids and what it asks of decoding."""

    model: Transformer
    vocabulary: Vocabulary
    settings: DecodeSettings


def read(folder: Path) -> Imported:
    """Import a network without its tokenizer."""
    found = open_folder(folder)
    generation = read_generation(found.config, found.generation)
    vocabulary = Vocabulary(ROWS, generation.pad, generation.start, generation.end, UNKNOWN)
    settings = generation.settings()
    config = model_config(found.config, vocabulary, settings.max_tokens, **generation.forced(vocabulary))
    config, weights, _ = read_weights(found, config, vocabulary)
    model = Transformer(config)
    checkpoints.set_weights(model, weights)
    return Imported(model, vocabulary, settings)


def differences(peer: Any, imported: Imported, source: np.ndarray, target: np.ndarray) -> dict[str, float]:
    """Return the largest differences of logits and of every kind of attention; `target` begins with the start token.

    The peer computes in double precision, so that only our own rounding counts, and not a processor's against another.
    """
    import torch

    with torch.no_grad():
        theirs = peer.double()(
            input_ids=torch.tensor(source), decoder_input_ids=torch.tensor(target), output_attentions=True
        )
    ours = np.array(imported.vocabulary.ours, dtype=np.int32)
    inputs = ours[target]
    inputs[:, 0] = START
    replay = imported.model.replay(ours[source], inputs)
    found = {"logits": float(np.abs(np.asarray(replay["logits"])[..., ours] - theirs.logits.numpy()).max())}
    kinds = {
        "encoder_self": theirs.encoder_attentions,
        "decoder_self": theirs.decoder_attentions,
        "cross": theirs.cross_attentions,
    }
    for kind, layers in kinds.items():
        stacked = np.stack([each.numpy() for each in layers], axis=1)
        assert np.asarray(replay[kind]).shape == stacked.shape
        found[kind] = float(np.abs(np.asarray(replay[kind]) - stacked).max())
    return found


def written(peer: Any, imported: Imported, texts: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Return what the peer and ours write for each source, in the peer's ids without start and padding."""
    import torch

    with torch.no_grad():
        theirs = peer.generate(torch.tensor(texts), do_sample=False).numpy()
    engine = Engine(imported.model)
    ours, peer_of = np.array(imported.vocabulary.ours), imported.vocabulary.peer
    pairs = []
    for text, row in zip(texts, theirs, strict=True):
        result = engine.beam(engine.encode(ours[text].tolist()), imported.settings)
        ids = np.array(result.hypotheses[0].ids)
        end = imported.vocabulary.end
        wanted = row[1:].tolist()
        wanted = wanted[: wanted.index(end) + 1] if end in wanted else wanted
        pairs.append((wanted, [peer_of[each] for each in ids]))
    return pairs


def network_differences(network: str, folder: Path) -> dict[str, float]:
    """Save a network with three layers in its decoder, import it, and return `differences`."""
    layers = "num_decoder_layers" if network.endswith("t5") else "decoder_layers"
    peer = save(network, folder, **{layers: 3})
    target = sources(3, 14, seed=1)
    target[:, 0] = peer.generation_config.decoder_start_token_id or peer.config.decoder_start_token_id
    return differences(peer, read(folder), sources(3, 30), target)


def pairs(network: str, way: str, folder: Path, count: int = 10) -> list[tuple[list[int], list[int]]]:
    """Save a network that decodes in one of `WAYS`, import it, and return `written` for random sources."""
    end = 0 if network == "marian" else 1 if network in ("pegasus", "t5", "flan-t5", "mt5") else 2
    settings = {key: end if value == "end" else value for key, value in WAYS[way].items()}
    peer = save(network, folder, settings)
    return written(peer, read(folder), sources(count, 25, seed=[*WAYS].index(way)))


def encoder_differences(texts: Sequence[str]) -> tuple[float, float]:
    """Return the largest differences of BERT's hidden states and attention, with the real weights of MiniLM.

    As in `differences`, the peer computes in double precision.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = find().folder
    config, weights, vocabulary = read_encoder(folder)
    model = Transformer(config)
    given = {each.path: each for each in model.trainable_variables if not each.path.startswith("decoder/")}
    assert set(weights) == {path for path in given if not path.startswith("target_")}
    for path, values in weights.items():
        given[path].assign(values)
    peer = AutoModel.from_pretrained(folder, attn_implementation="eager").eval().double()
    inputs = AutoTokenizer.from_pretrained(folder)(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        theirs = peer(**inputs, output_hidden_states=True, output_attentions=True)
    found = model.encode(np.array(vocabulary.ours, np.int32)[inputs.input_ids.numpy()])
    real = inputs.attention_mask.numpy().astype(bool)
    states = zip(found.hidden, theirs.hidden_states, strict=True)
    weights_of = zip(found.attention, theirs.attentions, strict=True)
    return (
        max(float(np.abs(np.asarray(ours) - other.numpy())[real].max()) for ours, other in states),
        max(float(np.abs(np.asarray(ours) - other.numpy()).swapaxes(1, 2)[real].max()) for ours, other in weights_of),
    )
