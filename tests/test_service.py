"""Summarizer on a small untrained model: what it returns, refuses and keeps."""

import dataclasses
import re
import threading
from pathlib import Path

import numpy as np
import pytest

from core import checkpoints
from core.config import END, DecodeSettings
from core.decoding.results import log_softmax
from core.errors import CheckpointError, DialogueError, SettingsError
from core.service import Summarizer
from core.text.examples import load_examples
from core.trace import Summary

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."
GREEDY = DecodeSettings(strategy="greedy", max_tokens=14)
BEAM = DecodeSettings(strategy="beam", max_tokens=14)


@pytest.fixture(scope="module")
def summarizer(tiny: Summarizer) -> Summarizer:
    return tiny


@pytest.fixture(scope="module")
def beam(summarizer: Summarizer) -> Summary:
    return summarizer.summarize(DIALOGUE, BEAM)


def test_without_settings_the_card_decides(summarizer: Summarizer) -> None:
    assert summarizer.summarize(DIALOGUE).settings == DecodeSettings(max_tokens=16)


def test_every_number_of_a_step_comes_from_the_logits(summarizer: Summarizer, beam: Summary) -> None:
    rows = log_softmax(beam.logits)
    assert len(beam.steps) == len(rows)
    for step, row in zip(beam.steps, rows, strict=True):
        assert step.log_probability == pytest.approx(row[step.token.id])
        assert step.probability == pytest.approx(np.exp(row[step.token.id]))
        assert step.entropy == pytest.approx(-(np.exp(row) * row).sum(), rel=1e-4)
        assert step.rank == 1 + (row > row[step.token.id]).sum()
        values = [alternative.probability for alternative in step.alternatives]
        assert values == sorted(values, reverse=True) and len(values) == 10
        assert values[0] == pytest.approx(np.exp(row.max()))
        assert sum(values) < 1  # over the whole vocabulary, not renormalised
        assert step.copied is not None and 0 <= step.copied <= 1


def test_beam_hypotheses_and_replay_agree(beam: Summary) -> None:
    best = beam.hypotheses[0]
    assert best.text == beam.text
    assert best.log_probability == pytest.approx(beam.log_probability, abs=2e-3)
    assert best.score == pytest.approx(best.log_probability / len(best.ids), abs=1e-4)
    assert [hypothesis.score for hypothesis in beam.hypotheses] == sorted(
        (hypothesis.score for hypothesis in beam.hypotheses), reverse=True
    )
    assert beam.beam is not None and len(beam.beam.tokens) >= len(beam.steps)


def test_the_parents_lead_back_through_the_beam(beam: Summary) -> None:
    assert beam.beam is not None
    parents = [step.parent for step in beam.steps]
    for step, parent in enumerate(parents):
        same = beam.beam.tokens[step] == beam.steps[step].token.id
        assert (same & (beam.beam.parents[step] == parent)).any()
    if len(parents) > 1:
        first = np.flatnonzero((beam.beam.tokens[0] == beam.steps[0].token.id) & (beam.beam.kept[0] >= 0))
        assert beam.beam.kept[0][first[0]] == parents[1]


