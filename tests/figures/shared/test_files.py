"""Tables and pictures as files."""

import csv
import io

import numpy as np

from core.figures.attention.maps import matrix_table
from core.figures.shared import files
from tests.pages.test_pictures import PICTURE, TABLE


def test_csv_keeps_every_text_and_npz_needs_no_pickle():
    rows = list(csv.reader(io.StringIO(files.to_csv(TABLE))))
    assert rows[0] == ["Token", "Rank", "ROUGE-1", "Ends"]
    assert rows[2] == ['a "b", c', "2", "", "False"] and len(rows) == 4
    with np.load(io.BytesIO(files.to_npz(TABLE)), allow_pickle=False) as arrays:
        assert arrays["Token"].dtype.kind == "U" and arrays["Token"][1] == 'a "b", c'
        assert arrays["Rank"].dtype.kind == "i" and arrays["Ends"].dtype.kind == "b"
        np.testing.assert_array_equal(arrays["ROUGE-1"], [0.5, np.nan, 2.0])


def test_a_matrix_is_saved_as_one_with_its_labels():
    weights = np.array([[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]], dtype=np.float32)
    table = matrix_table(weights, ["the", "the", "end"], ["a", "b"])
    with np.load(io.BytesIO(files.to_npz(table)), allow_pickle=False) as arrays:
        assert arrays["Query"].tolist() == ["the", "the", "end"] and arrays["Key"].tolist() == ["a", "b"]
        np.testing.assert_array_equal(arrays["Weight"], weights)
    assert len(files.to_csv(table).splitlines()) == 7


def test_the_matrices_of_several_heads_are_saved_as_one_array():
    weights = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    table = matrix_table(weights, ["the", "the", "end"], ["a", "b"], heads=[3, 4])
    with np.load(io.BytesIO(files.to_npz(table)), allow_pickle=False) as arrays:
        assert arrays["Head"].tolist() == [3, 4] and arrays["Query"].tolist() == ["the", "the", "end"]
        np.testing.assert_array_equal(arrays["Weight"], weights)
    assert files.to_csv(table).splitlines()[:3] == ["Head,Query,Key,Weight", "3,the,a,0.0", "3,the,b,1.0"]


def test_a_spreadsheet_computes_nothing_that_a_visitor_wrote():
    texts = ['=HYPERLINK("http://evil.example")', "+1", "-a", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "a=b", "", "'"]
    rows = list(csv.reader(io.StringIO(files.to_csv({"=head": texts, "number": [-1.5] * len(texts)}), newline="")))
    assert [row[0] for row in rows] == ["'=head", *(f"'{text}" for text in texts[:7]), *texts[7:]]
    assert {row[1] for row in rows[1:]} == {"-1.5"}


def test_the_web_page_is_whole_and_escaped():
    page = files.to_html(PICTURE, "#000000", "#ffffff")
    assert page.startswith("<!doctype html>") and "<p>“&lt;b&gt;” got *most*.</p>" in page
    assert len(page) > 3_000_000 and "<script src=" not in page
