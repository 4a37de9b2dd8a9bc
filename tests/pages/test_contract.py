"""What holds for every view of every page. Each is opened three times, and every opening serves several tests.

Abroad: a first visit in a language of its own. Linked: a link that says something of every field. Odd: a link with an
odd dialogue and forged values. What they say and keep of the last stands in `__snapshots__`.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest
from plotly.basedatatypes import BaseTraceType
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from core import checkpoints
from core.figures.shared.files import MatrixTable
from core.figures.shared.picture import Picture
from core.text import links
from core.text.examples import load_examples
from pages.shared.controls import choices
from pages.shared.figures import pictures
from pages.shared.place import address, declarations
from pages.shared.session import decoding, selection
from pages.shared.session.fields import Choice, Field, Number
from tests.pages import colours, training
from tests.pages.conftest import ROOT, encoder_in_memory
from tests.pages.driver import noted, open_link
from tests.words.pseudo import WIDE, speaks
from tests.words.unsaid import english, shown, users

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
VIEWS = [(page, view) for page in PAGES for view in declarations.page_at(page).views]
ODD = "<b>odd</b>: 😀 <i>odd</i> שלום [odd](http://odd) $odd$ :red[odd] *odd* `odd` " + "w" * 90
"""One turn: letters from right to left, an emoji, HTML, Markdown, a formula, and a very long word."""
RAW = re.compile(r"(?<!\\)(?:<[bi]\\?>odd|\[odd\\?\]\\?\(|\$odd|:red\[odd|\*odd|`odd)")
"""What a browser would read as more than letters."""
MARKED = ("markdown", "caption", "info", "warning", "error", "success", "header", "subheader", "title")
"""Elements that are read as Markdown."""
OTHER = {
    "arch_model": "preset.report-b", "arch_part": "encoder/block2/feed_forward", "beside": "tiny", "branch": "2.273",
    "bert_edit": "Something else.", "bert_other": "untrained", "bert_own": "Mine.", "bert_text": "A text.",
    "err_against": "sample:tiny", "err_change": "shuffled", "err_columns": "measures", "err_slice_and": "hint",
    "err_find": "cat", "err_kind": "novel_name",
    "err_measure": "rouge2", "err_row": "leaking-tap", "err_slice": "topic", "err_sort": "rouge1.down",
    "err_x": "rouge1", "err_y": "turns", "forced": "0", "heads": "1.2", "lab_matrices": "1_2~~1_1~~1~~1",
    "left_model": "tiny", "mask_amount": "16", "mask_ids": "1 2\n1 0", "mask_pads": "0, 7", "mask_texts": "One.\nTwo.",
    "max_tokens": "9", "merged_word": "hello", "off": "cross1.2", "pos_dimensions": "3, 1", "pos_places": "2",
    "right_model": "tiny", "state": "step=3", "tokens_text": "Zoë", "train_dialogue": load_examples()[1].id,
    "train_presets": "dialoscope", "train_runs": "-", "train_systems": "-", "truncation": "end", "turns": "1.3",
    "with": "3.273",
}  # fmt: skip
"""What a link may say of a field; of others it is the next option, or the next number."""
ELSEWHERE = {
    "bert_encoder", "train_model",  # another one is not installed
    "err_by", "err_data",  # a file
    "lab_block", "lab_cell", "lab_parameters",  # what fits to the matrices
    "against", "instead", "tokens_line",  # what the model offers, and which tokenizers a view has
}  # fmt: skip
"""Fields whose other values need more than this link: the tests of their pages know them."""
CHOSEN = {("errors", "compare"): {"err_against"}, ("tokens", "embedding"): {"tokens_place"}}
"""What a view chooses by itself and writes into the address."""
LAID_OUT = {
    "attention_pair", "beam_picture", "bertscore_candidates_picture", "bertscore_edit_picture",
    "bertscore_matrix_picture", "branch_tree", "decoder_lens_picture", "errors_slices_picture",
    "errors_spread_picture", "forcing_picture", "kept_turns_picture", "logit_lens_picture", "looks_at", "mask_picture",
    "merges_picture", "parameter_bars_picture", "parameter_shares_picture", "pos_dimensions_apart_picture",
    "pos_positions_apart_picture", "scores_picture", "turn_drops", "turn_rewrites", "votes", "words_beside",
}  # fmt: skip
"""Pictures with more than the numbers of their table: frames, rings, lines at a mean, sums, shares, places of a tree,
dots and curves that are moved apart."""


OF_ATTENTION = {
    "attention_pair", "in_turn", "looks_at", "memory_picture", "parameter_bars_picture", "parameter_shares_picture",
    "stages", "train_attention_picture", "turn_matrix", "weights_picture", "work_picture",
}  # fmt: skip
"""Pictures with weights of attention, or with the layers that make them."""


CHOICES = {
    "button_group", "checkbox", "multiselect", "number_input", "radio", "selectbox", "select_slider", "slider",
    "text_area", "text_input", "toggle",
}  # fmt: skip
"""Elements with which something is chosen."""
NO_CHOICES = {
    "page_views", "page_head", "input", "example", "lab_matrices_editor", "lab_parameters_editor", "lab_block_editor",
}  # fmt: skip
"""What stands outside the row: the choice of a view, what a page is about, and the matrices that one types."""


class Opened(NamedTuple):
    """A view that was opened; `runs` and `writings` count runs of the app and writings of the address."""

    app: AppTest
    link: dict[str, str]
    pictures: list[tuple[Picture, str]]
    runs: int
    writings: int


@pytest.fixture(scope="module")
def opens(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Opened]]:
    """A function that opens a view in a new session; the checkpoint has all that a training leaves."""
    place = tmp_path_factory.mktemp("contract")
    tiny = shutil.copytree(folder / "tiny", place / "tiny")
    checkpoints.write_history(tiny / "history.csv", training.ROWS)
    training.add_scores(tiny / "card.json")
    drawn: list[tuple[Picture, str]] = []
    begin, write = Mock(wraps=address.begin), Mock(wraps=address.write)
    show = pictures.show

    def recorded(picture: Picture, key: str, **more: object) -> None:
        drawn.append((picture, key))
        show(picture, key, **more)

    def open_view(view: tuple[str, str], link: dict[str, str]) -> Opened:
        if view[0] == "bertscore":
            encoder_in_memory()
        drawn.clear()
        begin.reset_mock()
        write.reset_mock()
        declared = declarations.page_at(view[0])
        link = link | ({} if view[1] == declared.view.default else {declared.view.name: view[1]})
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        open_link(f"pages/{view[0]}.py", app, may_refuse=True, **link)
        return Opened(app, link, list(drawn), begin.call_count, write.call_count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "FOLDER", place)
        training.record(tiny)
        patch.setattr(selection.EXAMPLE, "default", load_examples()[0].id)
        patch.setattr(pictures, "show", recorded)
        patch.setattr(address, "begin", begin)
        patch.setattr(address, "write", write)
        yield open_view


@pytest.fixture(scope="module", params=VIEWS, ids="/".join)
def view(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A page and one of its views."""
    return request.param


