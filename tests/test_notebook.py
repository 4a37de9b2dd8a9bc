"""The surface for notebooks: what `core` exports, a summary that shows itself, its figures, and docs/notebook.ipynb."""

import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import core
from core.errors import SettingsError
from core.explain.shared import cross
from core.explain.shared.rollup import groups, sum_columns
from core.notebook import Model, ShownSummary
from core.trace import AttentionTrace
from tests.closeness import near
from tests.refusals import refusals, refused

DOCS = Path(__file__).resolve().parents[1] / "docs"
DIALOGUE = 'Ann: I lost my <b>keys</b>.\nBen: They are in your "coat" & bag.\nAnn: Thank you!'
HOSTILE = "<img src=x> & '\""


@pytest.fixture
def model(tiny, tiny_stays, tiny_checkpoint) -> Model:
    return core.load(tiny_checkpoint)


@pytest.fixture
def found(model) -> ShownSummary:
    return model.summarize(DIALOGUE)


class Reader(HTMLParser):
    """Collects the tags and the text of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.titles: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.tags.add(tag)
        self.titles += [value for name, value in attributes if name == "title"]
        assert {name for name, _ in attributes} <= {"style", "title", "dir"}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_core_exports_the_loader_alone_and_imports_nothing_of_itself():
    assert core.__all__ == ["load"] and core.load.__doc__
    code = "import core, sys; print([name for name in sys.modules if name.startswith(('core.', 'numpy', 'keras'))])"
    out = subprocess.run([sys.executable, "-c", code], cwd=DOCS.parent, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_summary_shows_itself(model, found, tiny):
    assert repr(model) == "Model('tiny')" and repr(found) == found.text == tiny.summarize(DIALOGUE).text
    page = Reader()
    page.feed(found._repr_html_())
    assert page.tags <= {"div", "span", "small", "p", "br"}
    assert len(page.titles) == len(found.summary.steps)
    for said in (found.summary.checkpoint, "often wrong about who did what", "Licence of its weights: none"):
        assert said in page.text


def test_every_text_is_escaped(tiny):
    summary = tiny.force(DIALOGUE, HOSTILE)
    page = Reader()
    page.feed(ShownSummary(summary, "<i>free</i>")._repr_html_())
    assert page.tags <= {"div", "span", "small", "p", "br"}
    for said in ("<img src=x>", "'\"", "<i>free</i>"):
        assert said in page.text
    assert "<b>" not in Model(tiny).summarize(DIALOGUE).attention.show().to_json()


def test_a_summary_that_the_model_did_not_write_is_explained(model, found):
    explained = model.explain(found.summary.dialogue.text, "Ann ate it.")
    assert explained.text == "Ann ate it." and explained.summary.given and not found.summary.given
    assert "Read by" in explained._repr_html_() and explained.attribution("occlusion").found.check.holds


def test_settings_are_given_by_name(snapshot, model):
    assert model.summarize(DIALOGUE, strategy="greedy", max_tokens=3).summary.settings.max_tokens == 3
    cases = [{"strategy": "best"}, {"beams": 3}]
    assert refusals(SettingsError, lambda changes: model.summarize(DIALOGUE, **changes), cases) == snapshot


def test_attention_is_that_of_the_trace(found):
    trace = found.summary.attention
    cases = [({}, "2.mean"), ({"layer": 1}, "1.mean"), ({"layer": 1, "head": 2}, "1.2"), ({"head": 1}, "2.1")]
    for asked, choice in cases:
        picture = found.attention.picture(**asked, by="turn")
        expected = sum_columns(cross.weights(trace, choice), groups(trace.source, "turn"))
        near(picture.table["Weight"], expected.ravel(), terms=len(trace.source))
        assert picture.table["Key"][0] == "1 · Ann: I lost my <b>keys</b>."
        shown = found.attention.show(**asked)
        assert cross.label(choice).split(",")[0] in shown.layout.title.text and shown.layout.paper_bgcolor == "#ffffff"


def test_attention_that_is_not_there_is_refused(snapshot, found):
    cases = [{"layer": 3}, {"layer": 1, "head": 3}, {"layer": 0}, {"head": 0}]
    assert refusals(SettingsError, lambda asked: found.attention.picture(**asked), cases) == snapshot
    # Of recurrent models: without attention, and with that of the decoder alone.
    trace = found.summary.attention
    plain, looking = (AttentionTrace(trace.source, trace.target, cross=each) for each in (None, trace.cross[:1, :1]))
    with pytest.raises(SettingsError, match="no attention: its encoder hands one vector"):
        ShownSummary(replace(found.summary, attention=plain), "").attention.show()
    shown = ShownSummary(replace(found.summary, attention=looking), "").attention.show()
    assert "the decoder" in shown.layout.title.text


def test_decoding_shows_every_step(found):
    picture = found.decoding.picture()
    assert picture.table["Probability"] == [step.probability for step in found.summary.steps]
    shown = found.decoding.show()
    assert shown.layout.height > picture.figure.layout.height
    assert shown.layout.title.text.replace("<br>", " ").startswith("The greatest surprise was")


@pytest.mark.slow
def test_the_notebook_runs():
    notebook = nbformat.read(DOCS / "notebook.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit it without outputs"
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(DOCS)}}).execute()
    outputs = {kind for cell in notebook.cells for out in cell.get("outputs", ()) for kind in out.get("data", ())}
    assert {"text/html", "application/vnd.plotly.v1+json"} <= outputs
    assert "Without this head the summary loses" in str(notebook.cells[-1].outputs)


def test_an_attribution_shows_itself_with_its_check(found):
    figure = found.attribution("occlusion").show()
    assert "Check passed" in figure.layout.title.text
    assert "Check passed" in found.attention.show(shows="norms", head=1).layout.title.text
    refused(SettingsError, "shows must be one of weights, norms", found.attention.picture, shows="odd")
    assert found.attribution("gradient", target=1, contrast="suitcase").found.rows == (found.summary.tokens[0].text,)
    shares = found.attribution("contributions").shares().layout.title.text
    assert "comes from the dialogue" in shares.replace("<br>", " ")
    refused(SettingsError, "ask contributions", found.attribution("occlusion").shares)
    refused(SettingsError, "has no foil", found.attribution, "norms", 1, "suitcase")
    refused(SettingsError, "not at hand", replace(found, summarizer=None).attribution, "norms")


def test_votes_patching_and_curves_show_themselves_with_their_check(model, found):
    named = model.explain(DIALOGUE, "Ann lost her keys.")
    for shown in (found.votes(), found.votes(1, "suitcase", "turn"), found.curves("insertion"), named.patching()):
        assert "Check passed" in shown.show().layout.title.text.replace("<br>", " ")
    refused(SettingsError, "put must be one of turns, preview", named.patching, put="odd")
    refused(SettingsError, "nothing tells", model.explain(DIALOGUE, "It was found.").patching)
    refused(SettingsError, "step must be from 0", found.votes, 99)
