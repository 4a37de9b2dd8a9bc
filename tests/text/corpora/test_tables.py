"""Tables: what stands between the fields, broken rows, and Parquet."""

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from core.errors import CorpusError
from core.text.corpora.columns import UnknownColumnsError
from core.text.corpus import Corpus, load_corpus
from tests.refusals import refused

ROWS = [("001", "Anna: I say: yes; no, maybe|so", "She is 'undecided'."), ("NA", "Ben: 5 o'clock", "NA")]


def read(path: Path, content: bytes | str, **options: object) -> Corpus:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_corpus(path, **options)


def ids(corpus: Corpus) -> list[str]:
    return corpus.dataset["id"][:]


@pytest.mark.parametrize("between", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_what_excel_writes_is_read_whole(tmp_path: Path, between: str, encoding: str) -> None:
    lines = [between.join(("Id", "Dialogue", "Summary")), *(between.join(f'"{each}"' for each in row) for row in ROWS)]
    lines.append(f'3{between}"Zoë: café\nTom: ja"{between}Zoë')
    found = read(tmp_path / "a.csv", "\r\n".join(lines).encode(encoding))
    assert ids(found) == ["001", "NA", "3"] and not found.skipped
    assert found.dataset["dialogue"][:] == [*(row[1] for row in ROWS), "Zoë: café\nTom: ja"]
    assert bool(found.notes) == (encoding not in ("utf-8", "utf-8-sig"))


def test_tabs_old_line_ends_and_the_hint_of_excel(tmp_path: Path) -> None:
    assert ids(read(tmp_path / "a.tsv", "id\tdialogue\tsummary\n1\tA: hi, ho\tx\n")) == ["1"]
    assert ids(read(tmp_path / "a.csv", "id,dialogue,summary\r1,A: hi,x\r2,B: ho,y\r")) == ["1", "2"]
    assert ids(read(tmp_path / "b.csv", "sep=;\nid;dialogue;summary\n01;A: hi, ho;x\n")) == ["01"]


def test_a_quotation_mark_that_is_never_closed_takes_no_other_row_along(tmp_path: Path) -> None:
    rows = ['1,"A: never closed,s', '2,"A: ok\nB: yes",s', "3,it's,s", '4,"A: he says "no", ok",s', '5,A: "ok",s']
    found = read(tmp_path / "a.csv", "\n".join(["id,dialogue,summary", *rows, '6,"A: at the end,s', ""]))
    assert ids(found) == ["2", "3", "5"]
    assert [each.line for each in found.skipped] == [2, 6, 8] and "not valid CSV" in found.skipped[0].reason


def test_quotation_marks_after_a_backslash_are_read_as_spark_writes_them(tmp_path: Path) -> None:
    rows = ['1,"A: I say \\"no\\", ok\nB: C:\\dir",s', '2,"A: ok",s', '3,"A: \\"never closed,s', "4,A: ok too,s", ""]
    found = read(tmp_path / "a.csv", "\n".join(["id,dialogue,summary", *rows]))
    assert ids(found) == ["1", "2", "4"] and [each.line for each in found.skipped] == [5]
    assert found.dataset["dialogue"][0].startswith('A: I say "no", ok\nB: C:')


def test_of_two_columns_of_one_name_the_first_counts(tmp_path: Path) -> None:
    found = read(tmp_path / "a.csv", "dialogue,summary,summary\nA: hi,first,second\n")
    assert found.dataset["references"][:] == [["first"]]


def test_the_rest_of_a_broken_row_is_no_row(tmp_path: Path) -> None:
    content = 'dialogue,summary\n"A: she says "no"\nB: and then\nC: bye",s\nD: ok,s\n'
    found = read(tmp_path / "a.csv", content, require_summaries=False)
    assert found.dataset["dialogue"][:] == ["D: ok"] and [each.line for each in found.skipped] == [2, 3, 4]


def test_parquet_keeps_texts_and_lists(tmp_path: Path) -> None:
    rows = [
        {"id": "00138121", "dialogue": "A: hi", "references": ["NA", "x"], "n": 1},
        {"id": "2", "dialogue": None, "references": ["x"], "n": None},
        {"id": "3", "dialogue": "B: ho", "references": [], "n": 2},
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    found = load_corpus(tmp_path / "a.parquet", require_summaries=False)
    assert [(row["id"], row["references"]) for row in found.dataset] == [("00138121", ["NA", "x"]), ("3", [])]
    assert [(each.place, each.reason) for each in found.skipped] == [("row 2", "dialogue is missing")]


def test_parquet_of_another_shape_or_without_an_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"x": [{"y": [1, 2]}]}), path)
    refused(UnknownColumnsError, "lacks columns. Received: 'x'", load_corpus, path)
    pyarrow.parquet.write_table(pyarrow.table({"dialogue": ["A" * 1_000_000] * 300}), path)
    assert path.stat().st_size < 2_000_000  # one text, 300 times
    refused(CorpusError, "more than 3,000,000 bytes", load_corpus, path, most_bytes=3_000_000, require_summaries=False)
    refused(CorpusError, "is damaged", read, path, b"PAR1, but nothing else")
