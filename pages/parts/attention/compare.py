"""Two checkpoints on the same dialogue: what each writes, and all heads of each."""

from typing import TYPE_CHECKING

import streamlit as st

from core import checkpoints
from core.figures.attention.head_tables import Compared, compared_table
from core.figures.attention.view import AttentionView, sides, weights_by_kind
from core.figures.shared.wording import kind_text
from core.trace import Attention, Summary
from core.words import say
from pages.parts.attention import maps, view
from pages.parts.attention.head_grid import grid_data, head_grid
from pages.shared.components.word_diff import word_diff
from pages.shared.controls.choices import row, select
from pages.shared.figures import pictures
from pages.shared.model import loading, models
from pages.shared.session import decoding, selection
from pages.shared.session.fields import Text
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

OTHER = Text("beside", 80)
FIELDS = (OTHER,)
BESIDE = 6
"""Most heads of a layer for which both pictures fit beside each other."""


def draw(seen: AttentionView) -> None:
    """Draw the choice of another checkpoint, both summaries, their scores, and all heads of both."""
    mine = decoding.checkpoint()
    others = decoding.compared_first(name for name in decoding.available() if name != mine)
    if not others:
        none = say("No other checkpoint is installed. “Add a model” in the sidebar brings one.")
        st.info(none, icon=":material/info:")
        return
    OTHER.fit(("", *others), say("checkpoint to compare with"))
    with row():
        name = select(say("Compare with"), {each: each for each in others}, OTHER, usual=others[0], width=200)
    job = models.job(name)
    if not loading.ready(job) or job.summarizer is None:
        return
    other = models.run(job.summarizer, selection.current().text, decoding.of_card(name), selection.given())
    both = [_compared(mine, seen.summary), _compared(name, other)]
    mapped = _mapped(job.summarizer, other, seen)
    drawn = [weights for each in both if (weights := weights_by_kind(each.summary).get(seen.kind)) is not None]
    fits = all(weights.shape[1] <= BESIDE for weights in drawn)
    for each, place in zip(both, st.columns(2) if fits else (st.container(), st.container()), strict=True):
        with place:
            again = each is both[0] and not fits and len(drawn) > 1  # the legend stands below the other one
            _heads(each, seen, seen.weights if each is both[0] else mapped, explained=not again)
    maps.tell(seen)
    with st.expander(say("What each writes")):
        _summaries(both)
    with st.expander(say("Scores and heads of both checkpoints")):
        _scores(both, seen)


def _scores(both: list[Compared], seen: AttentionView) -> None:
    """Draw the table of what was measured of both."""
    table = compared_table(both, seen.kind, selection.current().references)
    st.dataframe(
        table,
        hide_index=True,
        column_config={"Measure": say("Measure")},
        alt=say("Scores and heads of both checkpoints"),
    )
    of_many = say(
        "“Of many”: the dialogues on the checkpoint's card, DialogSum's validation split for ours. The Catalogue names "
        "the type of each head. “Off”: what a checkpoint's own summaries lose under teacher forcing without this kind "
        "of attention."
    )
    st.caption(of_many)


def _compared(name: str, summary: Summary) -> Compared:
    measured, _ = models.measured_heads(name, summary.checkpoint)
    return Compared(name, summary, checkpoints.read_card(name), measured)


def _summaries(both: list[Compared]) -> None:
    for checkpoint, column in zip(both, st.columns(2), strict=True):
        with column, st.container(border=True):
            st.markdown(f"**{literal(checkpoint.name)}**")
            st.text(checkpoint.summary.text or say("It wrote nothing."))
            st.caption(literal(str(checkpoint.card.get("about") or "")))
    first, second = (literal(checkpoint.name) for checkpoint in both)
    st.caption(say("Struck through: {first} alone. Underlined: {second} alone.", first=first, second=second))
    word_diff(both[0].summary.text, both[1].summary.text, key="compare_diff")


def _mapped(summarizer: "Summarizer", summary: Summary, seen: AttentionView) -> Attention | None:
    """Return what is shown of the other model; its weights where it has no blocks, None where it has no such kind."""
    weights = weights_by_kind(summary).get(seen.kind)
    if weights is None or seen.shows == "weights" or not summarizer.config.has.blocks:
        return weights
    return maps.attention(summarizer, summary, seen.kind, weights.shape, seen.shows)[0]


def _heads(each: Compared, opened: AttentionView, weights: Attention | None, explained: bool) -> None:
    """Draw all heads of a checkpoint of the kind that is open; a click opens one, and its checkpoint."""
    if weights is None:
        st.markdown(f"**{literal(each.name)}**")
        st.info(say("It has no {attention}.", attention=kind_text(opened.kind)), icon=":material/info:")
        return
    mine = each.summary is opened.summary
    key = f"compare_grid_{'first' if mine else 'second'}"
    layer = opened.layer if mine else len(weights) - 1
    shows = "weights" if weights is weights_by_kind(each.summary)[opened.kind] else opened.shows
    tokens = sides(each.summary, opened.kind)
    seen = AttentionView(each.summary, opened.kind, weights, *tokens, layer, None, False, None, shows)
    data = grid_data(opened.kind, weights, layer, opened.head if mine else None, view.tags(seen, each.catalogue), shows)
    data |= {"title": f"{each.name} · {data['title']}", "explained": explained}
    head_grid(key=key, data=data, on_open_change=lambda: _open(key, each.name))
    table, caption = seen.largest()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(literal(caption))
        pictures.save_view(key, f"{maps.prefix(seen)}-{each.name}", caption, lambda: table)


def _open(key: str, name: str) -> None:
    if st.session_state[key].open and name != decoding.checkpoint():
        decoding.CHECKPOINT.value = name
        decoding.restore()
    view.show_tile(key)
