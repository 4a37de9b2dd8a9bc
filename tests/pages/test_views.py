"""Views with other kinds of model than the small one: what they can show they show, what they lack is said."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import PRESETS
from core.experiments.positions import bias_matrix, distance_biases
from core.explain.architecture.recurrent_stacks import total
from core.figures.positions import bias
from core.service import Summarizer
from pages.shared.model import models
from pages.shared.model.model_parts import NO_ATTENTION
from pages.shared.place import declarations
from tests.closeness import near
from tests.pages.conftest import ROOT, SECONDS, summary
from tests.pages.driver import another, chart, choose, data, draws, open_link, said, table

TRANSFORMERS = ("bart", "t5")
MODELS = (*TRANSFORMERS, "looking", "plain")
"""Transformers as other people build them, and recurrent models with and without attention."""
INSIDE = ("architecture", "attention", "decoding", "experiments", "masks", "positions", "summarize", "tokens")
"""Pages that look into a model."""
ALIKE = {("architecture", "printed"), ("decoding", "bench")}
"""The same with every model, or a matter of its summaries alone."""
VIEWS = [(page, view) for page in INSIDE for view in declarations.page_at(page).views if (page, view) not in ALIKE]
ATTENDING = ("attention", "decoding", "summarize")
"""Pages that ask for attention; the others say of a recurrent model without it what they say of one that has it."""
LEARNT = {("architecture", "shapes"), ("attention", "inside"), ("masks", "missing")}
LEARNT |= {(page, view) for page, view in VIEWS if page in ("experiments", "positions")} - {("experiments", "turns")}
WORDS = {("experiments", "words")} | {(page, view) for page, view in VIEWS if page == "tokens"}
CASES = [(*each, name) for name in ("t5", "looking") for each in VIEWS]
CASES += [(*each, "bart") for each in VIEWS if each in LEARNT]
WITHOUT = [(*each, "plain") for each in VIEWS if each not in WORDS]
CASES += [pytest.param(*each, marks=() if each[0] in ATTENDING else pytest.mark.slow) for each in WITHOUT]
"""All views with biases by distance and with a recurrent model; with learned positions, and without attention, those
where it matters.
"""
MORE = [
    ("tokens", {"tokens_view": "length", "pad_to": 400}),
    ("attention", {"see": "head", "head": 1, "kind": "encoder"}),
    ("attention_lab", {"lab": "block", "lab_block_of": "tokens"}),
    ("positions", {"pos_table": "learned"}),
    ("architecture", {"arch_part": "cross_attention"}),
    ("architecture", {"arch_part": "encoder/block1"}),
]
"""Links that ask for what only some models have."""
DRAWN = ("plotly_chart", "bidi_component", "dataframe")
"""What a view is made of."""
LACKING = {
    ("attention", "inside"): "no queries, keys and values of a head",
    ("attention", "catalogue"): "no heads that could be measured",
    ("experiments", "heads"): "no attention heads to ablate",
    ("experiments", "methods"): "no stack of layers whose vectors could be followed",
    ("experiments", "patching"): "no stack of layers whose states could be put into others",
    ("experiments", "lenses"): "no stack of layers that could be read early",
    ("positions", "sum"): "no positions, because it reads one token after the other",
    ("positions", "test"): "no positions, because it reads one token after the other",
    ("masks", "batch"): "no attention heads whose scores a mask could change",
    ("masks", "missing"): "no look-ahead mask to take away",
}


@pytest.fixture(scope="module")
def folder(
    recurrent_checkpoints: Path, family_checkpoints: Path, tiny_checkpoint: Path, tmp_path_factory
) -> Iterator[Path]:
    """A folder with one model of each kind; all are loaded once and stay."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "tiny").symlink_to(tiny_checkpoint)  # to be chosen instead
    for name in MODELS:
        (folder / name).symlink_to((family_checkpoints if name in TRANSFORMERS else recurrent_checkpoints) / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", folder)
        patch.setattr(models.LoadJob, "after", lambda job: None)  # what compiles when the tests are over
        # the app itself keeps three models only
        load, jobs = models.job, {name: models.LoadJob(name) for name in MODELS}
        assert all(job.done.wait(SECONDS) and job.error is None for job in jobs.values())
        patch.setattr(models, "job", lambda name, trained=True: jobs[name] if trained else load(name, trained))
        yield folder


@pytest.fixture
def app(folder: Path) -> AppTest:
    """The app before its first run."""
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)


def arrive(app: AppTest, page: str, checkpoint: str = "looking", **link: object) -> AppTest:
    """Open a link to a page in a new session."""
    return open_link(f"pages/{page}.py", app, checkpoint=checkpoint, **link)


@pytest.mark.parametrize(("page", "view", "checkpoint"), CASES)
def test_a_view_is_drawn_or_says_what_the_model_lacks(app, page, view, checkpoint):
    declared = declarations.page_at(page)
    arrive(app, page, checkpoint, **({declared.view.name: view} if len(declared.views) > 1 else {}))
    without = checkpoint == "plain" and (page == "attention" or (page, view) == ("decoding", "steps"))
    assert (NO_ATTENTION.replace("*", "") in said(app)) == without
    starts = [each for each in app.button if each.key in ("mask_train", "train_start")]
    assert any(app.get(kind) for kind in DRAWN) or app.info or starts, "nothing is drawn, and nobody says why"
    lacking = "" if checkpoint in TRANSFORMERS or without else LACKING.get((page, view), "")
    if lacking:
        assert f"“{checkpoint}” is a recurrent model: it has {lacking}" in said(app)
        assert "Choose another model in the sidebar: “bart”, “t5” and “tiny”." in said(app)
    else:
        assert "is a recurrent model" not in said(app)
    assert page != "summarize" or summary(app).strip()


