"""Two answers to a change: how likely the old summary stays, and what is written instead; masking hides a turn."""

import numpy as np

from core.config import END, PAD
from core.experiments.ablations import Head, gates
from core.experiments.effects import Condition, Effect, Untouched, compare, forced, measure_effects, untouched
from core.service import Summarizer
from core.text.arrangement import Arrangement, arrange, plain
from core.text.diff import changed_share
from tests.closeness import near, same_network
from tests.models import log_softmax, script

HEADS = [Head("encoder", 1, 0), Head("decoder", 0, 2), Head("cross", 1, 1)]


def rearranged(base: Untouched, *order: int, **kwargs) -> Condition:
    return Condition(arrange(base.condition.encoded, Arrangement(order, **kwargs)))


def ablated(summarizer: Summarizer, base: Untouched, *off: Head, fill: float | None = None) -> Condition:
    means = None if fill is None else {head: np.full(5, fill, dtype=np.float32) for head in off}
    return Condition(base.condition.encoded, gates(summarizer.config, off, means))


def steps(summary) -> np.ndarray:
    return np.array([step.log_probability for step in summary.steps])


def test_an_effect_by_hand() -> None:
    """METHODS: full -.2 -.5 -.1, without turn 2 -.3 -2.5 -.1: 2.1 nats, .70 a token, most at the second (2.0)."""
    found = Effect(np.float32([-0.2, -0.5, -0.1]), np.float32([-0.3, -2.5, -0.1]))
    near((found.drop, found.drop_per_token), (2.1, 0.7), terms=3)
    near(found.before - found.after, [0.1, 2.0, 0.0])
    assert (found.text, found.changed) == (None, None)
    near(Effect(found.after, found.before).drop, -2.1, terms=3)  # it was in the way


def test_the_untouched_run_is_scored_as_it_was_written(summarizer: Summarizer, base: Untouched) -> None:
    summary = summarizer.summarize(script())
    assert base.ids == tuple(token.id for token in summary.tokens) and base.text == summary.text
    same_network(base.log_probabilities, steps(summary), summarizer.config)
    again = untouched(summarizer, base.condition, base.ids, base.settings)  # it writes the text itself
    assert again.text == base.text
    np.testing.assert_array_equal(again.log_probabilities, base.log_probabilities)
    other = untouched(summarizer, rearranged(base, 1, 0), base.ids, base.settings, "given")
    assert (other.text, other.ids) == ("given", base.ids)
    assert np.abs(other.log_probabilities - base.log_probabilities).max() > 1e-3
    # No change makes no difference, and neither do gates that are all open.
    for change in (Condition(base.condition.encoded), ablated(summarizer, base)):
        found = compare(summarizer, base, change)
        assert found.ids == base.ids and found.text == found.original.text == base.text
        assert found.original.drop == 0 and found.original.changed == 0
        for values in (found.original.before, found.original.after, found.before, found.after):
            np.testing.assert_array_equal(values, base.log_probabilities)


def test_many_conditions_are_scored_as_each_alone(summarizer: Summarizer, base: Untouched) -> None:
    """Thirteen of every kind in two batches: the same as one by one, and as the trace under teacher forcing."""
    conditions = [
        base.condition,
        *(ablated(summarizer, base, head) for head in HEADS),
        *(ablated(summarizer, base, *HEADS, fill=fill) for fill in (None, 0.8, -0.8)),  # each with its own stand-ins
        *(rearranged(base, *[turn for turn in range(4) if turn != gone]) for gone in range(4)),
        rearranged(base, 3, 1, 0, 2, masked=frozenset({1})),
        rearranged(base, 0, 1, 2, 3, speakers={0: "#Person2#"}),
    ]
    together = forced(summarizer, conditions, base.ids)
    assert len(together) == 13 and forced(summarizer, [], base.ids) == []
    for number, (condition, found) in enumerate(zip(conditions, together, strict=True)):
        same_network(found, forced(summarizer, [condition], base.ids)[0], summarizer.config)
        replayed = summarizer.engine.replay(condition.encoded.ids, base.ids, condition.gates)["logits"]
        same_network(found, log_softmax(replayed)[np.arange(len(base.ids)), base.ids], summarizer.config)
        for other in together[:number]:
            assert np.abs(found - other).max() > 1e-4


