"""The beam tree and its length scores: hand-made searches, and a real small model."""

import keras
import numpy as np
import pytest

from core.config import END, DecodeSettings
from core.decoding.search import BeamResult, Limits, beam_search
from core.explain.beams import BeamTree, beam_tree, endings, length_score, path
from core.service import Summarizer
from core.trace import BeamTrace

A, B, C, D = 5, 6, 7, 8
UNUSED = (0, 0, -1e9, -1)


def beam_trace(*steps: tuple[tuple[int, int, float, int], ...]) -> BeamTrace:
    """From rows of (token, parent slot, score, kept)."""
    table = np.array(steps, dtype=np.float64)
    return BeamTrace(table[..., 0], table[..., 1], table[..., 2], table[..., 3])


# Two beams: "a" and "b"; both go on from "a"; "a [EOS]" finishes early, "a c d [EOS]" late.
SEARCH = beam_trace(
    ((A, 0, -0.5, 0), (B, 0, -1.0, 1), (C, 0, -3.0, -1), UNUSED),
    ((C, 0, -0.75, 0), (END, 0, -1.0, -2), (D, 0, -1.5, 1), (B, 1, -2.5, -1)),
    ((D, 0, -1.0, 0), (A, 1, -2.0, 1), (END, 1, -2.25, -1), (B, 1, -2.5, -1)),
    ((END, 0, -1.25, -2), (B, 0, -2.0, 0), (A, 1, -2.5, 1), (B, 1, -3.0, -1)),
)
LATE = (A, C, D, END)


@pytest.fixture(scope="module")
def tree() -> BeamTree:
    return beam_tree(SEARCH, LATE)


def test_prefixes_are_merged_with_their_share_and_fate(tree: BeamTree) -> None:
    assert len(tree.nodes) == 15  # the unused place is none
    assert [node.index for node in tree.nodes] == list(range(15))
    assert [node.parent for node in tree.nodes] == [-1, -1, -1, 0, 0, 0, 1, 3, 5, 5, 5, 7, 7, 8, 8]
    assert [node.step for node in tree.nodes] == [0] * 3 + [1] * 4 + [2] * 4 + [3] * 4
    assert path(tree, 6) == (B, B) and path(tree, 9) == (A, D, END) and path(tree, 11) == LATE
    assert path(tree, 0) == (A,)
    # Every node has its own share and its fate.
    own = [-0.5, -1, -3, -0.25, -0.5, -1, -1.5, -0.25, -0.5, -0.75, -1, -0.25, -1, -0.5, -1]
    assert [node.own for node in tree.nodes] == own
    for node in tree.nodes:
        before = tree.nodes[node.parent].log_probability if node.parent >= 0 else 0.0
        assert node.log_probability == before + node.own
    fates = ["live", "live", "pruned", "live", "finished", "live", "pruned", "live", "live", "pruned", "pruned"]
    assert [node.fate for node in tree.nodes] == [*fates, "finished", "open", "open", "pruned"]
    assert [node.index for node in tree.nodes if node.chosen] == [0, 3, 7, 11]
    # The penalty changes the winner.
    early, late = endings(tree, 0.0)  # -1.0 against -1.25
    assert (early.ids, early.node, early.score) == ((A, END), 4, -1.0)
    assert (late.ids, late.log_probability, late.score) == (LATE, -1.25, -1.25)
    first, second = endings(tree, 1.0)  # -1/2 against -1.25/4
    assert (first.ids, first.score, second.score) == (LATE, -0.3125, -0.5)
    assert [one.score for one in endings(tree, 1.0, "gnmt")] == [-1.25 / 1.5, -1.0 / (7 / 6)]


