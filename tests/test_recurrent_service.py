"""A recurrent checkpoint through everything that reads, writes and asks one."""

import json
from pathlib import Path

import numpy as np
import pytest

from core import __main__, checkpoints
from core.config import PRESETS, DecodeSettings
from core.errors import SettingsError
from core.experiments import gradients, turn_effects
from core.experiments.architecture.describe import describe
from core.experiments.effects import Condition, untouched
from core.explain.attention import catalogue
from core.faults.run import turn_attention
from core.service import Summarizer
from core.trace import Summary
from tests.closeness import near, same_network

pytestmark = pytest.mark.numeric
DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."
OTHER = "Tom: Are you there?\nMaya: Yes, I am here now."
GREEDY = DecodeSettings(strategy="greedy", max_tokens=12)
BEAM = DecodeSettings(strategy="beam", beam_size=3, max_tokens=12)
SAMPLE = DecodeSettings(strategy="sample", max_tokens=12, seed=4)


@pytest.fixture(scope="module")
def looking(recurrent_checkpoints: Path) -> Summarizer:
    return Summarizer.load(recurrent_checkpoints / "looking")


@pytest.fixture(scope="module")
def plain(recurrent_checkpoints: Path) -> Summarizer:
    return Summarizer.load(recurrent_checkpoints / "plain")


def test_the_stored_configuration_and_another_network(recurrent_checkpoints, tiny_checkpoint, looking) -> None:
    stored = json.loads((recurrent_checkpoints / "looking" / "config.json").read_text())
    assert stored["family"] == "recurrent"
    assert checkpoints.read(recurrent_checkpoints / "looking").config.to_dict() == stored
    assert "family" not in json.loads((tiny_checkpoint / "config.json").read_text())
    # An untrained network is another one.
    other = Summarizer.untrained(looking.checkpoint, seed=1)
    assert other.config == looking.config and other.checkpoint.identity != looking.checkpoint.identity
    weights = checkpoints.weights_of(other.model)
    own = checkpoints.weights_of(looking.model)
    assert any(np.abs(weights[path] - values).max() > 0.1 for path, values in own.items())
    with pytest.raises(SettingsError, match="must have attention heads to measure. Received: 'looking'"):
        catalogue.measure(looking, [DIALOGUE], "none", "none")


def test_the_loop_and_the_replay_agree(looking: Summarizer) -> None:
    """Beams are reordered with their states, or the sum of the steps would differ."""
    for settings in (GREEDY, BEAM):
        found = looking.summarize(DIALOGUE, settings)
        best = found.hypotheses[0]
        assert best.text == found.text
        same_network(best.log_probability, found.log_probability, looking.config)
    assert any(step.parent for step in found.steps)
    assert dict(looking.engine.traces) == {"encode": 1, "cache": 2, "step": 2, "replay": 2}


def test_the_trace_has_cross_attention_alone(looking: Summarizer, tmp_path: Path) -> None:
    found = looking.summarize(DIALOGUE, BEAM)
    source, target = len(found.source), len(found.tokens)
    assert found.attention.cross.shape == (1, 1, target, source)
    near(found.attention.cross.sum(axis=-1), 1, terms=source, depth=4)
    others = ("encoder_self", "decoder_self", "p_gen", "copy")
    assert all(getattr(found.attention, name) is None for name in others)
    assert found.encoder_hidden.shape == (1, source, 8) and found.decoder_hidden.shape == (1, target, 8)
    assert all(step.copied is None for step in found.steps)
    found.save(tmp_path / "trace.npz")
    assert Summary.load(tmp_path / "trace.npz").text == found.text


def test_without_attention_there_is_nothing_to_draw(plain: Summarizer) -> None:
    found = plain.summarize(DIALOGUE, GREEDY)
    assert found.attention.cross is None and found.encoder_hidden.shape[0] == 1
    (draft,) = plain.write_batch([plain.encode(DIALOGUE)], GREEDY)
    assert draft.text == found.text and draft.attention.cross is None
    assert turn_attention(draft.attention, plain.encode(DIALOGUE).dialogue) == ()


def test_a_batch_writes_what_each_gets_alone(looking: Summarizer) -> None:
    encoded = [looking.encode(text) for text in (DIALOGUE, OTHER)]
    for settings in (BEAM, SAMPLE):
        drafts = looking.write_batch(encoded, settings)
        for text, draft in zip((DIALOGUE, OTHER), drafts, strict=True):
            alone = looking.summarize(text, settings)
            assert draft.text == alone.text
            same_network(draft.attention.cross, alone.attention.cross, looking.config)
            same_network(draft.log_probabilities.sum(), alone.log_probability, looking.config)


def test_turns_can_be_left_out_and_words_weighed(looking: Summarizer) -> None:
    found = looking.summarize(DIALOGUE, GREEDY)
    ids = [token.id for token in found.tokens]
    base = untouched(looking, Condition(looking.encode(DIALOGUE)), ids, GREEDY, found.text)
    same_network(base.log_probabilities.sum(), found.log_probability, looking.config)
    drops = [each.drop for each in turn_effects.leave_out(looking, base, (0, 1, 2), rewrite=False)]
    assert len(set(drops)) == 3 and all(drops)
    effects = gradients.gradient_times_input(looking, base, 2)
    place = int(np.abs(effects.source).argmax())
    measured = gradients.finite_difference(looking, base, 2, [place])
    assert measured == pytest.approx(float(effects.source[place]), rel=0.05, abs=1e-4)  # a step of finite size


def test_describe_lists_layers_with_their_sizes() -> None:
    facts, parameters = describe(PRESETS["lstm-attention"].model)
    found = {fact.path: fact for fact in facts}
    assert found["encoder"].output_shape == ("B", "S", 256) and found["encoder"].parameters == 4 * (128 + 256 + 1) * 256
    assert found["decoder"].output_shape == found["cross_attention"].output_shape == ("B", "T", 256)
    assert found["cross_attention/key_map"].output_shape == ("B", "S", 128)
    assert found["cross_attention"].source.startswith("core/model/sequence_attention.py:")
    assert found["output_layer"].output_shape == ("B", "T", 8000)
    assert sum(fact.parameters for path, fact in found.items() if "/" not in path) == parameters


def test_the_command_line_takes_it(plain: Summarizer, recurrent_checkpoints, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(Summarizer, "load", lambda _: plain)  # it is compiled
    text, folder = tmp_path / "dialogue.txt", str(recurrent_checkpoints / "plain")
    text.write_text(DIALOGUE)
    assert __main__.main(["summarize", str(text), "--checkpoint", folder, "--strategy", "greedy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checkpoint"].startswith("plain@")
    assert __main__.main(["describe", "slides-lstm"]) == 0
    assert "20,715,928 parameters" in capsys.readouterr().out
    assert __main__.main(["heads", str(text), "--checkpoint", folder]) == 2
