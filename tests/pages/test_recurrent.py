"""Every page with a recurrent checkpoint chosen: what it can show it shows, and what it lacks is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core import checkpoints
from core.config import PRESETS
from core.explain.recurrent_stacks import total
from pages.shared import model
from pages.shared.family import NO_ATTENTION
from tests.pages.conftest import ROOT, SECONDS, summary
from tests.pages.driver import data

VIEWS = [
    ("summarize", {}),
    *(("tokens", {"tokens_view": view}) for view in ("tokens", "merges", "length", "embedding", "forcing")),
    ("tokens", {"tokens_view": "length", "pad_to": 400}),
    *(("decoding", {"view": view}) for view in ("steps", "branches", "beam", "bench")),
    *(("attention", {"see": view}) for view in ("turns", "heads", "head", "inside", "catalogue")),
    ("attention", {"see": "head", "head": 1, "kind": "encoder"}),
    *(("experiments", {"experiment": view}) for view in ("turns", "heads", "words", "lenses")),
    *(("attention_lab", {"lab": view}) for view in ("attention", "scoring", "scale", "block", "slips")),
    ("attention_lab", {"lab": "block", "lab_block_of": "tokens"}),
    *(("positions", {"pos_view": view}) for view in ("encoding", "distance", "sum", "test")),
    ("positions", {"pos_table": "learned"}),
    *(("masks", {"masks_view": view}) for view in ("batch", "missing", "lesson")),
    *(("architecture", {"arch_view": view}) for view in ("shapes", "parameters", "cost", "printed")),
    ("architecture", {"arch_part": "cross_attention"}),
    ("architecture", {"arch_part": "encoder/block1"}),
    ("bertscore", {}),
    ("errors", {}),
]
LACKING = {
    ("attention", "inside"): "no queries, keys and values of a head",
    ("attention", "catalogue"): "no heads that could be measured",
    ("experiments", "heads"): "no attention heads to switch off",
    ("experiments", "lenses"): "no stack of layers that could be read early",
    ("attention_lab", "block"): "no such blocks",
    ("positions", "sum"): "no positions, because it reads one token after the other",
    ("positions", "test"): "no positions, because it reads one token after the other",
    ("masks", "batch"): "no attention heads whose scores a mask could change",
    ("masks", "missing"): "no look-ahead mask to take away",
}


@pytest.fixture(scope="module")
def folder(recurrent_checkpoints: Path) -> Iterator[Path]:
    """Both are loaded once and stay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", recurrent_checkpoints)
        jobs = [model.job(name) for name in ("looking", "plain")]
        assert all(job.done.wait(SECONDS) and job.error is None for job in jobs)
        yield recurrent_checkpoints
        for job in jobs:
            job.thread.join(SECONDS)  # ending Python while XLA compiles would crash it


@pytest.fixture
def app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app before its first run; `looking` is the first checkpoint."""
    monkeypatch.setattr(checkpoints, "FOLDER", folder)
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)


def arrive(app: AppTest, page: str, **link: object) -> AppTest:
    """Open a link to a page in a new session."""
    app.query_params.update({name: str(value) for name, value in link.items()})
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception and not app.error, [each.value for each in app.error]
    return app


def said(app: AppTest) -> str:
    """What stands in boxes and captions, without Markdown's marks."""
    texts = [each.value for each in (*app.info, *app.warning, *app.caption, *app.markdown)]
    return " ".join(texts).replace("\\", "").replace("*", "")


@pytest.mark.parametrize(("page", "link"), VIEWS, ids=lambda part: part if isinstance(part, str) else None)
def test_every_view_is_drawn(app, page, link):
    arrive(app, page, **link)
    views = [str(value) for value in link.values()]
    wanted = [text for (where, view), text in LACKING.items() if where == page and view in views]
    if link == {"lab": "block"}:
        wanted = []  # its small matrix needs no model
    for text in wanted:
        assert f"“looking” is a recurrent model: it has {text}" in said(app)
        assert "No Transformer is installed" in said(app)
    assert wanted or "is a recurrent model" not in said(app)


def test_attention_offers_cross_attention_alone(app):
    arrive(app, "attention", kind="decoder")
    assert app.segmented_control(key="kind").options == ["Cross"] and app.segmented_control(key="kind").value == "cross"
    assert "This model has no decoder self-attention: its cross-attention is shown." in said(app)
    assert not [each for each in app.selectbox if each.key in ("layer", "head")]
    assert not [each for each in app.button if each.key == "to_experiments"]
    assert "Cross-attention: over all rows" in said(app)
    assert data(app, "ribbons")["rows"]


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("attention", {}),
        ("decoding", {}),
        ("experiments", {"experiment": "words"}),
        ("summarize", {}),
        ("architecture", {}),
        ("errors", {}),
    ],
)
def test_without_attention(app, page, link):
    arrive(app, page, checkpoint="plain", **link)
    assert (NO_ATTENTION.replace("*", "") in said(app)) == (page in ("attention", "decoding"))
    if page == "summarize":
        assert summary(app).strip()


def test_a_transformer_to_choose_is_named(app, tiny_checkpoint, tmp_path, monkeypatch, folder):
    for name in ("looking", "plain"):
        (tmp_path / name).symlink_to(folder / name)
    (tmp_path / "tiny").symlink_to(tiny_checkpoint)
    monkeypatch.setattr(checkpoints, "FOLDER", tmp_path)
    arrive(app, "experiments", experiment="heads")
    assert "Choose a Transformer in the sidebar: “tiny”." in said(app)


def test_architecture_of_the_slides(app):
    arrive(app, "architecture", arch_model="preset.slides-lstm")
    assert "20,715,928 parameters" in said(app)
    table = next(each.value for each in app.dataframe if "Defined in" in each.value.columns)
    found = dict(zip(table["Layer"], table["Parameters"], strict=True))
    assert (found["source_embedding"], found["encoder"], found["output_layer"]) == (3_211_000, 467_968, 9_317_792)
    edges = data(app, "stack_diagram")["edges"]
    assert ["memory", "encoder", "decoder"] in edges and not any("cross_attention" in edge for edge in edges)


def test_parameters_and_cost_by_hand(app):
    """B = 2, S = 10, T = 5: 15 steps; the output multiplies 2 · 5 · 256 · 8,000 times."""
    link = {"arch_view": "cost", "arch_batch": 2, "arch_source": 10, "arch_target": 5}
    arrive(app, "architecture", arch_model="preset.lstm-attention", **link)
    assert "15 steps" in said(app)
    table = next(each.value for each in app.dataframe if "Multiply–adds" in each.value.columns)
    found = dict(zip(table["Part"], table["Multiply–adds"], strict=True))
    assert found["Output: scores of the vocabulary"] == 2 * 5 * 256 * 8000
    assert found["Encoder: LSTM"] == 2 * 4 * 10 * (128 + 256) * 256
    assert found["Attention: scores"] == 2 * (15 * 256 * 128 + 5 * 10 * 128)
    app.segmented_control(key="arch_view").set_value("parameters").run()
    table = next(each.value for each in app.dataframe if "Share" in each.value.columns)
    assert table["Parameters"].sum() == total(PRESETS["lstm-attention"].model)