def test_endings() -> None:
    # Without an end the open ones are ranked.
    tree = beam_tree(beam_trace(((A, 0, -0.5, 0), (B, 0, -1.0, 1)), ((C, 0, -3.0, 1), (C, 1, -2.0, 0))), (B, C))
    assert [(one.ids, one.score) for one in endings(tree, 1.0)] == [((B, C), -1.0), ((A, C), -1.5)]
    assert [node.fate for node in tree.nodes] == ["live", "live", "open", "open"]
    assert [node.chosen for node in tree.nodes] == [False, True, False, True]
    # A summary from elsewhere is refused.
    with pytest.raises(ValueError, match=f"never considered the summary. Received: id {D} at step 0"):
        beam_tree(SEARCH, (D, END))
    with pytest.raises(ValueError, match="at step 4"):
        beam_tree(SEARCH, (*LATE, A))
    with pytest.raises(ValueError, match="live slots. Received: slot 1 at step 1"):
        beam_tree(beam_trace(((A, 0, -0.5, 0), (B, 0, -1.0, -1)), ((C, 1, -3.0, 1), UNUSED)), ())

    # Length scores of the worked example. A: log P -3 over 3 tokens; B: -4 over 5. The same exponent gives opposite
    # winners.
    def scores(penalty: float, kind) -> list[float]:
        return [round(length_score(value, length, penalty, kind), 4) for value, length in ((-3, 3), (-4, 5))]

    assert scores(0, "power") == scores(0, "gnmt") == [-3, -4]
    assert scores(1, "power") == [-1, -0.8]
    assert scores(0.6, "power") == [-1.5518, -1.5229]
    assert [round(value, 3) for value in scores(0.6, "gnmt")] == [-2.524, -2.944]
    assert scores(1, "gnmt") == [-2.25, -2.4]
    with pytest.raises(ValueError, match="length must be at least 1. Received: length=0"):
        length_score(-1.0, 0, 1.0)


def search(seed: int, penalty: float) -> tuple[BeamResult, BeamTrace]:
    """Three beams over a table of logits: what follows depends on the token before, and ends are common."""
    table = np.random.default_rng(seed).normal(size=(9, 9)).astype(np.float32)
    table[:, END] += 2
    nothing, length = np.zeros(8, dtype=np.int32), np.int32(8)
    rules = (np.int32(0), nothing, np.int32(0), np.bool_(False), nothing[None, :1], np.zeros(9, dtype=np.int32))
    limits = Limits(length, np.int32(2), *rules)

    def step(tokens, position, cache):
        return keras.ops.take(keras.ops.convert_to_tensor(table), tokens, axis=0), cache

    result = beam_search(step, keras.ops.zeros((4, 1)), limits, np.int32(3), np.float32(penalty), 4).row(0)
    tokens, parents, kept, scores = (np.asarray(values)[: int(result.steps)] for values in result.candidates)
    return result, BeamTrace(tokens, parents, scores, kept)


def test_the_best_ending_is_that_of_the_search() -> None:
    for seed in range(6):
        for penalty in [0.0, 1.0, 2.0]:
            result, beam = search(seed, penalty)
            pool = [
                (tuple(np.asarray(result.tokens)[row, :length].tolist()), float(result.scores[row]))
                for row, length in enumerate(np.asarray(result.lengths))
                if length
            ]
            assert len(pool) == 3, (seed, penalty)  # all beams found an end
            tree = beam_tree(beam, pool[0][0])
            found = endings(tree, penalty)
            assert [ending.ids for ending in found[:3]] == [ids for ids, _ in pool], (seed, penalty)
            assert [ending.score for ending in found[:3]] == pytest.approx([score for _, score in pool], abs=1e-5), (
                seed,
                penalty,
            )
            assert [node.fate for node in tree.nodes if node.chosen][-1] == "finished", (seed, penalty)
            for node in tree.nodes:
                assert (node.fate == "open") <= (node.step == int(result.steps) - 1), (seed, penalty)
                assert node.own < 0, (seed, penalty)
                if node.parent >= 0:
                    assert tree.nodes[node.parent].fate == "live", (seed, penalty)


def test_a_real_search_is_told_right(tiny: Summarizer) -> None:
    for size in [2, 3, 4]:
        for penalty in [0.0, 0.6, 2.0]:
            settings = DecodeSettings(beam_size=size, length_penalty=penalty, max_tokens=14)
            prefix = (20, 21) if size == 3 else ()
            summary = tiny.summarize("Maya: I lost my suitcase.\nTom: When?", settings, prefix=prefix)
            ids = tuple(token.id for token in summary.tokens)
            assert summary.beam is not None, (size, penalty)
            tree = beam_tree(summary.beam, ids)
            chosen = [node for node in tree.nodes if node.chosen]
            assert tuple(node.id for node in chosen) == ids == path(tree, chosen[-1].index), (size, penalty)
            assert chosen[-1].fate == ("finished" if summary.finished else "open"), (size, penalty)
            expected = [step.log_probability for step in summary.steps]
            np.testing.assert_allclose([node.own for node in chosen], expected, atol=2e-3)
            found = endings(tree, penalty)
            assert found[0].ids == ids, (size, penalty)
            for hypothesis, ending in zip(summary.hypotheses, found, strict=False):
                assert (hypothesis.ids, pytest.approx(hypothesis.score, abs=1e-4)) == (ending.ids, ending.score), (
                    size,
                    penalty,
                )
