"""What labels attention weights, and one kind of attention of a run with what of it is open."""

import numpy as np
import pytest

from core.config import END, START, TURN, DecodeSettings
from core.figures.attention.view import AttentionView, sides, weights_by_kind
from core.figures.attention.weights import Weights, labels, texts
from core.text.dialogue import parse_dialogue
from core.trace import AttentionTrace, DecodingStep, Summary, Token
from tests.closeness import near
from tests.figures.conftest import cannot_draw, said
from tests.figures.drawing import drawn

KINDS = ("cross", "encoder", "decoder")
UNITS = ("token", "word", "turn", "speaker")
TOKENS = (
    Token("Anna", 40, 0, 4, 0, "Anna", 0),
    Token(" the", 41, 5, 9, 0, "Anna", 1),
    Token("re", 42, 9, 11, 0, "Anna", 1),
    Token("[TURN]", TURN, 11, 11, 0, "Anna", 2),
    Token("<b>", 43, 12, 15, 1, "Ben", 3),
    Token("the", 44, 16, 19, 1, "Ben", 4),
    Token("[EOS]", END, 19, 19, 1, None, 5),
)
DIALOGUE = parse_dialogue("Anna: there\nBen: <b> the")
LABELS = labels(TOKENS, "token")
TURNS = labels(TOKENS, "turn", DIALOGUE)


def run(source=TOKENS, target=TOKENS, dialogue=DIALOGUE, encoder_layers=2, layers=2, heads=3) -> Summary:
    """A run that nobody had to compute; every head's rows sum to 1."""
    draw = np.random.default_rng(3)

    def rows(layers: int, queries: int, keys: int, mask=1.0) -> np.ndarray:
        values = draw.random((layers, heads, queries, keys)) ** 4 * mask
        return values / values.sum(axis=-1, keepdims=True)

    s, t = len(source), len(target)
    written = rows(layers, t, t, np.tril(np.ones((t, t))))
    attention = AttentionTrace(source, target, rows(encoder_layers, s, s), written, rows(layers, t, s))
    steps = tuple(DecodingStep(token, -0.5, 0.5, 1, ()) for token in target)
    arrays = np.zeros((t, 3)), np.zeros((3, s, 4)), np.zeros((3, t, 4))
    more = {"omitted": (), "shortened": (), "hypotheses": (), "beam": None, "finished": True, "seconds": 0.0}
    return Summary("text", dialogue, steps, attention, *arrays, settings=DecodeSettings(), checkpoint="tiny@a", **more)


def opened(kind: str, summary: Summary, layer=0, head: int | None = 1, words_only=False, span=None) -> AttentionView:
    """The view of a run."""
    tokens = sides(summary, kind)
    return AttentionView(summary, kind, weights_by_kind(summary)[kind], *tokens, layer, head, words_only, span)


def test_labels_of_tokens_words_turns_and_speakers(snapshot):
    """The end belongs to no turn."""
    columns = ("text", "turn", "speaker", "special", "joined", "members", "last")
    for found in (LABELS, labels(TOKENS, "word"), TURNS, labels(TOKENS, "speaker")):
        assert drawn({name: [getattr(each, name) for each in found] for name in columns}, texts(found)) == snapshot
    apart = labels([TOKENS[0], TOKENS[4], TOKENS[1]], "speaker")[0]
    assert apart.members == (0, 2) and apart.last == 0  # with another's turn between, its first token alone
    assert labels([Token("[SOS]", START, 0, 0, None, None, -1)], "token")[0].text == "start"
    written = labels([Token("[EOS]", 99, 0, 5, 0, None, 0)], "token")[0]  # typed, not a special token
    assert written.text == "[EOS]" and not written.special
    why = r"\[2, 7\] of their labels\. Received: \[7, 2\]"
    cannot_draw(why, Weights, "cross", "layer 3", np.ones((7, 2)), LABELS[:2], LABELS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_rolls_up_its_head_or_the_mean(kind):
    summary = run()
    found, view = weights_by_kind(summary)[kind], opened(kind, summary)
    for units in ((row, column) for row in UNITS for column in UNITS):
        shown = view.open_head(units)
        assert shown.values.shape == (len(view.rows(units[0])), len(view.columns(units[1])))
        near(shown.values.sum(axis=-1), 1, terms=9)
        assert shown.causal == (kind == "decoder" and units[0] == "token")
    assert view.open_head(("token", "token")).values == pytest.approx(found[0, 1])
    there = view.open_head(("word", "token")).values[1]  # the tokens 1 and 2
    assert there == pytest.approx(found[0, 1, 1:3].mean(axis=0))
    if kind != "decoder":
        first = view.open_head(("token", "turn")).values[:, 0]  # the tokens 0 to 3
        assert first == pytest.approx(found[0, 1, :, :4].sum(axis=-1))
    mean = opened(kind, summary, 1, None).open_head(("token", "token"))
    assert mean.values == pytest.approx(found[1].mean(axis=0)) and mean.title.endswith("layer 2, mean of the heads")
    together = view.rolled(found[0], ("word", "word"), "layer 1")
    assert together.values[1] == pytest.approx(view.open_head(("word", "word")).values)
    table = together.table([1, 2, 3])
    assert table["Weight"] == pytest.approx(together.values.ravel())
    assert len(table["Query"]) == len(table["Key"]) == together.values.size


def test_without_sinks_the_words_share_everything():
    view = opened("cross", run(), words_only=True)
    shown = view.open_head(("token", "token")).values
    words = [1, 2, 5]  # "Anna" is her tag, "<b>" is read as a word: it has a letter
    kept = sorted({*words, 4})
    assert not np.delete(shown, kept, axis=1).any()
    alone = view.weights[0, 1][:, kept]
    near(shown[:, kept], alone / alone.sum(axis=1, keepdims=True), terms=4)
    assert view.what == "cross-attention, layer 1, head 2, without special tokens, tags and punctuation"


def test_chosen_tokens_stand_in_rows_and_the_strongest_head_is_named():
    summary = run()
    view = opened("encoder", summary, span=(2, 4))
    assert view.locked(view.rows("token")) == (2, 4)
    assert view.locked(view.rows("word")) == (1, 3) and view.locked(view.rows("turn")) == (0, 1)
    assert opened("encoder", summary).locked(view.rows("token")) is None
    table, caption = view.largest()
    layer, head, row, column = np.unravel_index(view.weights.argmax(), view.weights.shape)
    place = layer * 3 + head
    assert (table["Layer"][place], table["Head"][place]) == (layer + 1, head + 1) and len(table["Head"]) == 6
    names = texts(LABELS)
    assert (table["Query"][place], table["Key"][place]) == (names[row], names[column])
    assert said(caption).startswith("Encoder self-attention: the largest single weight of all heads is ")
    assert caption.endswith(f"in layer {layer + 1}, head {head + 1}: “{names[row]}” → “{names[column]}”.")
