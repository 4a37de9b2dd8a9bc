"""The loss by hand: two tokens, a vocabulary of four."""

import math

import numpy as np

from core.config import TrainConfig
from core.model.transformer import Transformer
from core.training.loss import TeacherForcing
from tests.closeness import near
from tests.models import log_softmax, small

TARGET = np.array([[1, 3, 0, 0]])
"""Two tokens, then padding."""
P = np.array([[0.1, 0.6, 0.1, 0.2], [0.4, 0.1, 0.25, 0.25], [0.97, 0.01, 0.01, 0.01], [0.25, 0.25, 0.25, 0.25]])


def config(**changes):
    return small(4, 1, (8, 8), **{"d_model": 4, "num_heads": 1, "feed_forward_dim": 4, "dropout": 0.0} | changes)


def forcing(content=None, model=None, **changes):
    return TeacherForcing(Transformer(model or config()), TrainConfig(**changes), content)


def predictions(probabilities=P, target=TARGET):
    logs = np.log(probabilities)[None]
    chosen = np.take_along_axis(logs, target[..., None], axis=-1)[..., 0]
    return {"target": chosen.astype("float32"), "smooth": logs.mean(-1).astype("float32")}


def loss(model, y_pred=None, target=TARGET):
    return float(model.compute_loss(y=target, y_pred=y_pred or predictions()))


def test_cross_entropy_by_hand():
    plain = -(math.log(0.6) + math.log(0.25)) / 2  # the two tokens; padding is left out
    near(loss(forcing(label_smoothing=0.0)), plain, terms=4, depth=4)
    # Label smoothing by hand. Cross-entropy with the target (1 - s) one-hot + s / V, term by term.
    s, expected = 0.2, 0.0
    for row, token in ((0, 1), (1, 3)):
        for other in range(4):
            wanted = s / 4 + (1 - s) * (other == token)
            expected -= wanted * math.log(P[row, other])
    model = forcing(label_smoothing=s)
    near(loss(model), expected / 2, terms=4, depth=4)
    # The reported token loss is never smoothed.
    near(float(model.token_loss.result()), plain, terms=4, depth=4)
    # Padding is ignored.
    model = forcing()
    before = loss(model)
    changed = P.copy()
    changed[2:] = [[0.01, 0.01, 0.01, 0.97], [0.7, 0.1, 0.1, 0.1]]
    assert loss(model, predictions(changed)) == before
    wider = predictions(np.concatenate([P, P]), np.pad(TARGET, ((0, 0), (0, 4))))
    near(loss(model, wider, np.pad(TARGET, ((0, 0), (0, 4)))), before, terms=4, depth=4)
    # A batch of padding is zero.
    empty = np.zeros_like(TARGET)
    assert loss(forcing(), predictions(target=empty), empty) == 0


def test_the_token_loss_weighs_tokens_not_batches():
    model = forcing(label_smoothing=0.0)
    loss(model)
    one = np.array([[1, 0, 0, 0]])
    loss(model, predictions(target=one), one)
    expected = -(math.log(0.6) + math.log(0.25) + math.log(0.6)) / 3
    near(float(model.token_loss.result()), expected, terms=4, depth=4)


def test_predictions_are_those_of_the_model_also_of_its_mixture():
    """Shifted targets in, log-probabilities of the targets out."""
    source, target = np.array([[7, 8, 7, 2]]), np.array([[8, 9, 7, 2]])
    fed = np.array([[1, 8, 9, 7]])  # [SOS] first; [EOS] never becomes an input
    for copy in (False, True):
        model = forcing(model=config(copy=copy, source_vocabulary=12, target_vocabulary=12))
        scored = model((source, target))
        result = {name: np.asarray(value) for name, value in model.transformer.replay(source, fed).items()}
        logs = log_softmax(result["logits"])
        near(scored["target"], logs[0, np.arange(4), target], terms=8, depth=30)
        if not copy:
            near(scored["smooth"], logs.mean(-1), terms=8, depth=30)
    copied = [result["copy"][0, t][source[0] == token].sum() for t, token in enumerate(target[0])]
    near(np.exp(scored["copy"])[0], copied, terms=8, depth=30)
    assert np.asarray(scored["found"])[0].tolist() == [1, 0, 1, 1]


def test_guided_copying_rewards_content_that_the_source_has():
    copy = {"copy": np.log([[0.5, 0.25, 0.9, 0.9]]).astype("float32"), "found": np.array([[1.0, 1.0, 1.0, 1.0]])}
    plain = loss(forcing(), predictions())
    for content, expected in ((None, math.log(0.5) + math.log(0.25)), ([0, 1, 0, 0], math.log(0.5))):
        model = forcing(content and np.array(content, dtype="float32"), guided_copy=0.3)
        near(loss(model, predictions() | copy), plain, terms=4, depth=4)  # not begun
        model.guidance.assign(0.3)
        near(loss(model, predictions() | copy), plain - 0.3 * expected / 2, terms=4, depth=4)