@pytest.fixture(scope="module")
def abroad(opens, view) -> Opened:
    """A first visit in another language."""
    with speaks():
        return opens(view, {})


@pytest.fixture(scope="module")
def linked(opens, view, abroad) -> Opened:
    """A visitor with a link that says something of every field; one from abroad was there before."""
    return opens(view, {field.name: other(field) for field in of(*view) if field.name not in ELSEWHERE})


@pytest.fixture(scope="module")
def odd(opens, view) -> Opened:
    """A link with an odd dialogue and, of every field, what it cannot be or can hardly be."""
    shared = declarations.SHARED if view[0] == "summarize" else ()
    forged = {field.name: extreme(field) for field in (*shared, *of(*view))}
    return opens(view, forged | {"input": "paste", "t": links.pack(ODD)})


def of(page: str, view: str) -> list[Field]:
    """The fields of a view and of its page, without those of other views."""
    declared = declarations.page_at(page)
    others = {field for each in declared.views.values() for field in each.fields} - {*declared.views[view].fields}
    return [field for field in declared.fields if field not in others and field is not declared.view]


def other(field: Field) -> str:
    """What a link may say of a field beside its default."""
    if field.name in OTHER:
        return OTHER[field.name]
    if isinstance(field, Choice):
        return next(option for option in field.options if option != field.default)
    if not isinstance(field, Number):
        return "x"
    step = field.step if field.default < field.high else -field.step
    return field.write(type(field.low)(field.default + step))


