"""The last row of each lens is the model itself; earlier rows are its own layers, read by its own head."""

import numpy as np

from core.experiments.effects import Condition, Untouched, untouched
from core.experiments.lenses import TOP, decoder_lens, first_layers, logit_lens, words
from core.runtime.queue import CALLS
from core.service import Summarizer
from core.text.arrangement import arrange, plain
from tests.closeness import same_network
from tests.models import log_softmax


def check(summarizer: Summarizer, base: Untouched) -> None:
    """The lens follows from the logits of its layers, and its last layer is the run of the model."""
    summary = summarizer.summarize(base.condition.encoded)
    with CALLS.turn():
        logits = summarizer.probes.lens(base.condition.encoded.ids, base.ids).astype(np.float64)
    same_network(logits[-1], summary.logits, summarizer.config)
    shares = np.exp(log_softmax(logits))
    found = logit_lens(summarizer, base)
    assert found.top.shape == (summarizer.config.decoder_layers + 1, len(base.ids), TOP)
    for layer, step in np.ndindex(*found.rank.shape):
        row, written, top = logits[layer, step], base.ids[step], found.top[layer, step]
        assert top.tolist() == np.argsort(-row, kind="stable")[:TOP].tolist()
        same_network(found.top_probability[layer, step], shares[layer, step, top], summarizer.config)
        same_network(found.probability[layer, step], shares[layer, step, written], summarizer.config)
        assert found.rank[layer, step] == 1 + (row > row[written]).sum()
    assert found.rank[-1].tolist() == [step.rank for step in summary.steps]
    assert (found.rank[0] > 1).any() and np.abs(found.probability[1] - found.probability[-1]).max() > 1e-3


def test_the_last_decoder_layer_is_the_models_own_output(summarizer: Summarizer, base: Untouched) -> None:
    check(summarizer, base)
    encoded = arrange(base.condition.encoded, plain(base.condition.encoded).flipped_mask(1))
    text, ids = summarizer.write(encoded)
    check(summarizer, untouched(summarizer, Condition(encoded), ids, base.settings, text))


def test_the_last_encoder_layer_writes_the_summary_itself(summarizer: Summarizer, base: Untouched) -> None:
    encoded = base.condition.encoded
    found = decoder_lens(summarizer, base)
    assert len(found) == summarizer.config.encoder_layers + 1 == 3
    with CALLS.turn():
        memories = summarizer.probes.encode_layers(encoded.ids)
    text, ids = summarizer.write(encoded, base.settings, memory=memories[-1])
    assert found[-1].text == text == base.text and tuple(ids) == base.ids
    same_network(found[-1].log_probabilities, base.log_probabilities, summarizer.config)
    for each, memory in zip(found, memories, strict=True):
        assert each.text == summarizer.write(encoded, base.settings, memory=memory)[0]
        assert each.log_probabilities.shape == (len(base.ids),)
    assert len({each.text for each in found}) == 3


def test_words_and_first_layers_by_hand() -> None:
    for text, expected in [
        ("Tom's dog isn’t here, is it?", "Tom's dog isn’t here is it"),
        ("#Person1# asks #Person2#'s friend.", "#Person1# asks #Person2#'s friend"),
        ("10:30 — twenty-five", "10 30 twenty five"), ("Žofie ate 寿司 #", "Žofie ate 寿司"), ("… !", ""), ("", ""),
    ]:  # fmt: skip
        assert words(text) == expected.split(), text
    # The second "cake" is found where "cake" stands twice; upper and lower case are the same.
    texts = ["the party", "THE cake, the man", "Tom bakes a cake", "Tom bakes the cake and the Cake."]
    first, inside = first_layers(texts)
    assert words(texts[-1]) == ["Tom", "bakes", "the", "cake", "and", "the", "Cake"]
    assert first == [2, 2, 0, 1, 3, 1, 3]
    assert ["".join(map(str, row)) for row in inside.astype(int)] == ["0010000", "0011010", "1101000", "1111111"]
    # Without words.
    assert first_layers(["a", ""])[0] == [] and first_layers(["a", ""])[1].shape == (2, 0)
    first, inside = first_layers(["", "", "Yes"])
    assert first == [2] and inside.tolist() == [[False], [False], [True]]
    assert first_layers(["alone"])[0] == [0]
    assert first_layers(["#Person1# goes", "#person1# goes"])[0] == [0, 0]
