"""The beam tree and its length scores: hand-made searches, and a real small model."""

from dataclasses import replace

import numpy as np
import pytest

from core.config import END, DecodeSettings
from core.decoding.search import BeamResult, Limits, beam_search
from core.explain.decoding.beams import beam_tree, endings, has_certain, length_score, path
from core.service import Summarizer
from core.trace import BeamTrace
from tests.closeness import near, printed
from tests.figures.drawing import drawn
from tests.refusals import refusals, refused

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


def test_prefixes_are_merged_with_their_share_and_fate(snapshot) -> None:
    tree = beam_tree(SEARCH, LATE)  # the unused place is none
    columns = ("index", "step", "id", "parent", "own", "log_probability", "fate", "chosen")
    shown = {name: [getattr(node, name) for node in tree.nodes] for name in columns}
    assert drawn(shown | {"path": [path(tree, node.index) for node in tree.nodes]}) == snapshot
    for node in tree.nodes:
        assert node.log_probability == node.own + (tree.nodes[node.parent].log_probability if node.parent >= 0 else 0)


def test_the_penalty_changes_the_winner() -> None:
    """-1.0 against -1.25, and -1/2 against -1.25/4."""
    tree = beam_tree(SEARCH, LATE)
    early, late = endings(tree, 0.0)
    assert (early.ids, early.node, early.score) == ((A, END), 4, -1.0)
    assert (late.ids, late.log_probability, late.score) == (LATE, -1.25, -1.25)
    first, second = endings(tree, 1.0)
    assert (first.ids, first.score, second.score) == (LATE, -0.3125, -0.5)
    assert [one.score for one in endings(tree, 1.0, "gnmt")] == [-1.25 / 1.5, -1.0 / (7 / 6)]
    # Without an end the open ones are ranked.
    tree = beam_tree(beam_trace(((A, 0, -0.5, 0), (B, 0, -1.0, 1)), ((C, 0, -3.0, 1), (C, 1, -2.0, 0))), (B, C))
    assert [(one.ids, one.score) for one in endings(tree, 1.0)] == [((B, C), -1.0), ((A, C), -1.5)]
    assert [node.fate for node in tree.nodes] == ["live", "live", "open", "open"]
    assert [node.chosen for node in tree.nodes] == [False, True, False, True]


def test_a_summary_from_elsewhere_is_refused(snapshot) -> None:
    lost = beam_trace(((A, 0, -0.5, 0), (B, 0, -1.0, -1)), ((C, 1, -3.0, 1), UNUSED))
    assert refusals(ValueError, beam_tree, [(SEARCH, (D, END)), (SEARCH, (*LATE, A)), (lost, ())]) == snapshot


def test_length_scores_of_the_worked_example() -> None:
    """A: log P -3 over 3 tokens; B: -4 over 5. The same exponent gives opposite winners."""
    for penalty, kind, scores in [
        (0, "power", [-3, -4]), (0, "gnmt", [-3, -4]), (1, "power", [-1, -0.8]), (1, "gnmt", [-2.25, -2.4]),
        (0.6, "power", [-1.5518, -1.5229]), (0.6, "gnmt", [-2.5244, -2.9441]),
    ]:  # fmt: skip
        found = [length_score(value, length, penalty, kind) for value, length in ((-3, 3), (-4, 5))]
        printed(found, scores, 4)
    refused(ValueError, "length must be at least 1. Received: length=0", length_score, -1.0, 0, 1.0)


def search(seed: int, penalty: float) -> tuple[BeamResult, BeamTrace]:
    """Three beams over a table of logits: what follows depends on the token before, and ends are common."""
    table = np.random.default_rng(seed).normal(size=(9, 9)).astype(np.float32)
    table[:, END] += 2
    table -= np.log(np.exp(table).sum(axis=1, keepdims=True))
    limits = Limits(8, np.zeros(9, dtype=np.int32), min_tokens=2)
    result = beam_search(lambda tokens, origins: table[tokens], [()], limits, 3, penalty)[0]
    return result, BeamTrace(result.tokens, result.parents, result.scores, result.kept)


def test_the_best_ending_is_that_of_the_search(subtests: pytest.Subtests) -> None:
    for seed, penalty in [(seed, penalty) for seed in range(4) for penalty in (0.0, 1.0, 2.0)]:
        with subtests.test(seed=seed, penalty=penalty):
            result, beam = search(seed, penalty)
            ids = [each.ids for each in result.hypotheses]
            assert len(ids) == 3  # all beams found an end
            tree = beam_tree(beam, ids[0])
            found = endings(tree, penalty)[:3]
            assert [ending.ids for ending in found] == ids
            near([ending.score for ending in found], [each.score for each in result.hypotheses], depth=8)
            assert [node.fate for node in tree.nodes if node.chosen][-1] == "finished"
            for node in tree.nodes:
                assert (node.fate == "open") <= (node.step == len(result.tokens) - 1) and node.own < 0
                assert node.parent < 0 or tree.nodes[node.parent].fate == "live"


def test_a_real_search_is_told_right(subtests: pytest.Subtests, tiny: Summarizer) -> None:
    for size, penalty in [(3, 0.0), (4, 0.6), (4, 2.0)]:
        with subtests.test(size=size, penalty=penalty):
            settings = DecodeSettings(beam_size=size, length_penalty=penalty, max_tokens=14)
            prefix = (20, 21) if size == 3 else ()
            summary = tiny.summarize("Maya: I lost my suitcase.\nTom: When?", settings, prefix=prefix)
            ids = tuple(token.id for token in summary.tokens)
            tree = beam_tree(summary.beam, ids)
            chosen = [node for node in tree.nodes if node.chosen]
            assert tuple(node.id for node in chosen) == ids == path(tree, chosen[-1].index)
            assert chosen[-1].fate == "finished"
            expected = [step.log_probability for step in summary.steps]
            # Scores are sums: each is rounded to the size of all, and what a token adds is their difference.
            near([node.own for node in chosen], expected, terms=tiny.config.source_vocabulary, depth=30)
            assert not has_certain(summary)
            best = replace(summary.hypotheses[0], log_probability=summary.log_probability + 3)  # what forced ones had
            assert has_certain(replace(summary, hypotheses=(best,)))
            assert endings(tree, penalty)[0].ids == ids
