"""The last row of each lens is the model itself; earlier rows are its own layers, read by its own head."""

import numpy as np
import pytest

from core.experiments.interventions import Condition, Untouched, untouched
from core.experiments.lenses import TOP, decoder_lens, first_layers, logit_lens, words
from core.service import Summarizer
from core.text.arrangement import arrange, plain
from tests.experiments.conftest import script

# Logit lens --------------------------------------------------------------------------------------------------------


def check_last_layer(summarizer: Summarizer, base: Untouched) -> None:
    summary = summarizer.summarize(base.condition.encoded)
    with summarizer.calls:
        logits = summarizer.probes.lens(base.condition.encoded.ids, base.ids)
    np.testing.assert_allclose(logits[-1], summary.logits, rtol=0, atol=1e-4)
    found = logit_lens(summarizer, base)
    layers, steps = summarizer.config.decoder_layers + 1, len(base.ids)
    assert found.top.shape == found.top_probability.shape == (layers, steps, TOP)
    assert found.probability.shape == found.rank.shape == (layers, steps)
    assert found.rank[-1].tolist() == [step.rank for step in summary.steps]
    np.testing.assert_allclose(found.probability[-1], [step.probability for step in summary.steps], rtol=0, atol=1e-5)
    for place, step in enumerate(summary.steps):
        best = step.alternatives[:TOP]
        assert found.top[-1, place].tolist() == [each.id for each in best]
        np.testing.assert_allclose(found.top_probability[-1, place], [each.probability for each in best], atol=1e-5)


def test_the_last_decoder_layer_is_the_models_own_output(summarizer: Summarizer, base: Untouched) -> None:
    check_last_layer(summarizer, base)


def test_earlier_decoder_layers_are_read_by_the_same_head(summarizer: Summarizer, base: Untouched) -> None:
    """Layer by layer from the trace's hidden states; for a copying model the mixture must hold too."""
    found = logit_lens(summarizer, base)
    with summarizer.calls:
        logits = summarizer.probes.lens(base.condition.encoded.ids, base.ids).astype(np.float64)
    shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    model = summarizer.model
    if not summarizer.config.copy:
        hidden = summarizer.summarize(base.condition.encoded).decoder_hidden
        for layer, states in enumerate(hidden):
            own = np.asarray(model.generator_logits(states[None]))[0]  # post-norm: taken as they are
            np.testing.assert_allclose(logits[layer], own, rtol=0, atol=2e-4)
    for layer, step in np.ndindex(*found.rank.shape):
        written = shares[layer, step, base.ids[step]]
        assert found.probability[layer, step] == pytest.approx(written, abs=1e-5)
        assert found.rank[layer, step] == 1 + (logits[layer, step] > logits[layer, step, base.ids[step]]).sum()
        order = np.argsort(-logits[layer, step], kind="stable")[:TOP]
        assert found.top[layer, step].tolist() == order.tolist()
    assert (found.rank[0] > 1).any() and np.abs(found.probability[1] - found.probability[-1]).max() > 1e-3


def test_the_lens_of_a_masked_turn_is_that_of_its_run(summarizer: Summarizer, base: Untouched) -> None:
    encoded = arrange(base.condition.encoded, plain(base.condition.encoded).flipped_mask(1))
    text, ids = summarizer.write(encoded)
    check_last_layer(summarizer, untouched(summarizer, Condition(encoded), ids, base.settings, text))


# DecoderLens -------------------------------------------------------------------------------------------------------


def test_the_last_encoder_layer_writes_the_summary_itself(summarizer: Summarizer, base: Untouched) -> None:
    encoded = base.condition.encoded
    found = decoder_lens(summarizer, base)
    assert len(found) == summarizer.config.encoder_layers + 1 == 3
    with summarizer.calls:
        memories = summarizer.probes.encode_layers(encoded.ids)
    text, ids = summarizer.write(encoded, base.settings, memory=memories[-1])
    assert found[-1].text == text == base.text and tuple(ids) == base.ids
    np.testing.assert_allclose(found[-1].log_probabilities, base.log_probabilities, rtol=0, atol=1e-4)
    for each, memory in zip(found, memories, strict=True):
        assert each.text == summarizer.write(encoded, base.settings, memory=memory)[0]
        assert each.log_probabilities.shape == (len(base.ids),)
    assert len({each.text for each in found}) == 3


def test_what_an_earlier_layer_writes_is_scored_as_it_was_written(summarizer: Summarizer, base: Untouched) -> None:
    """Greedy decoding from layer 1: the forced scores of its own summary add up to what the search found."""
    with summarizer.calls:
        memory = summarizer.probes.encode_layers(base.condition.encoded.ids)[1]
        result = summarizer.engine.beam(memory, base.settings)
    _, ids = summarizer.write(base.condition.encoded, base.settings, memory=memory)
    with summarizer.calls:
        scored = summarizer.probes.score_states([memory], ids)[0]
    total = result.log_probabilities[0] if result.lengths[0] else result.live_log_probabilities[0]
    assert scored.sum() == pytest.approx(float(total), abs=2e-3)


def test_the_shipped_checkpoint(shipped: Summarizer) -> None:
    summary = shipped.summarize(script())
    ids = [token.id for token in summary.tokens]
    base = untouched(shipped, Condition(shipped.encode(script())), ids, shipped.settings, summary.text)
    check_last_layer(shipped, base)
    found = decoder_lens(shipped, base)
    assert found[-1].text == summary.text != found[0].text
    np.testing.assert_allclose(found[-1].log_probabilities, base.log_probabilities, rtol=0, atol=1e-4)


# Words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tom's dog isn’t here, is it?", ["Tom's", "dog", "isn’t", "here", "is", "it"]),
        ("#Person1# asks #Person2#'s friend.", ["#Person1#", "asks", "#Person2#'s", "friend"]),
        ("10:30 — twenty-five", ["10", "30", "twenty", "five"]),
        ("Žofie ate 寿司 #", ["Žofie", "ate", "寿司"]),
        ("… !", []),
        ("", []),
    ],
)
def test_words_by_hand(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_first_layers_by_hand() -> None:
    """The second "cake" is found where "cake" stands twice; upper and lower case are the same."""
    texts = [
        "the party",
        "THE cake, the man",
        "Tom bakes a cake",
        "Tom bakes the cake and the Cake.",
    ]
    first, inside = first_layers(texts)
    assert words(texts[-1]) == ["Tom", "bakes", "the", "cake", "and", "the", "Cake"]
    assert first == [2, 2, 0, 1, 3, 1, 3]
    assert inside.astype(int).tolist() == [
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1],
    ]


def test_first_layers_without_words() -> None:
    assert first_layers(["a", ""])[0] == [] and first_layers(["a", ""])[1].shape == (2, 0)
    first, inside = first_layers(["", "", "Yes"])
    assert first == [2] and inside.tolist() == [[False], [False], [True]]
    assert first_layers(["alone"])[0] == [0]
    assert first_layers(["#Person1# goes", "#person1# goes"])[0] == [0, 0]