@pytest.mark.parametrize(("page", "link"), MORE)
def test_a_link_that_asks_for_what_a_recurrent_model_lacks_breaks_nothing(app, page, link):
    arrive(app, page, **link)
    assert "lab_block_of" not in link or "“looking” is a recurrent model: it has no such blocks" in said(app)


def test_votes_say_what_a_recurrent_model_lacks(app):
    arrive(app, "decoding", voters="head")
    assert "“looking” is a recurrent model: it has no stack of layers whose vectors could be followed" in said(app)


def test_attention_offers_cross_attention_alone(app):
    arrive(app, "attention", kind="decoder")
    assert app.segmented_control(key="kind").options == ["Cross"] and app.segmented_control(key="kind").value == "cross"
    assert "This model has no decoder self-attention: its cross-attention is shown." in said(app)
    assert not [each for each in app.selectbox if each.key in ("layer_choice", "head")]
    assert not [each for each in app.button if each.key == "to_experiments"]
    assert "Cross-attention: over all rows" in said(app)
    assert data(app, "ribbons")["rows"]


def test_attention_says_what_else_it_could_show(app):
    arrive(app, "attention", shows="norms")
    assert "no stack of layers whose vectors could be followed" in said(app) and data(app, "ribbons")["looks"]


def test_positions_of_other_peoples_models(app):
    arrive(app, "positions", "bart")
    assert "The encoder’s table has 1,024 rows of 16 trained numbers; shown are 50" in said(app)
    choose(app, "pos_side", "decoder")
    assert "The decoder’s table has 128 rows" in said(app)
    choose(app, "pos_view", "sum")
    assert "Largest distance of these sums, normalised (LayerNorm), from what the first layer" in said(app)
    app = another(app)
    arrive(app, "positions", "t5", pos_side="decoder", pos_head=2)
    assert app.selectbox(key="pos_preset").value == "own"
    draws(app, "pos_bias_picture", bias.head_line(distance_biases(t5(), "decoder"), 1))
    choose(app, "pos_view", "distance")
    drawn = chart(app, "pos_scores_picture")["data"][0]["z"]
    kept = np.tril(np.ones(drawn.shape, dtype=bool))
    near(drawn[kept], bias_matrix(t5(), "decoder", 1, len(drawn))[kept])
    choose(app, "pos_view", "sum")
    assert "This model has no vectors for positions: it adds a bias by distance to the scores" in said(app)
    choose(app, "pos_view", "encoding")
    small = next(each for each in app.selectbox(key="pos_preset").options if each.startswith("Small"))
    choose(app, "pos_preset", small)
    assert "50 positions × 64 dimensions, sinusoids of base 10,000" in said(app)
    assert app.query_params["pos_table"] == "sinusoids"


def test_an_imported_checkpoint_says_where_it_was_trained(app, folder, tmp_path, monkeypatch):
    card = checkpoints.read_card("bart") | {
        "source": "somebody/bart-*tiny*", "revision": "abc", "family": "BART", "parameters": 12345, "precision": "half",
        "licence": "MIT", "notes": ["It writes little."], "files": {"config.json": "00ff"},
    }  # fmt: skip
    (tmp_path / "bart").mkdir()
    for file in (folder / "bart").iterdir():
        (tmp_path / "bart" / file.name).symlink_to(file)
    (tmp_path / "bart" / "card.json").unlink()
    (tmp_path / "bart" / "card.json").write_text(json.dumps(card), encoding="utf-8")
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    arrive(app, "training", "bart")
    text = said(app)
    assert "“bart” was trained elsewhere: its weights were imported" in text and "there are no curves" in text
    for fact in ("Source: somebody/bart-tiny", "Revision: abc", "Weights: 12,345", "Stored as: 16-bit", "Licence: MIT"):
        assert fact in text, fact
    assert table(app, "SHA-256")["File"].tolist() == ["config.json"] and not app.get("plotly_chart")
    for view, lacking in (("scores", "scores of its training"), ("lapse", "snapshots of its training")):
        choose(app, "train_view", view)
        assert f"there are no {lacking}" in said(app)


def t5() -> Summarizer:
    """The loaded model with biases by distance."""
    return models.job("t5").summarizer


def test_architecture_of_recurrent_presets(app):
    arrive(app, "architecture", arch_model="preset.slides-lstm")
    assert "20,715,928 parameters" in said(app)
    layers = table(app, "Defined in")
    assert layers["Parameters"][list(layers["Layer"]).index("output_layer")] == 9_317_792
    choose(choose(app, "arch_model", "preset.lstm-attention"), "arch_view", "cost")
    costs = table(app, "Multiply–adds")
    assert costs["Multiply–adds"][list(costs["Part"]).index("Encoder: LSTM")] == 2 * 4 * 12 * (128 + 256) * 256
    choose(app, "arch_view", "parameters")
    assert table(app, "Share")["Parameters"].sum() == total(PRESETS["lstm-attention"].model)
