"""A second system: summaries of the same dialogues by a file or by another model, for a column and for Compare."""

from collections.abc import Mapping

from core.config import DecodeSettings
from core.words import say
from pages.parts.errors import data, summaries
from pages.parts.errors.summaries import Run
from pages.shared.controls.choices import select
from pages.shared.model import models, sweep
from pages.shared.session import decoding
from pages.shared.session.fields import Text

AGAINST = Text("err_against", 200)


def choose(run: Run, label: str) -> None:
    """Draw the choice of a second system."""
    rivals = _rivals(run)
    AGAINST.fit(rivals, say("the second system"), next(iter(rivals)))
    select(label, rivals, AGAINST, width=320)


def chosen(run: Run) -> Run | None:
    """Return the chosen system's summaries; None while its model loads, which is said."""
    _, name, settings = _parts()
    return _given(run) if settings is None else summaries.of_current(run.data, name, settings)


def known(run: Run) -> Run | None:
    """Return what is there of the chosen system's summaries, without waiting for its model."""
    if AGAINST.value not in _rivals(run):
        return None
    _, name, settings = _parts()
    if settings is None:
        return _given(run)
    return summaries.of_model(run.data, name, models.job(name).summarizer, settings)


def advance(run: Run) -> None:
    """Let the second system's summaries be written and scored; the last call of the page's fragment."""
    other = known(run) if run.complete and sweep.any_running() else None
    if other and (other.summarizer or not other.checkpoint):
        summaries.advance(other)


def _parts() -> tuple[str, str, DecodeSettings | None]:
    """Return what kind of system is chosen and its name, and the decoding if it is a model."""
    kind, _, name = AGAINST.value.partition(":")
    return kind, name, None if kind in ("own", "file") else decoding.of_card(name).replace(strategy=kind)


def _given(run: Run) -> Run:
    """Return the summaries of the chosen file, or those that came with the data."""
    kind, name, _ = _parts()
    if kind == "own":
        return summaries.of_file(run.data)
    return summaries.of_file(data.others(run.data)[name].of_the_dialogues(run.data))


def _rivals(run: Run) -> Mapping[str, str]:
    """Return the names of everything that can be compared with a run."""
    files = {f"file:{key}": say("the file {name}", name=file.name) for key, file in data.others(run.data).items()}
    own = {"own": say("the summaries of the file")} if all(run.data.given) and run.checkpoint else {}
    of_models = {}
    for name in decoding.available():
        card = decoding.of_card(name)
        for strategy in ("greedy", "beam", "sample"):
            settings = card.replace(strategy=strategy)
            if (name, settings) != (run.checkpoint, run.settings):
                of_models[f"{strategy}:{name}"] = summaries.described(name, settings)
    return own | files | of_models
