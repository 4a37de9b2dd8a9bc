"""Mean outputs of heads: against what really goes into the output projections, and put in place of a head."""

import numpy as np
import pytest

from core.config import START
from core.experiments.ablations import gates
from core.explain.attention.head_outputs import Head, outputs_of
from core.explain.attention.inside import stages
from tests.closeness import near, same_network
from tests.models import FAMILIES, attention_of

pytestmark = pytest.mark.numeric
DIALOGUE = "Maya: I lost my suitcase.\nTom: Did you call the airline?\nMaya: Yes."
HEADS = [Head(kind, layer, head) for kind in ("encoder", "decoder", "cross") for layer in (0, 1) for head in (0, 1)]


def forward(tiny, summary, monkeypatch) -> dict[tuple[str, int], np.ndarray]:
    """What each output projection takes in an eager run of the whole model: [N, H, K] by kind and layer."""
    taken = {}
    for kind, layer, _ in HEADS[::2]:
        projection = attention_of(tiny.model, kind, layer).output_projection

        def spy(inputs, place=(kind, layer), call=projection.call, **options):
            taken[place] = np.asarray(inputs)[0].reshape(inputs.shape[1], 2, -1)
            return call(inputs, **options)

        monkeypatch.setattr(projection, "call", spy)
    ids = [token.id for token in summary.tokens]
    tiny.model.replay(
        np.array([[token.id for token in summary.source]], dtype=np.int32),
        np.array([[START, *ids[:-1]]], dtype=np.int32),
    )
    monkeypatch.undo()
    return taken


def test_they_are_the_means_of_what_the_output_projections_take(tiny, monkeypatch) -> None:
    summary = tiny.summarize(DIALOGUE)
    found, taken = outputs_of(tiny, summary), forward(tiny, summary, monkeypatch)
    second = outputs_of(tiny, summary, dict.fromkeys(("encoder", "decoder", "cross"), 1))
    assert list(found) == HEADS
    for (kind, layer, head), mean in found.items():
        given = taken[kind, layer][:, head]  # [N, K]
        assert given.shape == (len(summary.source if kind == "encoder" else summary.tokens), 8)
        same_network(mean, given.mean(axis=0), tiny.config)
        same_network(second[kind, layer, head], given[1], tiny.config)
        assert kind == "cross" or np.abs(given[0] - given.mean(axis=0)).max() > 1e-3


@pytest.mark.parametrize("run", FAMILIES, indirect=True)
def test_they_follow_from_the_attention_of_every_family(run):
    summarizer, summary = run
    means = outputs_of(summarizer, summary)
    for kind, layer, head in HEADS[::7]:
        rows = len(summary.source if kind == "encoder" else summary.tokens)
        own = [stages(summarizer, summary, kind, layer, head, row).weighted for row in range(rows)]
        same_network(means[Head(kind, layer, head)], np.mean(own, axis=0), summarizer.config)


def test_the_mean_of_a_constant_output_changes_nothing(tiny, monkeypatch) -> None:
    """Without a kernel, the values are the bias whatever is read, and so is what a head makes of them."""
    for kind in ["encoder", "decoder", "cross"]:
        dense = attention_of(tiny.model, kind, 1).value_projection
        before = [np.asarray(weight) for weight in dense.weights]
        kernel, bias = before[0].copy(), before[1].copy()
        kernel[:, 8:], bias[8:] = 0, np.arange(1, 9)  # the second of two heads of width 8
        dense.set_weights([kernel, bias])
        try:
            summary = tiny.summarize(DIALOGUE)
            means = outputs_of(tiny, summary)
            near(means[Head(kind, 1, 1)], np.arange(1, 9), terms=len(summary.source), depth=2)
            logits = {
                name: tiny.engine.replay(
                    [token.id for token in summary.source],
                    [token.id for token in summary.tokens],
                    gates(tiny.config, [Head(kind, 1, 1)], fill),
                )["logits"]
                for name, fill in (("mean", means), ("zero", None))
            }
            same_network(logits["mean"], summary.logits, tiny.config)
            assert np.abs(logits["zero"] - summary.logits).max() > 0.01, kind
        finally:
            dense.set_weights(before)
