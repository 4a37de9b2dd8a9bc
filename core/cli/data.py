"""What commands that read a corpus have in common: which column is what, how strict, and what is told of the rows."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.cli import stdin
from core.cli.options import tell
from core.errors import CorpusError
from core.words import count

if TYPE_CHECKING:
    from core.text.corpus import Corpus

FILES = "- or a JSONL, JSON, CSV, TSV or Parquet file (docs/corpora.md)"
"""What is read, for the help of arguments."""
ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Columns by other names: dialogue=COLUMN,summary=COLUMN (also id, topic, references, prediction)."
    ),
]
EncodingOption = Annotated[
    str, typer.Option(help="Encoding of the file, cp1250 for instance; without it, its bytes tell.")
]
ReadingOption = Annotated[
    str, typer.Option("--format", help="Read it as this format of docs/formats.md; without it, its content tells.")
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Refuse data of which a row would be left out.")]


def load(
    source: str,
    columns: list[str] | None = None,
    *,
    limit: int | None = None,
    summaries: bool = True,
    strict: bool = False,
    encoding: str = "",
) -> "Corpus":
    """Read a corpus, and tell how many rows were taken, joined and left out; which ones, `tell_skipped` tells.

    Args:
        source: a file, or a name on the hub.
        columns: what `--columns` gives.
        limit: most dialogues.
        summaries: whether a row without a summary is left out.
        strict: whether a row that is left out is an error.
        encoding: what `--encoding` gives.

    Raises:
        CorpusError: it cannot be read, or a row is left out under `strict`.
    """
    from core.text.corpora.columns import read_choice
    from core.text.corpus import load_corpus

    source = str(stdin.local(source, lambda cells: True)) if source == "-" else source
    chosen = read_choice(columns or [])
    corpus = load_corpus(source, limit=limit, require_summaries=summaries, columns=chosen, encoding=encoding)
    for line in (corpus.told, *corpus.notes):
        tell(f"{corpus.name}: {line}")
    if strict and corpus.skipped:
        rows, first = count(len(corpus.skipped), "row"), corpus.skipped[0]
        raise CorpusError(
            f"{corpus.name}: {rows} would be left out, and --strict allows none. {first.place}: {first.reason}"
        )
    return corpus
