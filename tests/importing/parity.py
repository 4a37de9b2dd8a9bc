"""Imported networks beside those of transformers: the numbers of both, and what each writes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from core import checkpoints
from core.config import START, DecodeSettings
from core.decoding.engine import Engine
from core.decoding.search import BeamResult
from core.importing.encoder import read_encoder
from core.importing.families import model_config, read_weights
from core.importing.folder import open_folder
from core.importing.generation import read_generation
from core.model.transformer import Transformer
from core.scoring.encoders import find
from core.text.vocabulary import Vocabulary
from tests.closeness import same_hypotheses
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


class Compared(NamedTuple):
    """One result three times: ours and the peer's in float32, and the peer's in double precision."""

    ours: np.ndarray
    exact: np.ndarray
    peer: np.ndarray


def compare(peer: Any, imported: Imported, source: np.ndarray, target: np.ndarray) -> dict[str, Compared]:
    """Compute logits and every kind of attention; `target` begins with the start token."""
    ours = np.array(imported.vocabulary.ours, dtype=np.int32)
    inputs = ours[target]
    inputs[:, 0] = START
    replay = {name: np.asarray(values) for name, values in imported.model.replay(ours[source], inputs).items()}
    replay["logits"] = replay["logits"][..., ours]
    theirs = [_of_peer(each, source, target) for each in (peer.double, peer.float)]
    return {name: Compared(replay[name], *(each[name] for each in theirs)) for name in theirs[0]}


def _of_peer(cast: Callable[[], Any], source: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    import torch

    with torch.no_grad():
        found = cast()(input_ids=torch.tensor(source), decoder_input_ids=torch.tensor(target), output_attentions=True)
    kinds = {"encoder_self": "encoder_attentions", "decoder_self": "decoder_attentions", "cross": "cross_attentions"}
    attention = {kind: np.stack([each.numpy() for each in found[name]], axis=1) for kind, name in kinds.items()}
    return {"logits": found.logits.numpy(), **attention}


class Written(NamedTuple):
    """What the peer and ours write for a source, in the peer's ids without start and padding."""

    theirs: list[int]
    ours: BeamResult
    peer_of: Sequence[int]

    def same(self) -> bool:
        """Assert that both wrote the same, unless two candidates tied; return whether nothing tied."""
        return same_hypotheses(self._in_peers_ids(), [self.theirs])

    def equal(self) -> bool:
        """Return whether both wrote the same."""
        return list(self._in_peers_ids().hypotheses[0].ids) == self.theirs

    def _in_peers_ids(self) -> BeamResult:
        found = [each._replace(ids=[self.peer_of[token] for token in each.ids]) for each in self.ours.hypotheses]
        return self.ours._replace(hypotheses=tuple(found))


def written(peer: Any, imported: Imported, texts: np.ndarray) -> list[Written]:
    """Let both write for each source."""
    import torch

    theirs = peer.generate(torch.tensor(texts), do_sample=False).numpy()
    engine = Engine(imported.model)
    ours, end = np.array(imported.vocabulary.ours), imported.vocabulary.end
    pairs = []
    for text, row in zip(texts, theirs, strict=True):
        wanted = row[1:].tolist()
        wanted = wanted[: wanted.index(end) + 1] if end in wanted else wanted
        result = engine.beam_rows(engine.encode(ours[text].tolist()), imported.settings)[0]
        pairs.append(Written(wanted, result, imported.vocabulary.peer))
    return pairs


def compare_network(network: str, folder: Path) -> dict[str, Compared]:
    """Save a network with three layers in its decoder, import it, and `compare`."""
    layers = "num_decoder_layers" if network.endswith("t5") else "decoder_layers"
    peer = save(network, folder, **{layers: 3})
    target = sources(3, 14, seed=1)
    target[:, 0] = peer.generation_config.decoder_start_token_id or peer.config.decoder_start_token_id
    return compare(peer, read(folder), sources(3, 30), target)


def pairs(network: str, way: str, folder: Path, count: int = 10) -> list[Written]:
    """Save a network that decodes in one of `WAYS`, import it, and return `written` for random sources."""
    end = 0 if network == "marian" else 1 if network in ("pegasus", "t5", "flan-t5", "mt5") else 2
    settings = {key: end if value == "end" else value for key, value in WAYS[way].items()}
    peer = save(network, folder, settings)
    return written(peer, read(folder), sources(count, 25, seed=[*WAYS].index(way)))


def compare_encoder(texts: Sequence[str]) -> dict[str, Compared]:
    """Compute BERT's hidden states and attention with the real weights of MiniLM."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = find().folder
    config, weights, vocabulary = read_encoder(folder)
    model = Transformer(config)
    given = {each.path: each for each in model.trainable_variables if not each.path.startswith("decoder/")}
    assert set(weights) == {path for path in given if not path.startswith("target_")}
    for path, values in weights.items():
        given[path].assign(values)
    peer = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    inputs = AutoTokenizer.from_pretrained(folder)(list(texts), padding=True, return_tensors="pt")
    ours = model.encode(np.array(vocabulary.ours, np.int32)[inputs.input_ids.numpy()])
    real = inputs.attention_mask.numpy().astype(bool)

    def of_tokens(hidden: Sequence[Any], attention: Sequence[Any]) -> list[np.ndarray]:
        weights = np.stack([np.asarray(each).swapaxes(1, 2)[real] for each in attention])
        return [np.stack([np.asarray(each)[real] for each in hidden]), weights]

    found = [of_tokens(ours.hidden, ours.attention)]
    for cast in (peer.double, peer.float):
        with torch.no_grad():
            theirs = cast()(**inputs, output_hidden_states=True, output_attentions=True)
        found.append(of_tokens(theirs.hidden_states, theirs.attentions))
    return {name: Compared(*each) for name, *each in zip(("states", "encoder_self"), *found, strict=True)}