def test_both_summaries_are_scored_under_both_conditions(summarizer: Summarizer, base: Untouched) -> None:
    for kind, change in {"heads": ablated(summarizer, base, *HEADS), "turns": rearranged(base, 2, 1)}.items():
        found = compare(summarizer, base, change)
        written = summarizer.summarize(change.encoded, gates=change.gates)
        assert found.text == written.text == found.original.text != base.text, kind
        assert found.ids == tuple(token.id for token in written.tokens), kind
        same_network(found.after, steps(written), summarizer.config)
        same_network(found.before, forced(summarizer, [base.condition], found.ids)[0], summarizer.config)
        np.testing.assert_array_equal(found.original.before, base.log_probabilities)
        same_network(found.original.after, forced(summarizer, [change], base.ids)[0], summarizer.config)
        assert found.original.changed == changed_share(base.text, written.text) > 0, kind
        changed = untouched(summarizer, change, found.ids, base.settings)
        same_network(changed.log_probabilities, found.after, summarizer.config)


def test_writing_again_is_a_choice(summarizer: Summarizer, base: Untouched) -> None:
    changes = [rearranged(base, 1, 2, 3), ablated(summarizer, base, HEADS[0])]
    silent = measure_effects(summarizer, base, changes, rewrite=False)
    loud = measure_effects(summarizer, base, changes)
    assert [each.text for each in silent] == [each.changed for each in silent] == [None, None]
    for change, one, other in zip(changes, silent, loud, strict=True):
        np.testing.assert_array_equal(one.after, other.after)
        assert other.text == summarizer.write(change.encoded, base.settings, change.gates)[0]
        assert other.changed == changed_share(base.text, other.text)


def test_nothing_looks_at_a_masked_turn(summarizer: Summarizer, base: Untouched) -> None:
    """Turns 2 and 4 are hidden."""
    encoded = arrange(base.condition.encoded, plain(base.condition.encoded).flipped_mask(1).flipped_mask(3))
    hidden = np.array([token.turn in (1, 3) and token.id != END for token in encoded.tokens])
    run = summarizer.summarize(encoded)
    assert 5 < hidden.sum() < len(hidden) - 5 and run.source == base.condition.encoded.tokens
    open_run = summarizer.summarize(base.condition.encoded)
    for name in ("encoder_self", "cross", "copy"):
        weights, before = getattr(run.attention, name), getattr(open_run.attention, name)
        if weights is None:
            assert name == "copy" and not summarizer.config.copy
            continue
        assert (weights[..., hidden] == 0).all() and (before[..., hidden] > 0).any(axis=-1).all()
        same_network(weights.sum(axis=-1), 1, summarizer.config)
        if name != "copy":
            assert (weights[..., ~hidden] > 0).any(axis=-2).all()  # [EOS] stays visible
    # The places of the others stay.
    before = open_run.encoder_hidden
    np.testing.assert_array_equal(run.encoder_hidden[0, ~hidden], before[0, ~hidden])
    assert (np.abs(run.encoder_hidden[1:, ~hidden] - before[1:, ~hidden]).max(axis=-1) > 1e-4).all()
    # A masked turn is neither there nor gone.
    assert encoded.ids.count(PAD) == hidden.sum()
    scores = forced(summarizer, [Condition(encoded), rearranged(base, 0, 2), base.condition], base.ids)
    assert min(np.abs(scores[0] - scores[1]).max(), np.abs(scores[0] - scores[2]).max()) > 1e-4
