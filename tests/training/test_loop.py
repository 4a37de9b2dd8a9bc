"""The loop: it learns, averages, stops early, and goes on after a kill as if nothing had happened."""

import json
import shutil
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
import pytest

from core import checkpoints
from core.config import END, ModelConfig, TrainConfig
from core.errors import CheckpointError, CorpusError
from core.model.transformer import Transformer, decoder_input
from core.text.tokenizer import Tokenizer
from core.training import loop
from core.training.batches import Batches
from core.training.loop import progress_line, train
from tests.models import log_softmax
from tests.refusals import refusals, refused


@pytest.fixture(scope="module")
def data(toy):
    """Pairs that need more batches in the second epoch than in the first and third, and a few to validate with."""
    return toy(34), [pair for pair in toy(16, seed=1) if len(pair[0]) <= 32]  # of one shape


@pytest.fixture(scope="module")
def config(train_config):
    return train_config.replace(steps_per_call=1)


@pytest.fixture(scope="module")
def unbroken(data, model_config, config, tokenizer, tmp_path_factory):
    """Three epochs in one go, and what was seen on the way."""
    seen = SimpleNamespace(read=defaultdict(list), reports=[], raw=[], output=tmp_path_factory.mktemp("unbroken"))
    models = []

    class Forcing(loop.TeacherForcing):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            models.append(self.transformer)

    class Recorded(Batches):
        def __getitem__(self, index):
            if self.shuffle:
                seen.read[self.epoch].append(index)
            return super().__getitem__(index)

    def report(epoch, values):
        seen.reports.append((epoch, dict(values)))
        seen.raw.append({name: value.copy() for name, value in checkpoints.weights_of(models[0]).items()})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "Batches", Recorded)
        patch.setattr(loop, "TeacherForcing", Forcing)
        seen.result = train(*data, model_config, config, tokenizer, seen.output, {"licence": "none"}, report=report)
    return seen


@pytest.fixture(scope="module")
def resume(data, model_config, config, tokenizer):
    """Goes on with a training of these data, some settings changed."""

    def call(output, model=model_config, **changes):
        return train(*data, model, config.replace(**changes), tokenizer, output, {}, resume=True)

    return call


def losses(history):
    return [(row["train_loss"], row["validation_loss"], row["learning_rate"]) for row in history]


def test_history_batches_and_progress(unbroken, data, config):
    history = unbroken.result.history
    assert [row["epoch"] for row in history] == [1, 2, 3]
    assert history[-1]["train_loss"] < history[0]["train_loss"]
    assert all(np.isfinite(value) for row in history for value in row.values())
    assert checkpoints.read_history(unbroken.output / "last" / "history.csv") == history
    # Every batch is trained on once an epoch, also where an epoch has more or fewer than the one before.
    counts = {epoch: len(Batches(data[0], config.batch_tokens, config.seed, epoch)) for epoch in (1, 2, 3)}
    assert counts[1] < counts[2] > counts[3]
    read = {epoch: sorted(read) for epoch, read in unbroken.read.items() if read}
    assert read == {epoch: list(range(count)) for epoch, count in counts.items()}
    assert len(unbroken.reports) == sum(counts.values())
    assert [epoch for epoch, _ in unbroken.reports] == sorted(epoch for epoch, _ in unbroken.reports)
    for epoch in range(3):
        shares = [values["share"] for number, values in unbroken.reports if number == epoch]
        assert shares == sorted(shares) and shares[0] > 0 and shares[-1] == 1


def test_the_checkpoints_hold_the_averaged_weights_of_the_best_epoch(unbroken, config, data, model_config):
    decay, average = config.average, unbroken.raw[0]
    for weights in unbroken.raw[1:]:
        average = {name: decay * average[name] + (1 - decay) * value for name, value in weights.items()}
    held = checkpoints.read(unbroken.result.last).weights
    for name, value in average.items():
        np.testing.assert_allclose(held[name], value, rtol=2e-3, atol=2e-4, err_msg=name)  # kept in float16
    table = "source_embedding/table"
    assert np.max(np.abs(held[table] - unbroken.raw[-1][table])) > 1e-3
    # The checkpoint gives the validation loss that was reported.
    model = Transformer(model_config)
    checkpoints.set_weights(model, held)
    total = count = 0
    for source, target in data[1]:
        fed = decoder_input(np.array([target]), 1)
        total -= log_softmax(model((np.array([source]), fed)))[0, np.arange(len(target)), target].sum()
        count += len(target)
    # Of weights that are kept in float16.
    assert total / count == pytest.approx(unbroken.result.history[-1]["validation_loss"], abs=5e-3)
    # The best epoch is the checkpoint.
    best = int(np.argmin([row["validation_loss"] for row in unbroken.result.history])) + 1
    assert unbroken.result.best_epoch == best
    card = checkpoints.read(unbroken.result.checkpoint).card
    assert (card["epochs"], card["licence"]) == (best, "none")
    assert checkpoints.read(unbroken.result.last).card["epochs"] == 3
    # Nothing else is left.
    assert sorted(path.name for path in unbroken.output.iterdir()) == ["checkpoint", "last", "state"]


