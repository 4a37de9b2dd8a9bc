"""Your batch of short texts or rows of ids: its four masks, and the scores of a head before and after the softmax."""

from typing import TYPE_CHECKING

import streamlit as st

from core.errors import DialogueError, SettingsError
from core.explain.attention.inside import Kind
from core.explain.masks.masks import ROWS, Batch, Cells, HeadScores, Masks, Name, read_pads
from core.explain.shared.source_lines import SourceLine, source_line
from core.figures.attention import maps
from core.figures.masks import masks as figures
from core.figures.masks.typed_batch import Rows, own_ids, rows_of_ids, rows_of_texts
from core.figures.shared.derivations import score_formula
from core.figures.shared.wording import KIND_NAMES, count
from core.words import later, say
from pages.shared.controls.choices import one_of, select
from pages.shared.controls.choices import row as choice_row
from pages.shared.figures import pictures
from pages.shared.model import loading, model_parts, models
from pages.shared.model.cache import cached
from pages.shared.session import decoding, notices
from pages.shared.session.fields import Choice, Number, Text
from pages.shared.session.notices import literal

if TYPE_CHECKING:
    from core.service import Summarizer

WHERE: dict[Name, Kind] = {"padding": "encoder", "look_ahead": "decoder", "target": "decoder", "cross": "cross"}
SHORT: dict[Name, str] = {
    "padding": later("Padding"),
    "look_ahead": later("Look-ahead"),
    "target": later("Target"),
    "cross": later("Cross"),
}
KIND = Choice("mask_kind", SHORT, "target")
HEAD = Number("mask_head", 1, 99, 1)
OF = Choice("mask_of", {"texts": later("Texts"), "ids": later("Ids")})
TEXTS = Text("mask_texts", 600, "Thank you.\nI lost my key today.\nIs it here?")
IDS = Text("mask_ids", 600, ROWS["tutorial"])
PADS = Text("mask_pads", 60, "0")
ROW = Number("mask_row", 1, "batch_rows", 1)
FIELDS = (OF, TEXTS, IDS, PADS, ROW, KIND, HEAD)
SAYS: dict[Name, str] = {
    "padding": later(
        "No token of the encoder may look at padding. The mask is stored once a text, [B, 1, 1, S]: the ones stretch "
        "over all heads and all queries. It hides keys, not queries: a row of padding still looks, and nobody reads "
        "what it finds."
    ),
    "look_ahead": later(
        "A token of the decoder may look at itself and at what stands before it. The mask is the same for every text, "
        "[T, T]: the lower triangle with its diagonal."
    ),
    "target": later(
        "Padding ∧ look-ahead: a token of the decoder may look at what is not padding **and** not later. The two are "
        "stretched over each other, [B, 1, 1, T] and [T, T] give [B, 1, T, T]."
    ),
    "cross": later(
        "A token of the decoder may look at every token of the encoder that is not padding. It is the encoder's mask "
        "itself, [B, 1, 1, S], stretched over the T queries of the decoder."
    ),
}


def draw() -> None:
    """Draw a batch, its four masks, and what one of them does to the scores of a head."""
    picture, batch = st.columns([5, 3], gap="medium")  # on a phone the picture comes first, too
    with choice_row():
        name: Name = one_of(say("Mask"), KIND)
    with batch:
        try:
            rows = _typed()
        except (SettingsError, DialogueError) as error:
            with picture:  # which it takes the place of
                notices.show(error)
            return
        if sentence := own_ids(models.tokenizer(decoding.checkpoint())):
            st.caption(sentence)
    masks = _made(rows.batch)
    texts = range(1, len(rows.source) + 1)
    ROW.fit(texts, say("text"))
    with choice_row():
        row = select(say("Text"), {number: str(number) for number in texts}, ROW, width=110) - 1
    cells = masks.cells(name, row)
    queries = rows.source[row] if name == "padding" else rows.target[row]
    keys = rows.source[row] if name in ("padding", "cross") else rows.target[row]
    with picture:
        pictures.show(pictures.kept(figures.mask, name, cells, queries, keys), "mask_picture")
    st.markdown(say(SAYS[name]))
    line = _line(name)
    st.code(line.code, language="python", wrap_lines=True)
    st.caption(say("{place}, run just now on this batch.", place=literal(line.place)))
    with st.expander(say("Before and after the softmax")):
        _softmax(rows.batch, name, row, cells, queries, keys)
    with st.expander(say("The batch and its four masks")):
        _tables(rows, masks)
    _blind()


