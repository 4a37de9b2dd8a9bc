"""One step on its way through the network: what is kept are the run's own numbers, for every family."""

import json

import numpy as np
import pytest

from core.experiments.positions import first_input
from core.experiments.start.forward_pass import NUMBERS, forward_passes, from_dict, network, to_dict
from core.explain.shared import cross
from core.explain.shared.readings import whose
from tests.closeness import printed
from tests.models import script


@pytest.fixture(scope="module")
def run(other):
    summarizer, _ = other
    summary = summarizer.summarize(script())
    return summarizer, summary, forward_passes(summarizer, summary)


def test_each_layer_shows_the_states_of_the_run(run):
    _, summary, passes = run
    assert len(passes) == len(summary.steps)
    for step, found in enumerate(passes):
        printed(found.encoder, summary.encoder_hidden[1:, found.place, :NUMBERS], 2)
        printed(found.decoder, summary.decoder_hidden[1:, step, :NUMBERS], 2)


def test_the_token_is_the_one_that_is_read_most_in_its_turn(run):
    _, summary, passes = run
    weights = cross.weights(summary.attention, whose(summary))
    for row, found in zip(weights, passes, strict=True):
        turn = summary.source[found.place].turn
        same = [place for place, token in enumerate(summary.source) if token.turn == turn]
        assert turn is not None and row[found.place] == max(row[same])


def test_embedding_and_position_are_those_of_the_first_layer(run):
    summarizer, summary, passes = run
    if summarizer.config.has.positions in (None, "relative"):
        printed(
            [each.embedding for each in passes], [summary.encoder_hidden[0, each.place, :NUMBERS] for each in passes], 2
        )
        assert not any(each.position for each in passes)
        return
    found = first_input(summarizer, summary)
    places = [each.place for each in passes]
    printed([each.embedding for each in passes], found.embedded[places, :NUMBERS], 2)
    printed([each.position for each in passes], found.positions[places, :NUMBERS], 2)


def test_the_alternatives_are_the_most_probable_of_the_step(run):
    _, summary, passes = run
    for found, logits in zip(passes, np.asarray(summary.logits, np.float64), strict=True):
        shares = np.exp(logits - logits.max())
        printed([share for _, share in found.best], np.sort(shares / shares.sum())[::-1][: len(found.best)], 4)


def test_what_is_written_is_read_again(run):
    summarizer, summary, passes = run
    sizes = network(summarizer, summary)
    assert from_dict(json.loads(json.dumps(to_dict(sizes, passes))), len(passes)) == (sizes, passes)


@pytest.mark.parametrize("change", ["fewer", "place", "layers", "vector", "text", "size"])
def test_a_damaged_pass_is_refused(run, change):
    summarizer, summary, passes = run
    values = json.loads(json.dumps(to_dict(network(summarizer, summary), passes)))
    first = values["passes"][0]
    damage = {
        "fewer": lambda: values["passes"].pop(),
        "place": lambda: first.update(place=len(summary.source)),
        "layers": lambda: first["encoder"].append(first["encoder"][0]),
        "vector": lambda: first.update(embedding=[float("nan")]),
        "text": lambda: first.update(best=[[7, 0.5]]),
        "size": lambda: values["network"].update(width=True),
    }
    damage[change]()
    with pytest.raises((ValueError, TypeError, LookupError)):
        from_dict(values, len(passes))
