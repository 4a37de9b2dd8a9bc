"""Patching on random networks of every family: nothing, everything, all heads of a layer, and the preview's slope.

And by hand, on two turns.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import SettingsError
from core.experiments.attribution import patching
from core.experiments.attribution.patching import _Pair, patch
from core.experiments.attribution.twins import CALENDAR, NAMES, Twin, offers, twin_of
from core.explain.attribution import layers
from core.service import Summarizer
from core.trace import Summary, Token
from tests.closeness import near, same_network
from tests.models import script
from tests.refusals import refused

pytestmark = pytest.mark.numeric

TAGS = {"#Person1#": "#Person2#", "#Person2#": "#Person1#"}
MOST = 300
"""Foils that are tried: random networks are indifferent to most."""


def twin_of_random(summarizer: Summarizer, run: Summary) -> Twin:
    """Return the twin with both speakers exchanged, and a foil at which the two runs of a random network differ."""
    turns = [line.partition(":") for line in script().splitlines()]
    other = summarizer.encode("\n".join(f"{TAGS[name]}:{text}" for name, _, text in turns))
    first, second = (
        summarizer.engine.replay(ids, [token.id for token in run.tokens])["logits"][2]
        for ids in ([token.id for token in run.source], other.ids)
    )
    answer = run.tokens[2].id
    moved = np.abs((first - first[answer]) - (second - second[answer]))
    return Twin(("#Person1#", "#Person2#"), other, 2, answer, int(moved[:MOST].argmax()))


@pytest.fixture(scope="session")
def pair(made):
    """The two runs of a random network, at a place where they differ."""
    return *made, twin_of_random(*made)


class _TwoTurns:
    """F is 3 in the dialogue and -1 in its twin; turn 1 (two tokens) has 3 of the 4 nats, behind the block turn 2."""

    GIVES = np.array([[1.5, 1.5, 1.0], [0.5, 0.5, 3.0]])

    def __init__(self, *_: object) -> None:
        pass

    def whole(self, side: int) -> float:
        return (3.0, -1.0)[side]

    def states(self, depth: int, masks: np.ndarray) -> np.ndarray:
        return -1 + masks @ self.GIVES[depth]

    def positions(self, depth: int) -> np.ndarray:
        return np.array([-1.0, 3.0])

    def heads(self, kind: str, layer: int, chosen: list[list[int]]) -> np.ndarray:
        return np.array([{"encoder": 0.0, "decoder": -2.0, "cross": 1.0}[kind] + head for (head,) in chosen])

    def preview(self, masks: np.ndarray) -> np.ndarray:
        return 2 * self.GIVES @ masks.T


def test_two_turns_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patching, "_Pair", _TwoTurns)
    config = SimpleNamespace(encoder_layers=1, decoder_layers=1, num_heads=2)
    source = [Token("a", 9, place, place + 1, turn, None, place) for place, turn in enumerate((0, 0, 1))]
    twin = SimpleNamespace(names=("Ann", "Ben"), step=1)
    found = patch(SimpleNamespace(model=SimpleNamespace(config=config)), SimpleNamespace(source=source), twin)
    near(found.layers, [[0.75, 0.25], [0.25, 0.75]], terms=4)
    near(found.preview, 2 * found.layers, terms=4)
    near(found.positions, [[0, 1]], terms=4)
    for kind, heads in {"encoder": [0.25, 0.5], "decoder": [-0.25, 0], "cross": [0.5, 0.75]}.items():
        near(found.heads[kind], [heads], terms=4)
    assert found.log_odds == (3, -1) and found.to_dict()["turns"] == ["1", "2"]
    near(found.check.value, 0, terms=4)


def test_nothing_gives_0_and_everything_1(pair) -> None:
    summarizer, run, twin = pair
    seen: list[tuple[int, int]] = []
    found = patch(summarizer, run, twin, lambda done, total: seen.append((done, total)))
    assert found.check.holds and seen[-1] == (10 + 1, 10 + 1) == (len(seen), len(seen))
    assert found.layers.shape == found.preview.shape == (3, len(found.turns))
    assert {kind: values.shape for kind, values in found.heads.items()} == dict.fromkeys(found.heads, (2, 3))
    assert found.positions.shape == (2, 3) and found.to_dict()["swap"] == ["#Person1#", "#Person2#"]


def test_all_heads_of_a_layer_are_the_layer(pair) -> None:
    summarizer, run, twin = pair
    both = _Pair(summarizer, run, twin)
    nothing, heads = both.heads("encoder", 0, [[], [0, 1, 2]])
    near(nothing, both.whole(1), depth=40)
    block, ours = summarizer.model.encoder.blocks[0], layers.sublayer(summarizer, run, "encoder", 0)
    total = both.encoder[1][0] + ours.taken().sum(axis=0) + ours.output_bias
    both.encoder[0] = np.stack([total * 0, layers.feed_forward(block, ours.after(total))])
    both.ids[0] = both.ids[1]  # the heads' outputs alone are those of the dialogue
    layer = both.states(1, np.ones((1, len(run.source)), dtype=bool))[0]
    same_network(heads, layer, summarizer.config)


def test_the_preview_is_the_slope_of_patching(pair) -> None:
    summarizer, run, twin = pair
    both, step = _Pair(summarizer, run, twin), 0.002
    masks = np.array([[token.turn == turn for token in run.source] for turn in range(4)])
    slopes = both.preview(masks)
    both.ids[0] = both.ids[1]  # the preview leaves the copied tokens as they are
    change = both.encoder[0] - both.encoder[1]
    odds = []
    for sign in (1, -1):
        both.encoder[0] = both.encoder[1] + sign * step * change
        odds.append(np.stack([both.states(depth, masks) for depth in range(3)]))
    size = np.abs(slopes).max()
    slope = (odds[0] - odds[1]) / (2 * step)
    # Random weights bend: a fiftieth of the largest slope within a thousandth of the way.
    np.testing.assert_allclose(slope / size, slopes / size, rtol=0, atol=0.05)


def test_two_dialogues_that_hardly_differ_are_refused(pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patching, "SMALL", 1e9)  # nats; no network tells two dialogues so far apart
    refused(SettingsError, "hardly tells", patch, *pair)


def test_a_report_can_stop_the_work(pair) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        patch(*pair, stop)


def test_a_twin_keeps_the_tokens_of_its_speakers(copier) -> None:
    summarizer, _ = copier
    run = summarizer.force("Ann: Hello.\nBen: I bring the cake.", "Ann is fine.")
    twin = twin_of(summarizer, run)
    labels = {name: tag for tag, name in summarizer.encode(run.dialogue).speakers.items()}
    first = {token.turn: token.id for token in reversed(twin.encoded.tokens)}
    assert (first[0], first[1]) == (labels["Ben"], labels["Ann"])
    assert (twin.step, twin.answer, twin.foil) == (0, labels["Ann"], labels["Ben"])
    assert twin_of(summarizer, run, "Ben=Ann").encoded == twin.encoded


def test_a_twin_of_another_length_says_which_tokens_differ_and_what_would_fit(copier) -> None:
    summarizer, _ = copier
    run = summarizer.force("Ann: Maya, hello.\nBen: I bring 5 cakes, Maya.", "Maya gets 5 cakes.")
    size = {word: len(summarizer.tokenizer.encode_continuation(word)) for word in ("Maya", *NAMES)}
    fitting = [f"Maya={word}" for word in NAMES if size[word] == size["Maya"]]
    with pytest.raises(SettingsError) as error:
        twin_of(summarizer, run, "Maya=Bartholomew")
    assert str(error.value).endswith(f"would fit: {', '.join(fitting) or '–'}")
    named = [token.text for token in summarizer.encode("Bartholomew, hello.").tokens][:3]
    assert named[0] in str(error.value).partition("only in the twin: ")[2]
    for swap in fitting:
        assert len(twin_of(summarizer, run, swap).encoded.ids) == len(run.source)


def test_another_pair_is_offered_where_the_first_two_speakers_have_no_twin(copier) -> None:
    summarizer, _ = copier
    run = summarizer.force("Ann: Hello.\nBen: Hi.\nZoe: I bring the cake.", "Zoe is fine 2².")
    assert offers(summarizer, run)[0] == "Ann=Zoe"


def test_a_day_changes_places_with_a_day(copier) -> None:
    summarizer, _ = copier
    run = summarizer.force("Ann: Come on Saturday.\nBen: I bring the cake.", "Saturday is fine.")
    name, _, other = offers(summarizer, run)[-1].partition("=")
    assert name == "Saturday" and other in CALENDAR[0]


def test_what_has_no_twin_is_refused(copier) -> None:
    summarizer, _ = copier
    run = summarizer.force("Ann: Hello.\nBen: I bring the cake.", "Ann is fine.")
    alone = summarizer.force("Ann: Hello.", "Ann is fine.")
    for summary, swap, why in [
        (alone, "speakers", "two speakers are needed"), (run, "Ann", "NAME=NAME"),
        (run, "Ann=Ann", "NAME=NAME"), (run, "Zoe=Ann", "does not name 'Zoe'"),
        (run, "cake=cakeandmorecake", "as many tokens in each turn"), (run, "cake=the", "names neither"),
        (run, "Ann=Ben=Zoe", "NAME=NAME"), (run, "Ann=Bartholomew", "in front of turns"),
    ]:  # fmt: skip
        refused(SettingsError, why, twin_of, summarizer, summary, swap)
