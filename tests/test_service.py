"""Summarizer on a small untrained model: what it returns, refuses and keeps."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.config import END, DecodeSettings
from core.decoding.decoders import KerasDecoder
from core.decoding.results import log_softmax
from core.errors import CheckpointError, DialogueError, SettingsError
from core.experiments import ablations
from core.service import Summarizer
from core.text.examples import load_examples
from core.trace import Summary
from tests.closeness import near
from tests.refusals import refusals, refused

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."
LONG = "\n".join(f"#Person{1 + turn % 2}#: this is turn number {turn} of a long talk." for turn in range(40))
GREEDY = DecodeSettings(strategy="greedy", max_tokens=14)
BEAM = DecodeSettings(strategy="beam", max_tokens=14)


@pytest.fixture(scope="module")
def beam(tiny: Summarizer) -> Summary:
    return tiny.summarize(DIALOGUE, BEAM)


def test_settings_of_the_card_and_of_greedy(tiny: Summarizer) -> None:
    # Without settings the card decides.
    assert tiny.summarize(DIALOGUE).settings == DecodeSettings(max_tokens=16)
    # Greedy has no beam and writes rank one tokens.
    summary = tiny.summarize(DIALOGUE, GREEDY.replace(no_repeat_ngram=0, whole_words=False))
    assert summary.beam is None
    assert all(step.rank == 1 for step in summary.steps if step.alternatives[0].text not in ("[PAD]", "[SOS]"))
    assert summary.finished == (summary.steps[-1].token.id == END)


@pytest.mark.numeric
def test_every_number_of_a_step_comes_from_the_logits(tiny: Summarizer, beam: Summary) -> None:
    rows = log_softmax(beam.logits)
    assert len(beam.steps) == len(rows)
    for step, row in zip(beam.steps, rows, strict=True):
        near(step.log_probability, row[step.token.id], depth=2)
        near(step.probability, np.exp(row[step.token.id]), depth=2)
        near(step.entropy, -(np.exp(row) * row).sum(), terms=len(row), depth=2)
        assert step.rank == 1 + (row > row[step.token.id]).sum()
        values = [alternative.probability for alternative in step.alternatives]
        assert values == sorted(values, reverse=True) and len(values) == 10
        near(values[0], np.exp(row.max()), depth=2)
        assert sum(values) < 1  # over the whole vocabulary, not renormalised
        assert step.copied is not None and 0 <= step.copied <= 1


@pytest.mark.numeric
def test_the_beam_and_its_hypotheses_agree_with_the_replay(beam: Summary) -> None:
    best = beam.hypotheses[0]
    assert best.text == beam.text
    # A sum of steps and their replay.
    near(best.log_probability, beam.log_probability, terms=192, depth=len(best.ids) * 10)
    near(best.score, best.log_probability / len(best.ids), depth=2)
    scores = [hypothesis.score for hypothesis in beam.hypotheses]
    assert scores == sorted(scores, reverse=True)
    assert beam.beam is not None and len(beam.beam.tokens) >= len(beam.steps)
    # The parents lead back through the beam.
    parents = [step.parent for step in beam.steps]
    for step, parent in enumerate(parents):
        same = beam.beam.tokens[step] == beam.steps[step].token.id
        assert (same & (beam.beam.parents[step] == parent)).any()
    if len(parents) > 1:
        first = np.flatnonzero((beam.beam.tokens[0] == beam.steps[0].token.id) & (beam.beam.kept[0] >= 0))
        assert beam.beam.kept[0][first[0]] == parents[1]


def test_names_stand_in_source_and_summary(tiny: Summarizer, beam: Summary) -> None:
    labels = [token for token in beam.source if token.text in ("Maya", "Tom") and token.id < 14]
    assert [DIALOGUE[token.start : token.end] for token in labels] == ["Maya", "Tom", "Maya"]
    forced = tiny.force(DIALOGUE, text := "Maya tells Tom that Tomorrow is near.")
    assert forced.text == text
    assert [token.id for token in forced.tokens if 4 < token.id < 14] == [labels[0].id, labels[1].id]


def test_a_forced_prefix_opens_the_summary_and_is_counted(tiny: Summarizer, beam: Summary, tmp_path: Path) -> None:
    ids = tiny.tokenizer.encode_summary("Tom likes")[:-1]
    for settings in (GREEDY, BEAM, BEAM.replace(strategy="sample")):
        assert tiny.summarize(DIALOGUE, settings, prefix=ids).text.startswith("Tom likes")
    assert beam.forced == 0
    summary = tiny.summarize(DIALOGUE, BEAM, prefix=ids)
    assert summary.forced == len(ids) < len(summary.steps)
    summary.save(tmp_path / "run.npz")
    assert Summary.load(tmp_path / "run.npz").forced == len(ids)
    ended = tiny.summarize(DIALOGUE, GREEDY, prefix=[*ids, END, 20])
    assert ended.text == "Tom likes" and ended.forced == len(ended.steps) == len(ids) + 1
    reference = tiny.force(DIALOGUE, "Tom likes Maya.")
    assert reference.forced == len(reference.steps)


def test_tokens_that_a_model_forces_or_suppresses(tiny: Summarizer) -> None:
    usual = tuple({step.token.id for step in tiny.summarize(DIALOGUE, GREEDY).steps} - {END})
    config = tiny.config.replace(forced_first=20, forced_last=True, suppressed=usual)
    weights = checkpoints.weights_of(tiny.model)
    model = Summarizer(dataclasses.replace(tiny.checkpoint, config=config, weights=weights))
    settings = GREEDY.replace(max_tokens=6, min_tokens=4)
    for strategy in ("greedy", "sample"):
        found = model.summarize(DIALOGUE, settings.replace(strategy=strategy))
        ids = [token.id for token in found.tokens]
        assert (ids[0], ids.index(END), found.forced) == (20, len(ids) - 1, 1)
        assert found.forced_end == (len(ids) == 6) != found.finished
        assert not {*ids[1:-1]} & {*usual}
    found = model.summarize(DIALOGUE, settings.replace(min_tokens=5))
    assert found.forced_end and not found.finished
    own = sum(step.log_probability for step in found.choices)  # both forced tokens count as certain
    near(found.hypotheses[0].log_probability, own, terms=192, depth=len(ids) * 10)
    assert [np.flatnonzero(~model.banned(found, step)).tolist() for step in (0, 5)] == [[20], [END]]
    for prefix in ((21,), (20, 21)):  # the forced token goes before what is given
        found = model.summarize(DIALOGUE, settings, prefix=prefix)
        assert [token.id for token in found.tokens[:2]] == [20, 21] and found.forced == 2


def test_every_step_says_what_its_rules_banned(tiny: Summarizer) -> None:
    prefix = tiny.tokenizer.encode_summary("Tom Tom likes likes")[:-1]
    summary = tiny.summarize(DIALOGUE, GREEDY.replace(no_repeat_ngram=1, min_tokens=10), prefix=prefix)
    bans = [tiny.banned(summary, step) for step in range(len(summary.steps))]
    # A forced step is judged like any other: "Tom" once is allowed, a second time it is not.
    assert [bool(bans[step][prefix[0]]) for step in range(3)] == [False, True, True]
    assert all(ban[END] for ban in bans[:10]) and not bans[10][END]
    for step in (-1, len(summary.steps)):
        with pytest.raises(SettingsError, match=f"step must be from 0 to {len(bans) - 1} .* Received: step={step}"):
            tiny.banned(summary, step)


def test_many_threads_get_their_own_summary(tiny: Summarizer) -> None:
    dialogues = [example.dialogue for example in load_examples()[:6]]
    expected = [tiny.summarize(dialogue, GREEDY).text for dialogue in dialogues]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda dialogue: tiny.summarize(dialogue, GREEDY).text, dialogues)) == expected


def test_odd_texts_are_summarized(snapshot, tiny: Summarizer) -> None:
    for text in ["word", "שלום, מה שלומך?", "👩‍👩‍👧 👍🏽", "<b>x</b> # y [a](b)", "a" * 3000, "\ud800 lone", "x\x00y"]:
        summary = tiny.summarize(text, GREEDY)
        assert summary.steps and summary.dialogue.text == text, text[:20]
        for token in summary.source:
            assert 0 <= token.start <= token.end <= len(text), text[:20]
    assert refusals(DialogueError, tiny.summarize, ["", "   \n ", "\n\n\n"]) == snapshot


def test_limits_of_the_model_are_said(snapshot, tiny: Summarizer, tiny_checkpoint: Path) -> None:
    cases = [tiny.summarize, lambda text, settings: tiny.write(tiny.encode(text), settings)]
    assert refusals(SettingsError, lambda write: write(DIALOGUE, DecodeSettings(max_tokens=25)), cases) == snapshot
    with pytest.raises(SettingsError, match="prefix must be shorter"):
        tiny.summarize(DIALOGUE, DecodeSettings(max_tokens=2), prefix=(20, 21))
    refused(SettingsError, "summary is too long", tiny.force, DIALOGUE, "word " * 50)
    refused(CheckpointError, "no such checkpoint. Received: 'nope'", Summarizer.load, "nope")
    # Identity names the weights.
    card = checkpoints.read_card(tiny_checkpoint)
    assert tiny.checkpoint.identity == f"tiny@{card['sha256']['weights.safetensors'][:12]}"


def test_a_long_dialogue_says_what_it_lost_and_is_encoded_as_it_is_summarized(snapshot, tiny: Summarizer) -> None:
    for truncation, lost, kept in (("middle", 20, {0, 39}), ("end", 39, {0}), ("start", 0, {39})):
        settings = GREEDY.replace(truncation=truncation)
        summary, encoded = tiny.summarize(LONG, settings), tiny.encode(LONG, truncation)
        assert lost in summary.omitted and kept.isdisjoint(summary.omitted)
        assert {*range(40)} == {token.turn for token in summary.source} ^ {*summary.omitted}
        assert encoded.tokens == summary.source and encoded.omitted == summary.omitted != ()
        given = tiny.summarize(encoded, GREEDY.replace(truncation="error"))  # it is cut already
        assert given.steps == summary.steps and given.dialogue.text == LONG and given.omitted == summary.omitted
    assert tiny.encode(LONG) == tiny.encode(LONG, tiny.settings.truncation)
    cases = [tiny.encode, lambda text, truncation: tiny.summarize(text, GREEDY.replace(truncation=truncation))]
    assert refusals(DialogueError, lambda read: read(LONG, "error"), cases) == snapshot


def test_writing_gives_the_summary_without_its_trace(tiny: Summarizer) -> None:
    for settings in [None, GREEDY, BEAM, BEAM.replace(strategy="sample", seed=3)]:
        encoded = tiny.encode(DIALOGUE)
        summary = tiny.summarize(DIALOGUE, settings)
        assert tiny.write(encoded, settings) == (summary.text, [token.id for token in summary.tokens]), settings
        other = tiny.engine.encode(tiny.encode("Ann: The cake is late.\nBob: No!").ids)
        text, ids = tiny.write(encoded, settings, memory=other)
        assert text == tiny.tokenizer.decode(ids, encoded.speakers)[0] != summary.text, settings


@pytest.mark.parametrize(
    "settings", [GREEDY, BEAM, BEAM.replace(strategy="sample", seed=3)], ids=["greedy", "beam", "sample"]
)
def test_summaries_that_are_written_at_once_are_those_of_each_alone(tiny: Summarizer, settings) -> None:
    """More than fit a batch; of one dialogue with own gates, of two, and from own memories."""
    one, two = tiny.encode(DIALOGUE), tiny.encode("Ann: The cake is late.\nBob: No!")
    heads = ablations.every_head(tiny.config)
    gates = [None, *(ablations.gates(tiny.config, [head]) for head in (*heads, *heads)[:9])]
    encoder_on = [ablations.gates(tiny.config, [head]) for head in heads if head.kind != "encoder"]
    for rows, own in (([one] * len(gates), gates), ([one] * len(encoder_on), encoder_on), ([one, two], gates[1:3])):
        alone = [tiny.write(each, settings, gate)[0] for each, gate in zip(rows, own, strict=True)]
        assert tiny.write_rows(rows, settings, own) == alone and len({*alone}) > 1
    memories = tiny.probes.encode_layers(one.ids)
    alone = [tiny.write(one, settings, memory=memory)[0] for memory in memories]
    assert tiny.write_rows([one] * len(memories), settings, memories=memories) == alone
    assert tiny.write_rows([one, two], settings) == [tiny.write(each, settings)[0] for each in (one, two)]


def test_where_a_decoder_has_no_gates_for_each_row_summaries_are_written_one_by_one(tiny, monkeypatch) -> None:
    encoded, gates = tiny.encode(DIALOGUE), ablations.gates(tiny.config, ablations.every_head(tiny.config)[:2])
    expected = [tiny.write(encoded, GREEDY, gate)[0] for gate in (gates, None)]
    monkeypatch.setattr(tiny.engine, "decoder", KerasDecoder(tiny.model, tiny.engine.traces))
    assert tiny.write_rows([encoded] * 2, GREEDY, [gates, None]) == expected


def test_a_given_summary_is_traced_on_an_encoded_dialogue(tiny: Summarizer) -> None:
    encoded = tiny.encode(DIALOGUE)
    for masked in (frozenset(), frozenset({1})):
        hidden = dataclasses.replace(encoded, masked=masked)
        found = tiny.force(hidden, "Maya tells Tom.")
        whole = tiny.force(DIALOGUE, "Maya tells Tom.")
        assert found.tokens == whole.tokens and found.source == whole.source
        assert (np.abs(found.logits - whole.logits).max() > 1e-4) == bool(masked)
        assert found.attention.copy is not None
        seen = found.attention.copy[:, [token.turn == 1 and token.id != END for token in found.source]]
        assert (seen == 0).all() == bool(masked)


def test_the_untrained_network_has_the_shape_and_other_weights(tiny: Summarizer, beam: Summary) -> None:
    checkpoint = tiny.checkpoint
    one, same, other = (Summarizer.untrained(checkpoint, seed) for seed in (0, 0, 1))
    assert one.config == checkpoint.config and one.tokenizer is checkpoint.tokenizer
    assert one.settings == tiny.settings
    assert one.checkpoint.identity == "tiny@0-untrained" and other.checkpoint.identity == "tiny@1-untrained"
    assert checkpoint.identity != one.checkpoint.identity and not one.checkpoint.history
    first, again, second, trained = (checkpoints.weights_of(each.model) for each in (one, same, other, tiny))
    assert set(first) == set(trained) and not one.checkpoint.weights
    for path, values in trained.items():
        fresh = first[path]
        assert fresh.shape == values.shape
        np.testing.assert_array_equal(fresh, again[path])
        if path.endswith(("kernel", "embedding/table")):
            assert np.abs(fresh - values).max() > 1e-2 and np.abs(fresh - second[path]).max() > 1e-2
    summary = one.force(DIALOGUE, beam.text)
    assert summary.checkpoint == "tiny@0-untrained" and np.abs(summary.logits[0] - beam.logits[0]).max() > 1e-2
    np.testing.assert_array_equal(tiny.summarize(DIALOGUE, BEAM).logits, beam.logits)  # the trained one stays