def _typed() -> Rows:
    """Draw the boxes and return the batch in them; raises SettingsError or DialogueError if they hold no batch."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = one_of(say("Batch of"), OF)
        st.text_input(
            say("Pad ids"),
            key=PADS.name,
            max_chars=PADS.longest,
            persist_state="session",
            width=130,
            help=say(
                "An id, or several with commas: 0 or 0, 7. Each counts as padding; rows are filled with the first."
            ),
        )
        if kind == "ids":
            st.button(say("Tutorial's example"), key="mask_tutorial", on_click=_take, args=("tutorial",))
            st.button(say("All padding"), key="mask_empty", on_click=_take, args=("empty",))
    label, field = (
        (say("Ids, a line a row; press Ctrl + Enter when it is done"), IDS)
        if kind == "ids"
        else (say("Short texts, a line each; press Ctrl + Enter when it is done"), TEXTS)
    )
    text = st.text_area(label, key=field.name, max_chars=field.longest, height=110, persist_state="session")
    pads = read_pads(PADS.value)
    if kind == "ids":
        return rows_of_ids(text, pads)
    return rows_of_texts(text, pads, models.tokenizer(decoding.checkpoint()))


def _take(name: str) -> None:
    """Fill the box of ids with an example; for a button."""
    OF.value, IDS.value, PADS.value = "ids", ROWS[name], "0"
    ROW.value = 2 if name == "empty" else 1


def _tables(rows: Rows, masks: Masks) -> None:
    """Draw the batch as tables, and all four masks with their shapes."""
    st.markdown(
        say(
            "A batch is a table, so short texts are filled up with padding, and in training the whole target lies "
            "before the decoder at once. Masks hide both. Here True (1) means: attend."
        )
    )
    sides = [(say("Encoder input"), rows.source, rows.batch.source)]
    if rows.batch.target is not rows.batch.source:
        sides.append((say("Decoder input"), rows.target, rows.batch.target))
    for name, labels, ids in sides:
        columns = {str(place + 1): [row[place] for row in labels] for place in range(ids.shape[1])}
        texts = [str(number) for number in range(1, len(labels) + 1)]
        st.dataframe({say("Text"): texts} | columns, hide_index=True, width="content", alt=name)
        st.caption(
            say(
                "{name}, {shape}: {texts} of {positions}.",
                name=name,
                shape=list(ids.shape),
                texts=count(ids.shape[0], "text"),
                positions=count(ids.shape[1], "position"),
            )
        )
    stored = {name: masks.stored(name) for name in WHERE}
    table = {
        say("Mask"): [say(figures.TITLES[name]) for name in stored],
        say("Shape"): [str(list(mask.shape)) for mask in stored.values()],
        say("Open cells"): [
            say("{open} of {cells}", open=int(mask.sum()), cells=mask.size) for mask in stored.values()
        ],
        say("Where"): [say(KIND_NAMES[WHERE[name]]) for name in stored],
        say("Made in"): [_line(name).place for name in stored],
    }
    st.dataframe(table, hide_index=True, width="content", alt=say("The four masks with their shapes"))


def _line(name: Name) -> SourceLine:
    return source_line(f"{name.replace('_', '-')} mask")


def _softmax(batch: Batch, name: Name, row: int, cells: Cells, queries: list[str], keys: list[str]) -> None:
    """Draw the scores and the weights of a head of the loaded model."""
    if not model_parts.has_or_note("heads", say("attention heads whose scores a mask could change")):
        return
    summarizer = loading.current_model()
    if summarizer is None:
        return
    heads = summarizer.config.has.heads
    HEAD.fit(range(1, heads + 1), say("head"))
    head = select(say("Head"), {number: str(number) for number in range(1, heads + 1)}, HEAD, width=110) - 1
    try:
        head_scores = _scores(summarizer, batch, name, row, head)
    except SettingsError as error:
        notices.show(error)
        return
    what = say("{attention}, layer 1, head {head}", attention=say(KIND_NAMES[WHERE[name]]), head=head + 1)
    left, right = st.columns(2, gap="medium")
    with left:
        formula = score_formula(summarizer.config.has, WHERE[name] != "cross")
        st.markdown(say("**Before:** {formula}", formula=formula))
        pictures.show(pictures.kept(figures.scores, head_scores.scores, cells, queries, keys, what), "scores_picture")
    with right:
        st.markdown(say("**After:** each row is shared out among its open keys"))
        sides = (say("Query"), say("Key"))
        picture = pictures.kept(maps.matrix, head_scores.weights, queries, keys, sides, what)
        pictures.show(picture, "weights_picture")
    st.markdown(figures.hidden_share(head_scores.weights, cells))


def _blind() -> None:
    """Say what happens where a query has no key to look at."""
    with st.expander(say("What if a row is all padding?"), icon=":material/help:", key="mask_blind"):
        st.markdown(
            say(
                "Then a query has no open key. Each of its scores becomes −1e9, and equal scores get equal weights: "
                "every one of the N keys gets 1 ÷ N, padding and later positions too. Nothing becomes NaN; −∞ in place "
                "of −1e9 would give 0 ÷ 0."
            )
        )
        st.markdown(
            say(
                "In the decoder such a query is always padding itself, because a token may look at itself: no loss is "
                "counted there, and no other token looks at it. But where a whole **source** is padding, real tokens "
                "of the decoder read the mean of what stands at the padding, and learn nothing of any text."
            )
        )
        st.button(say("Show it"), key="mask_show_empty", icon=":material/grid_on:", on_click=_take, args=("empty",))


@cached(32, later("Making the masks; the first time Keras has to start"))
def _made(batch: Batch) -> Masks:
    from core.experiments.masks.batch_masks import make_masks

    return make_masks(batch)


@cached(64, later("Running the model on the batch"))
def _scores(summarizer: "Summarizer", batch: Batch, name: Name, row: int, head: int) -> HeadScores:
    from core.experiments.masks.batch_masks import head_scores

    return head_scores(summarizer, batch, name, row, head)