def extreme(field: Field) -> str:
    """What a field cannot be or can hardly be: of a number, the largest that a link may carry."""
    return field.write(field.high) if isinstance(field, Number) else "<i>odd</i>"


def test_a_first_visit_says_nothing_in_english(abroad):
    allowed = users()
    texts = shown(abroad.app)
    found = sorted({f"{piece}   IN   {text[:140]!r}" for text in texts for piece in english(text, allowed)})
    assert not found, "\n".join(found)


def test_a_first_visit_meets_no_refusal_and_needs_no_long_address(abroad, view):
    assert not abroad.app.error and not noted(abroad.app)
    assert set(abroad.app.query_params) - set(abroad.link) <= CHOSEN.get(view, set())


def test_the_address_is_written_once_a_run(abroad, linked, odd):
    assert all(opened.writings == opened.runs for opened in (abroad, linked, odd))


def test_no_word_of_an_earlier_visitors_language_is_kept(linked):
    assert not [text for text in shown(linked.app) if any(letter in text for letter in WIDE)]


def test_a_link_that_says_something_of_every_field_is_followed_and_stays(linked):
    assert not noted(linked.app) and not linked.app.error
    assert linked.app.query_params == linked.link


def test_what_a_link_asks_in_vain_is_said_and_all_else_stays(odd, view, snapshot):
    said = [*noted(odd.app).splitlines(), *(each.value.replace("\\", "") for each in odd.app.error)]
    kept = [name for name, raw in odd.link.items() if odd.app.query_params.get(name) == raw]
    told = [re.sub(r"\((possible|allowed): .*\)", r"(\1: …)", re.sub(r"\d+(?:,\d{3})*", "N", line)) for line in said]
    if of(*view) or view[0] == "summarize":
        assert "\n".join([*map(str.strip, told), f"Kept: {', '.join(kept)}"]) == snapshot
    else:
        assert not told


def test_a_dialogue_is_kept_and_shown_as_letters(odd, view):
    assert "t" not in declarations.names(view[0]) or links.unpack(odd.app.query_params["t"]) == ODD
    texts = [each.value for kind in MARKED for each in odd.app.get(kind)]
    assert not [text for text in texts if RAW.search(text)]


def test_one_row_of_choices_stands_above_the_first_picture(abroad, view):
    names = declarations.page_at(view[0]).views[view[1]].pictures
    nodes = list(in_order(abroad.app.main))
    drawn = [any(fnmatch(getattr(node, "key", None) or "", name) for name in names) for _, node in nodes]
    before = nodes[: drawn.index(True)] if any(drawn) else []
    asked = [(boxes, node.key) for boxes, node in before if node.type in CHOICES]
    in_row = [key for boxes, key in asked if choices.ROW in boxes]
    others = [key for boxes, key in asked if choices.ROW not in boxes and not NO_CHOICES & {*boxes, key}]
    assert sum(getattr(node, "key", None) == choices.ROW for _, node in nodes) == 1
    assert len(in_row) <= (5 if view == ("positions", "distance") else 4) and not others


