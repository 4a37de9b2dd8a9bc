"""A picture on a page: the chart, its sentence, its numbers as a table, and its files; files of components."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.figures.shared.files import CONFIG, Table, to_csv, to_html, to_npz
from core.figures.shared.palette import enlarged, themed
from core.figures.shared.picture import Finished, Picture
from core.words import say
from pages.shared.components import HERE, component
from pages.shared.guard import message_guard
from pages.shared.model.cache import cached
from pages.shared.session.notices import literal
from pages.shared.teaching import projector

NARROW = """<style>@media (max-width: 640px) {
.stPlotlyChart .modebar { display: none; }
.stPlotlyChart .xtick:first-child:nth-last-child(n + 24):nth-last-child(-n + 33) ~ .xtick:nth-child(even) text,
.stPlotlyChart .xtick:first-child:nth-last-child(n + 34) ~ .xtick:not(:nth-child(3n + 1)) text { display: none; }
}</style>"""
"""On a phone the toolbar would cover the legend, and of many token texts some the one before it."""

PICTURES = 100
"""How many pictures `kept` keeps: those of a class at some steps of some dialogues."""

_SAVE_IMAGE = component(HERE / "save_image", kit=False)
_SAVE_VIEW = component(HERE / "save_view")


def show(
    picture: Picture, key: str, *, on_select: Callable[[], None] | None = None, tallest: int | None = None
) -> None:
    """Draw a picture with its sentence and, behind two buttons, its table and its files.

    Args:
        picture: what to draw.
        key: of the chart; in `on_select`, `st.session_state[key].selection.points` are the clicked points.
        on_select: called when a point was clicked; None: clicks do nothing.
        tallest: pixels; a taller chart scrolls inside a frame of this height. None: it is drawn whole.
    """
    st.html(NARROW)
    ready = _READY.setdefault(picture, _Ready(picture))
    factor = projector.LARGER if projector.on() else 1.0
    figure = ready.figure(st.context.theme.type or "light", factor, projector.tallest())
    tall = tallest and figure.height > tallest
    with st.container(height=tallest or "content", key=f"{key}_frame") if tall else nullcontext():
        st.plotly_chart(
            figure,
            width="stretch",
            theme=None,  # it is a template: see `Finished`
            key=key,
            on_select=on_select or "ignore",
            selection_mode="points",
            config=CONFIG,
            alt=picture.caption,
        )
    st.caption(literal(picture.caption))
    with st.container(horizontal=True):
        _popover(ready.table(), picture.table)
        with st.popover(say("Save"), icon=":material/download:"):
            _files(picture, key)


def table(numbers: Table, alt: str, save: tuple[str, str] | None = None, **options: Any) -> Any:
    """Draw a table that stands on the page, with its headings said, and return what Streamlit does.

    Args:
        numbers: its columns.
        alt: what it shows, said, for screen readers.
        save: name of its files, and key of the button that saves it; None: there is none.
        options: more of `st.dataframe`; a `column_config` counts more than the headings.
    """
    config = headings(numbers) | options.pop("column_config", {})
    event = st.dataframe(numbers, hide_index=True, alt=alt, column_config=config, **options)
    if save:
        save_table(numbers, *save)
    return event


def table_popover(numbers: Table) -> None:
    """Draw the button that opens the table of a picture."""
    _popover(numbers, numbers)


def _popover(drawn: Table | pa.Table, numbers: Table) -> None:
    with st.popover(say("Table"), icon=":material/table:", width="content"):
        st.dataframe(drawn, hide_index=True, width=720, column_config=headings(numbers))


def kept(make: Callable[..., Picture], *arguments: Any) -> Picture:
    """Return the picture that a function makes, kept for all sessions: for one with few numbers, drawn again often.

    Args:
        make: a function of a module.
        arguments: its arguments, in what `cached` tells apart quickly: a summary, not the list of its steps.
    """
    return _kept(f"{make.__module__}.{make.__qualname__}", make, *arguments)


@cached(PICTURES, worded=True)
def _kept(name: str, _make: Callable[..., Picture], *arguments: Any) -> Picture:
    return _make(*arguments)


class _Ready:
    """A picture as it is sent: it is made ready once, and then again only for another theme or screen.

    Args:
        picture: which is kept where it is made, or made anew each time.
    """

    def __init__(self, picture: Picture) -> None:
        self._original, self._numbers = picture.figure, picture.table
        self._figures: dict[tuple[str, float, int | None], Finished] = {}
        self._table: pa.Table | None = None

    def figure(self, theme: str, factor: float, tallest: int | None) -> Finished:
        """Return the figure for "light" or "dark", larger by a factor, and no taller than this many pixels."""
        how = (theme, factor, tallest)
        if how not in self._figures:
            figure = self._original if tallest is None else enlarged(self._original, factor, tallest)
            self._figures[how] = Finished(themed(figure, *_colors(theme)))
        return self._figures[how]

    def table(self) -> pa.Table:
        """Return the table; pandas and Arrow take longer to make one than to draw the chart."""
        if self._table is None:
            self._table = to_arrow(self._numbers)
        return self._table


_READY: WeakKeyDictionary[Picture, _Ready] = WeakKeyDictionary()
"""What was made ready, as long as its picture is kept somewhere."""


def to_arrow(table: Table) -> pa.Table:
    """Return a table for Arrow: a column in which texts and numbers stand together is written as texts."""
    frame = pd.DataFrame(table)
    for name in frame:
        try:
            pa.array(frame[name], from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            frame[name] = frame[name].map(str)
    return pa.Table.from_pandas(frame, preserve_index=False)


def headings(table: Table) -> dict[str, str]:
    """Return what stands above the columns of a table: its names, marked with `later`, said. A file keeps the names."""
    return {name: heading for name in table if (heading := say(name)) != name}


def _colors(theme: str) -> tuple[str, str]:
    """Text and ground of "light" or "dark"."""
    return st.get_option(f"theme.{theme}.textColor"), st.get_option(f"theme.{theme}.backgroundColor")


def _files(picture: Picture, key: str) -> None:
    """Buttons for every format; the pictures are made by the browser, the others when they are clicked."""
    _SAVE_IMAGE(key=f"{key}_image", data={"chart": key, "name": picture.name})
    st.download_button(
        say("Web page that works offline"),
        lambda: to_html(picture, *_colors("light")),
        f"{picture.name}.html",
        "text/html",
        key=f"{key}_html",
        on_click="ignore",
    )
    _table_files(lambda: picture.table, picture.name, key)


def _table_files(table: Callable[[], Table], name: str, key: str) -> None:
    for label, ending, kind, make in (
        (say("CSV table"), "csv", "text/csv", to_csv),
        (say("NumPy arrays (.npz)"), "npz", "application/octet-stream", to_npz),
    ):
        made = partial(lambda make: make(table()), make)
        st.download_button(label, made, f"{name}.{ending}", kind, key=f"{key}_{ending}", on_click="ignore")


def save_table(table: Table, name: str, key: str) -> None:
    """A button that saves a table that stands on the page as it is."""
    with st.popover(say("Save"), icon=":material/download:", width="content"):
        _table_files(lambda: table, name, key)


def clicked(key: str, count: int | None = None) -> int | None:
    """Return what the clicked point of a chart stands for: its customdata, or None if nothing was clicked.

    Args:
        key: of the chart.
        count: how many things the points stand for; a larger number, which a browser may send, counts as nothing.
    """
    points = st.session_state[key].selection.get("points")
    data = points[0].get("customdata") if points else None
    place: Any = data[0] if isinstance(data, list) and data else data
    past = message_guard.LARGEST_NUMBER if count is None else count
    if not message_guard.fits(place, float) or not 0 <= place < past:
        return None
    return int(place)


def save_view(key: str, name: str, caption: str, table: Callable[[], Table]) -> None:
    """Buttons for the files of one of our own components; the browser makes the pictures from what it shows.

    Args:
        key: of the component.
        name: of the files.
        caption: one sentence, said, that goes below the picture.
        table: its numbers, made when a table is clicked.
    """
    with st.popover(say("Save"), icon=":material/download:", width="content"):
        _SAVE_VIEW(key=f"{key}_picture", data={"view": key, "name": name, "caption": caption})
        _table_files(table, name, key)