def test_greedy_has_no_beam_and_writes_rank_one_tokens(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(DIALOGUE, GREEDY.replace(no_repeat_ngram=0, whole_words=False))
    assert summary.beam is None
    assert all(step.rank == 1 for step in summary.steps if step.alternatives[0].text not in ("[PAD]", "[SOS]"))
    assert summary.finished == (summary.steps[-1].token.id == END)


def test_names_stand_in_source_and_summary(summarizer: Summarizer, beam: Summary) -> None:
    labels = [token for token in beam.source if token.text in ("Maya", "Tom") and token.id < 14]
    assert [DIALOGUE[token.start : token.end] for token in labels] == ["Maya", "Tom", "Maya"]
    assert {token.speaker for token in beam.source} == {"Maya", "Tom", None}
    forced = summarizer.force(DIALOGUE, "Maya tells Tom that Tomorrow is near.")
    assert forced.text == "Maya tells Tom that Tomorrow is near."
    assert [token.id for token in forced.tokens if 4 < token.id < 14] == [labels[0].id, labels[1].id]


def test_words_of_the_dialogue_stay_whole(summarizer: Summarizer) -> None:
    """The untrained model stutters; with whole words it writes none of the dialogue's words in pieces of its own."""
    known = set(re.findall(r"\w+", DIALOGUE))
    seen = {token.id for token in summarizer.summarize(DIALOGUE, GREEDY).source}

    def broken(whole: bool) -> int:
        count = 0
        for seed in range(8):
            settings = DecodeSettings(strategy="sample", seed=seed, max_tokens=20, whole_words=whole)
            words: dict[int, list] = {}
            for token in summarizer.summarize(DIALOGUE, settings).tokens[:-1]:
                words.setdefault(token.word, []).append(token)
            for tokens in words.values():
                text = "".join(token.text for token in tokens)
                count += all(token.id in seen for token in tokens) and text.isalnum() and text not in known
        return count

    assert broken(True) < broken(False)


def test_a_forced_prefix_opens_the_summary(summarizer: Summarizer) -> None:
    ids = summarizer.tokenizer.encode_summary("Tom likes")[:-1]
    for settings in (GREEDY, BEAM, BEAM.replace(strategy="sample")):
        assert summarizer.summarize(DIALOGUE, settings, prefix=ids).text.startswith("Tom likes")


def test_forced_tokens_are_counted(summarizer: Summarizer, beam: Summary, tmp_path: Path) -> None:
    ids = summarizer.tokenizer.encode_summary("Tom likes")[:-1]
    assert beam.forced == 0
    summary = summarizer.summarize(DIALOGUE, BEAM, prefix=ids)
    assert summary.forced == len(ids) < len(summary.steps)
    summary.save(tmp_path / "run.npz")
    assert Summary.load(tmp_path / "run.npz").forced == len(ids)
    ended = summarizer.summarize(DIALOGUE, GREEDY, prefix=[*ids, END, 20])
    assert ended.text == "Tom likes" and ended.forced == len(ended.steps) == len(ids) + 1
    reference = summarizer.force(DIALOGUE, "Tom likes Maya.")
    assert reference.forced == len(reference.steps)


def test_greedy_writes_the_best_token_that_the_rules_allow(summarizer: Summarizer) -> None:
    prefix = summarizer.tokenizer.encode_summary("Tom Tom likes likes")[:-1]
    summary = summarizer.summarize(DIALOGUE, GREEDY.replace(no_repeat_ngram=1, min_tokens=10), prefix=prefix)
    bans = [summarizer.banned(summary, step) for step in range(len(summary.steps))]
    for step in range(summary.forced, len(summary.steps)):
        assert np.where(bans[step], -np.inf, summary.logits[step]).argmax() == summary.tokens[step].id
    # A forced step is judged like any other: "Tom" once is allowed, a second time it is not.
    assert [bool(bans[step][prefix[0]]) for step in range(3)] == [False, True, True]
    assert all(ban[END] for ban in bans[:10]) and not bans[10][END]
    for step in (-1, len(summary.steps)):
        with pytest.raises(SettingsError, match=f"step must be from 0 to {len(bans) - 1} .* Received: step={step}"):
            summarizer.banned(summary, step)


def test_two_loads_in_one_process_agree(tiny_checkpoint: Path, summarizer: Summarizer, beam: Summary) -> None:
    again = Summarizer.load(tiny_checkpoint).summarize(DIALOGUE, BEAM)
    assert again.text == beam.text
    np.testing.assert_array_equal(again.logits, beam.logits)


def test_many_threads_get_their_own_summary(summarizer: Summarizer) -> None:
    dialogues = [example.dialogue for example in load_examples()[:6]]
    expected = [summarizer.summarize(dialogue, GREEDY).text for dialogue in dialogues]
    results: dict[int, str] = {}

    def work(index: int) -> None:
        results[index] = summarizer.summarize(dialogues[index], GREEDY).text

    threads = [threading.Thread(target=work, args=(index,)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[index] for index in range(6)] == expected


def test_a_long_dialogue_says_what_it_lost(summarizer: Summarizer) -> None:
    turns = [f"#Person{1 + number % 2}#: this is turn number {number} of a long talk." for number in range(40)]
    text = "\n".join(turns)
    middle = summarizer.summarize(text, GREEDY)
    assert middle.omitted and 0 not in middle.omitted and 39 not in middle.omitted
    assert 39 in summarizer.summarize(text, GREEDY.replace(truncation="end")).omitted
    assert 0 in summarizer.summarize(text, GREEDY.replace(truncation="start")).omitted
    read = {token.turn for token in middle.source}
    assert read.isdisjoint(middle.omitted) and len(read) + len(middle.omitted) == 40
    with pytest.raises(DialogueError, match="too long. Received: .* allowed: 192"):
        summarizer.summarize(text, GREEDY.replace(truncation="error"))


@pytest.mark.parametrize("text", ["", "   \n ", "\n\n\n"])
def test_nothing_to_summarise_is_said(summarizer: Summarizer, text: str) -> None:
    with pytest.raises(DialogueError, match="no words"):
        summarizer.summarize(text)


@pytest.mark.parametrize(
    "text", ["word", "שלום, מה שלומך?", "👩‍👩‍👧 👍🏽", "<b>x</b> # y [a](b)", "a" * 3000, "\ud800 lone", "x\x00y"]
)
def test_odd_texts_are_summarised(summarizer: Summarizer, text: str) -> None:
    summary = summarizer.summarize(text, GREEDY)
    assert summary.steps and summary.dialogue == text
    for token in summary.source:
        assert 0 <= token.start <= token.end <= len(text)


def test_limits_of_the_model_are_said(summarizer: Summarizer) -> None:
    with pytest.raises(SettingsError, match="at most 24"):
        summarizer.summarize(DIALOGUE, DecodeSettings(max_tokens=25))
    with pytest.raises(SettingsError, match="prefix must be shorter"):
        summarizer.summarize(DIALOGUE, DecodeSettings(max_tokens=2), prefix=(20, 21))
    with pytest.raises(SettingsError, match="summary is too long"):
        summarizer.force(DIALOGUE, "word " * 50)


def test_a_missing_checkpoint_names_what_there_is() -> None:
    with pytest.raises(CheckpointError, match="no such checkpoint. Received: 'nope'"):
        Summarizer.load("nope")


def test_a_dialogue_is_encoded_as_it_is_summarised(summarizer: Summarizer) -> None:
    long = "\n".join(f"#Person{1 + turn % 2}#: this is turn number {turn} of a long talk." for turn in range(40))
    for truncation in ("start", "middle", "end"):
        settings = GREEDY.replace(truncation=truncation)
        encoded = summarizer.encode(long, truncation)
        summary = summarizer.summarize(long, settings)
        assert encoded.tokens == summary.source and encoded.omitted == summary.omitted != ()
        given = summarizer.summarize(encoded, GREEDY.replace(truncation="error"))  # it is cut already
        assert given.steps == summary.steps and given.dialogue == long and given.omitted == summary.omitted
    assert summarizer.encode(long) == summarizer.encode(long, summarizer.settings.truncation)
    with pytest.raises(DialogueError, match="too long"):
        summarizer.encode(long, "error")


@pytest.mark.parametrize("settings", [None, GREEDY, BEAM, BEAM.replace(strategy="sample", seed=3)])
def test_writing_gives_the_summary_without_its_trace(summarizer: Summarizer, settings: DecodeSettings | None) -> None:
    encoded = summarizer.encode(DIALOGUE)
    summary = summarizer.summarize(DIALOGUE, settings)
    assert summarizer.write(encoded, settings) == (summary.text, [token.id for token in summary.tokens])
    other = summarizer.engine.encode(summarizer.encode("Ann: The cake is late.\nBob: No!").ids)
    text, ids = summarizer.write(encoded, settings, memory=other)
    assert text == summarizer.tokenizer.decode(ids, encoded.speakers)[0] != summary.text
    with pytest.raises(SettingsError, match="at most 24"):
        summarizer.write(encoded, DecodeSettings(max_tokens=25))


def test_a_given_summary_is_traced_on_an_encoded_dialogue(summarizer: Summarizer) -> None:
    encoded = summarizer.encode(DIALOGUE)
    for masked in (frozenset(), frozenset({1})):
        hidden = dataclasses.replace(encoded, masked=masked)
        found = summarizer.force(hidden, "Maya tells Tom.")
        whole = summarizer.force(DIALOGUE, "Maya tells Tom.")
        assert found.tokens == whole.tokens and found.source == whole.source
        assert (np.abs(found.logits - whole.logits).max() > 1e-4) == bool(masked)
        assert found.attention.copy is not None
        seen = found.attention.copy[:, [token.turn == 1 and token.id != END for token in found.source]]
        assert (seen == 0).all() == bool(masked)


def test_the_untrained_network_has_the_shape_and_other_weights(summarizer: Summarizer, beam: Summary) -> None:
    checkpoint = summarizer.checkpoint
    one, same, other = (Summarizer.untrained(checkpoint, seed) for seed in (0, 0, 1))
    assert one.config == checkpoint.config and one.tokenizer is checkpoint.tokenizer
    assert one.settings == summarizer.settings
    assert one.checkpoint.identity == "tiny@0-untrained" and other.checkpoint.identity == "tiny@1-untrained"
    assert checkpoint.identity != one.checkpoint.identity and not one.checkpoint.history
    assert set(one.checkpoint.weights) == set(checkpoint.weights)
    for path, values in checkpoint.weights.items():
        fresh = one.checkpoint.weights[path]
        assert fresh.shape == values.shape
        np.testing.assert_array_equal(fresh, same.checkpoint.weights[path])
        if path.endswith(("kernel", "embedding/table")):
            assert np.abs(fresh - values).max() > 1e-2 and np.abs(fresh - other.checkpoint.weights[path]).max() > 1e-2
    summary = one.summarize(DIALOGUE, BEAM)
    assert summary.checkpoint == "tiny@0-untrained" and np.abs(summary.logits[0] - beam.logits[0]).max() > 1e-2
    assert summary.text == same.summarize(DIALOGUE, BEAM).text
    np.testing.assert_array_equal(summarizer.summarize(DIALOGUE, BEAM).logits, beam.logits)  # the trained one stays


def test_the_trace_survives_saving(beam: Summary, tmp_path: Path) -> None:
    beam.save(tmp_path / "run.npz")
    again = Summary.load(tmp_path / "run.npz")
    assert again.steps == beam.steps and again.hypotheses == beam.hypotheses and again.settings == beam.settings
    np.testing.assert_array_equal(again.logits, beam.logits)
    assert again.beam is not None and beam.beam is not None
    np.testing.assert_array_equal(again.beam.kept, beam.beam.kept)
    assert again.attention.cross is not None and beam.attention.cross is not None
    np.testing.assert_array_equal(again.attention.cross, beam.attention.cross)


def test_identity_names_the_weights(summarizer: Summarizer, tiny_checkpoint: Path) -> None:
    card = checkpoints.read_card(tiny_checkpoint)
    assert summarizer.checkpoint.identity == f"tiny@{card['sha256']['weights.safetensors'][:12]}"