class Killed(BaseException):
    """What nothing catches; processes that are really killed: `tests/damage/test_kill.py`."""


@pytest.mark.slow
def test_resume_after_a_kill_equals_an_unbroken_run(unbroken, resume, data, model_config, config, tokenizer, tmp_path):
    def report(epoch, values):
        if epoch == 1 and 0.3 < values["share"] < 1:  # in the middle of the second epoch
            raise Killed

    with pytest.raises(Killed):
        train(*data, model_config, config, tokenizer, tmp_path, {}, report=report)
    assert [row["epoch"] for row in json.loads((tmp_path / "state" / "state.json").read_text())["history"]] == [1]
    (tmp_path / ".state-abcd_123").mkdir()  # what a kill inside a write leaves
    result = resume(tmp_path)
    # The same steps, whose sums threads may add in another order: four digits are shown.
    np.testing.assert_allclose(losses(result.history), losses(unbroken.result.history), rtol=0, atol=1e-4)
    mine, theirs = (checkpoints.read(run.last).weights for run in (result, unbroken.result))
    for name, value in theirs.items():
        # Kept in float16, numbers up to 4.
        np.testing.assert_allclose(mine[name], value, rtol=0, atol=2e-3, err_msg=name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint", "last", "state"]


def test_resuming_what_is_finished_trains_nothing_whatever_does_not_change_the_result(unbroken, resume):
    before = (unbroken.output / "state" / "state.safetensors").read_bytes()
    again = resume(unbroken.output, patience=9, steps_per_call=4)
    assert losses(again.history) == losses(unbroken.result.history)
    assert again.best_epoch == unbroken.result.best_epoch
    assert (unbroken.output / "state" / "state.safetensors").read_bytes() == before


@pytest.mark.slow
def test_a_training_may_last_longer_where_nothing_depends_on_that(unbroken, resume, tmp_path):
    shutil.copytree(unbroken.output / "state", tmp_path / "state")
    longer = resume(tmp_path, epochs=4)
    assert losses(longer.history)[:3] == losses(unbroken.result.history) and len(longer.history) == 4


def test_other_settings_are_refused(unbroken, resume, model_config):
    for changes, message in (
        ({"seed": 4, "schedule": "cosine", "epochs": 9}, "epochs, schedule, seed$"),
        ({"model": model_config.replace(num_heads=4, feed_forward_dim=16)}, "num_heads, feed_forward_dim$"),
    ):
        refused(CheckpointError, f"made with other settings: {message}", resume, unbroken.output, **changes)


def test_a_state_that_cannot_be_resumed(unbroken, resume, tmp_path):
    state = shutil.copytree(unbroken.output / "state", tmp_path / "state")
    weights, document = state / "state.safetensors", state / "state.json"
    whole = document.read_bytes()
    for text in (b"{", b'{"history": []}', whole):
        document.write_bytes(text)
        if text is whole:
            weights.write_bytes(weights.read_bytes()[:-50])
        refused(CheckpointError, "state is damaged", resume, tmp_path)


def test_nothing_to_train_on(snapshot, data, model_config, config, tokenizer, tmp_path):
    more = (model_config, config, tokenizer, tmp_path, {})
    assert (
        refusals(CorpusError, lambda *pairs: train(*pairs, *more), [([], data[1][:2]), (data[0][:3], [])]) == snapshot
    )


EIGHT = [([5 + number, 6 + number, 7, END], [5 + number, 20 - number, 9, END]) for number in range(8)]


@pytest.mark.slow
def test_a_tiny_model_memorises_eight_pairs(model_config: ModelConfig, tokenizer: Tokenizer, tmp_path):
    config = TrainConfig(
        epochs=6, batch_tokens=8 * 48, learning_rate=0.02, warmup_steps=20, label_smoothing=0.0, average=0.5, patience=0
    )
    result = train(EIGHT * 25, EIGHT, model_config.replace(dropout=0.0), config, tokenizer, tmp_path, {})
    assert result.history[0]["train_loss"] > 0.5
    assert result.history[-1]["validation_loss"] < 0.05
    model = Transformer(model_config)
    checkpoints.set_weights(model, checkpoints.read(result.last).weights)
    source, target = (np.array([pair[part] for pair in EIGHT]) for part in (0, 1))
    np.testing.assert_array_equal(np.argmax(model((source, decoder_input(target, 1))), -1), target)


@pytest.mark.slow
def test_early_stopping(model_config: ModelConfig, tokenizer: Tokenizer, tmp_path):
    """The validation set contradicts the training set: it can only get worse."""
    config = TrainConfig(
        epochs=9, batch_tokens=8 * 48, learning_rate=0.01, warmup_steps=5, average=0.0, patience=2, steps_per_call=1
    )
    wrong = [(source, [11, 11, 11, END]) for source, _ in EIGHT]
    right = [(source, [17, 18, 19, END]) for source, _ in EIGHT]
    result = train(right * 6, wrong, model_config, config, tokenizer, tmp_path, {})
    assert (len(result.history), result.best_epoch) == (3, 1)
    assert checkpoints.read(result.checkpoint).card["epochs"] == 1
    assert checkpoints.read(result.last).card["epochs"] == 3
    again = train(right * 6, wrong, model_config, config, tokenizer, tmp_path, {}, resume=True)
    assert len(again.history) == 3


@pytest.mark.slow
def test_given_weights_pairs_of_each_epoch_and_an_observer(unbroken, data, model_config, config, tokenizer, tmp_path):
    """It begins with given weights, asks for the pairs of each epoch, and keeps the epoch of the best ROUGE."""
    start = checkpoints.read(unbroken.result.last).weights
    asked, seen = [], []

    def pairs(epoch):
        asked.append(epoch)
        return data[0][:20]

    def observe(epoch, model):
        seen.append((epoch, checkpoints.weights_of(model)))
        return dict.fromkeys(checkpoints.SCORES, float(epoch == 2)) if epoch else {}

    watched = {"observe": observe, "parts": (0.125, 0.5)}
    result = train(pairs, data[1], model_config, config, tokenizer, tmp_path, {}, initial=start, **watched)
    assert asked == [1, 1, 2, 3]
    assert [epoch for epoch, _ in seen] == [0, 0.125, 0.5, 1, 2, 3]
    for name, value in start.items():
        np.testing.assert_array_equal(seen[0][1][name], value.astype(np.float32))
    assert result.best_epoch == 2
    assert [row["rouge1"] for row in checkpoints.read(result.last).history] == [0, 1, 0]
    assert all(np.abs(seen[1][1][name] - value).max() > 0 for name, value in start.items() if "kernel" in name)
    kept = checkpoints.read(result.checkpoint).weights
    for name, value in seen[4][1].items():  # the averaged weights, as they are written
        np.testing.assert_array_equal(kept[name], value.astype(np.float16))
    more = (model_config, config, tokenizer, tmp_path / "b", {})
    refused(CheckpointError, "the weights do not fit", train, pairs, data[1], *more, initial={})


@pytest.mark.parametrize("name", ["token_loss", "val_token_loss"])
def test_divergence_is_reported(name, config, tokenizer, tmp_path):
    trained = SimpleNamespace(optimizer=SimpleNamespace(learning_rate=1.0))
    keeper = loop._Keeper(trained, None, [], config, Batches(EIGHT, 400), tmp_path, tokenizer, {}, None, None)
    logs = {"token_loss": 1.0, "val_token_loss": 1.0} | {name: float("nan")}
    refused(CheckpointError, "training diverged in epoch 1: the loss is not a number", keeper.on_epoch_end, 0, logs)
    assert not list(tmp_path.iterdir())


def test_progress_line(capsys):
    with progress_line(epochs=2, tokens=1000) as line:
        line(0, {"share": 0.5, "token_loss": 3.25})
        line(1, {"share": 0.5, "token_loss": 2.25})
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "epoch 2/2" in shown.err and "loss=2.250" in shown.err and "1.50k/2.00k" in shown.err
    # Progress of a resumed training leaves out what was done before.
    with progress_line(epochs=4, tokens=1000) as line:
        line(2, {"share": 0.1, "token_loss": 3.25})
    assert "2.10k/4.00k" in capsys.readouterr().err