def in_order(block: Block, boxes: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield what is seen on a page from above, each with the keys of the boxes around it; not what a button opens."""
    for node in block.children.values():
        yield boxes, node
        if isinstance(node, Block) and node.type not in ("popover", "expandable"):
            yield from in_order(node, (*boxes, node.key or ""))


def test_a_table_has_the_numbers_that_its_picture_draws(abroad, linked, odd):
    for picture, key in (*abroad.pictures, *linked.pictures, *odd.pictures):
        cells = [value for column in picture.table.values() for value in column]
        table = np.sort([0.0, 1.0, *(float(value) for value in cells if isinstance(value, int | float | np.number))])
        traces = picture.figure.data
        missing = [trace.name for trace in traces if not all(is_in(table, drawn) for drawn in numbers(trace))]
        assert not missing or key in LAID_OUT, f"{key}: {missing} of {len(traces)}"


def test_a_picture_of_a_matrix_is_saved_as_one(abroad, linked):
    for picture, key in (*abroad.pictures, *linked.pictures):
        columns = [np.float32(each) for each in picture.table.values() if {*map(type, each)} == {float}]
        maps = [trace.z.ravel() for trace in picture.figure.data if trace.type == "heatmap"]
        one_a_cell = any(np.array_equal(cells, column) for cells in maps for column in columns)
        assert not one_a_cell or isinstance(picture.table, MatrixTable), key


def test_no_colour_has_two_meanings_on_one_screen(linked, odd):
    for opened in (linked, odd):
        told: dict[str, set[str]] = {}
        found = [each for picture, _ in opened.pictures for each in colours.in_figure(picture.figure)]
        for role, meaning in (*found, *colours.in_components(opened.app)):
            told.setdefault(role, set()).add(meaning)
        assert not {role: each for role, each in told.items() if len(each) > 1}
        of_one_kind = [role for role in colours.PLACES if role != "amount" and role in told]
        assert {role: told[role] for role in of_one_kind} == {role: {role} for role in of_one_kind}


@pytest.mark.parametrize("role", colours.PLACES)
def test_a_component_has_a_colour_where_it_means_what_it_says(role):
    assert {place for name, place in colours.in_sources() if name == role} == set(colours.PLACES[role])


def test_only_pictures_of_attention_have_its_colour(abroad, linked):
    for opened in (abroad, linked):
        orange = {key for picture, key in opened.pictures if "attention" in dict(colours.in_figure(picture.figure))}
        assert orange <= OF_ATTENTION
        assert not {key for _, key in opened.pictures} & OF_ATTENTION - orange


def numbers(trace: BaseTraceType) -> Iterator[np.ndarray]:
    """Yield the numbers along each axis of a trace that has some; of a map those of its cells."""
    for values in [trace.z] if trace.type == "heatmap" else [trace.x, trace.y]:
        with suppress(ValueError, TypeError):
            found = np.asarray(values, dtype=float).ravel()
            yield found[np.isfinite(found)]


def is_in(table: np.ndarray, drawn: np.ndarray) -> bool:
    """Return whether numbers stand in a sorted table, as they are or as shares of which the percent are drawn."""

    def near(values: np.ndarray) -> np.ndarray:
        after = np.searchsorted(table, values).clip(1, len(table) - 1)
        gap = np.minimum(np.abs(table[after] - values), np.abs(table[after - 1] - values))
        return gap <= 1e-4 * np.maximum(1, np.abs(values))  # tables and charts show four digits

    in_rows = (np.diff(np.unique(drawn)) == 1).all()  # one after the other
    return bool(in_rows or (near(drawn) | near(drawn / 100)).all())


@pytest.mark.parametrize("strategy", decoding.OF_STRATEGY)
def test_a_link_that_says_something_of_every_setting_is_followed_and_stays(opens, strategy):
    settings = (*decoding.OF_STRATEGY[strategy], decoding.TRUNCATION, decoding.WORDS, selection.EXAMPLE)
    link = {field.name: other(field) for field in settings} | ({} if strategy == "beam" else {"strategy": strategy})
    found = opens(("summarize", "summarize"), link)
    assert not noted(found.app) and not found.app.error
    assert found.app.query_params == link
