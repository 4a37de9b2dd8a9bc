"""Votes: all parts together are the logits and probabilities of the run, for every family."""

import numpy as np
import pytest

from core.errors import SettingsError
from core.explain.attribution.votes import Votes, votes
from tests.closeness import network_spread, same_network
from tests.models import log_softmax
from tests.refusals import refused

pytestmark = pytest.mark.numeric


def whole(found: Votes, summarizer, summary) -> None:
    logs = log_softmax(summary.logits)
    ids = [token.id for token in summary.tokens]
    both = np.exp(np.stack([logs[range(len(ids)), each] for each in (ids, found.foils)], axis=1))
    same_network(found.generated + found.copied.sum(axis=1), both, summarizer.config)
    assert found.check.value < network_spread(summarizer.config) and found.check.holds


def test_votes_add_up_in_models_of_our_own(pair) -> None:
    summarizer, base = pair
    summary = summarizer.summarize(base.condition.encoded)
    found = votes(summarizer, summary)
    whole(found, summarizer, summary)
    assert len(found.copy_parts) == bool(summarizer.config.copy)
    assert found.values.shape == (len(summary.tokens), 1 + 2 * (2 * 3 + 1) + 1)
    if not summarizer.config.copy:
        ids = [token.id for token in summary.tokens]
        gaps = [row[one] - row[two] for row, one, two in zip(summary.logits, ids, found.foils, strict=True)]
        same_network(found.values.sum(axis=1), gaps, summarizer.config)


def test_votes_add_up_in_every_family(made) -> None:
    whole(votes(*made), *made)


def test_a_foil_turns_the_votes_round(pair) -> None:
    summarizer, base = pair
    summary = summarizer.summarize(base.condition.encoded)
    own = summary.tokens[2].id
    foil = next(each for each in (40, 41) if each != own)
    assert votes(summarizer, summary, 2, foil).foils == (foil,)
    refused(SettingsError, "a foil is another token", votes, summarizer, summary, 2, own)
    refused(SettingsError, "step must be", votes, summarizer, summary, 99)
