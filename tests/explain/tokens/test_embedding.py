"""A row of an embedding table: lengths and cosines worked out by hand."""

import numpy as np
import pytest

from core import checkpoints
from core.errors import SettingsError
from core.explain.tokens import embedding
from core.explain.tokens.embedding import kind_of, kinds_of, token_vector
from core.text.dialogue import parse_dialogue
from core.text.examples import example_by_id
from tests.refusals import refusals

TABLE = np.array([[3, 4], [0, 0], [6, 8], [4, 3], [-3, -4], [0, 2]], dtype=np.float32)
"""Lengths 5, 0, 10, 5, 5, 2; cosines with the first row 1, -, 1, 24/25, -1, 4/5."""


def test_neighbours_are_those_with_the_largest_cosine(snapshot):
    found = token_vector(TABLE, 0)
    assert [each for each, _ in found.nearest] == [2, 3, 5, 1, 4]
    assert [cosine for _, cosine in found.nearest] == pytest.approx([1, 0.96, 0.8, 0, -1])
    assert found.norm == 5 and found.norm_rank == 2 and found.tokens == 6
    assert found.vector.tolist() == [3, 4] and found.scaled == pytest.approx([3 * 2**0.5, 4 * 2**0.5])
    assert [each for each, _ in token_vector(TABLE, 5, 2).nearest] == [0, 2]
    assert token_vector(TABLE, 2).norm_rank == 1
    # A row of zeros points nowhere, and a table of one row has no neighbours.
    found = token_vector(TABLE, 1)
    assert (found.norm, found.norm_rank, [cosine for _, cosine in found.nearest]) == (0, 6, [0.0] * 5)
    assert token_vector(TABLE[:1], 0).nearest == ()
    assert refusals(SettingsError, lambda token: token_vector(TABLE, token), [-1, 6]) == snapshot


def test_a_large_table_is_compared_in_slices(monkeypatch):
    table = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    whole, kind = token_vector(table, 20), kind_of(table, "x", [3, 20, 41])
    monkeypatch.setattr(embedding, "SLICE", 7)
    sliced = token_vector(table, 20)
    assert (sliced.norm, sliced.norm_rank) == (pytest.approx(whole.norm), whole.norm_rank)
    assert [each for each, _ in sliced.nearest] == [each for each, _ in whole.nearest]
    assert [each for _, each in sliced.nearest] == pytest.approx([each for _, each in whole.nearest])
    assert kind_of(table, "x", [3, 20, 41]).ranks == kind.ranks


def test_words_of_one_kind_by_hand(snapshot):
    # Rows 3 and 5 are of one kind: cosine 3/5. Others of row 3: 24/25, 0, 24/25, -24/25; of row 5: 4/5, 0, 4/5, -4/5.
    found = kind_of(TABLE, "x", [3, 5])
    assert (found.pairs, found.alike, found.others) == (1, pytest.approx(0.6), pytest.approx(0.22))
    assert found.ranks == (3, 3) and found.nearer == 0.5
    cases = [[0], [0, 0], [0, 1, 2, 3, 4, 5]]
    assert refusals(SettingsError, lambda tokens: kind_of(TABLE, "x", tokens), cases) == snapshot


def test_the_model_trained_from_scratch_puts_words_of_one_kind_near_each_other_and_not_all_of_them():
    checkpoint = checkpoints.read("dialoscope-scratch")
    table, tokenizer = checkpoint.weights["source_embedding/table"], checkpoint.tokenizer
    kinds = {kind.name: kind for kind in kinds_of(table, tokenizer.encode_summary)}
    pairs = sum(kind.pairs for kind in kinds.values())
    assert pairs > 200 and sum(kind.nearer * kind.pairs for kind in kinds.values()) / pairs > 0.9
    assert set(kinds["days"].ranks) == {1} and max(kinds["rooms"].ranks) > 1000
    # The first word of the first dialogue that is of a kind is an example where it holds.
    encoded = tokenizer.encode_dialogue(parse_dialogue(example_by_id("lost-suitcase").dialogue))
    near = {token for kind in kinds.values() for token, rank in zip(kind.tokens, kind.ranks, strict=True) if rank == 1}
    first = next(each for each in encoded.tokens if each.id in near)
    assert first.text == "evening"
    assert token_vector(table, first.id, 1).nearest[0][0] in kinds["times of day"].tokens


def test_a_table_begun_with_a_berts_rows_has_words_of_one_kind_near_each_other():
    checkpoint = checkpoints.read("dialoscope")
    kinds = kinds_of(checkpoint.weights["source_embedding/table"], checkpoint.tokenizer.encode_summary)
    pairs = sum(kind.pairs for kind in kinds)
    assert pairs > 200 and sum(kind.nearer * kind.pairs for kind in kinds) / pairs > 0.95
