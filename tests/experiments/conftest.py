"""Small summarizers of random weights: pre-norm with copying, post-norm without and with words, and of families."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import cache

import pytest

from core.experiments.effects import Condition, Untouched, untouched
from core.service import Summarizer
from core.trace import Summary
from tests.closeness import decided
from tests.models import FAMILIES, KINDS, build, operator_by_operator, script


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Callable[..., tuple[Summarizer, Untouched]]:
    """Builds a summarizer and its untouched run of the four turns, once: pytest drops a fixture of another param."""

    @cache
    def once(
        norm: str, copy: bool, kind: str, family: str | None = None, scale: float = 0.5
    ) -> tuple[Summarizer, Untouched]:
        with nullcontext() if norm == "pre" else operator_by_operator():  # one of them is compiled
            summarizer = build(tmp_path_factory.mktemp("checkpoints") / norm, norm, copy, kind, family, scale)
        encoded = summarizer.encode(script())
        text, ids = summarizer.write(encoded)
        result = summarizer.engine.beam_rows(summarizer.engine.encode(encoded.ids), summarizer.settings)[0]
        assert decided(result.scores) == len(result.scores), "other seeds of the weights: two tokens tie"
        return summarizer, untouched(summarizer, Condition(encoded), ids, summarizer.settings, text)

    return once


OWN = {"pre": ("pre", True, "bpe"), "post": ("post", False, "word")}


@pytest.fixture(params=OWN.values(), ids=OWN, scope="session")
def pair(request, built) -> tuple[Summarizer, Untouched]:
    return built(*request.param)


@pytest.fixture(params=list(FAMILIES), scope="session")
def other(request, built) -> tuple[Summarizer, Untouched]:
    """A summarizer with the settings of a family, and its untouched run."""
    return built("post", False, "bpe", request.param)


@pytest.fixture(scope="session")
def copier(built) -> tuple[Summarizer, Summary]:
    """A summarizer that copies, and the trace of its untouched run."""
    summarizer, base = built("pre", True, "bpe")
    return summarizer, summarizer.summarize(base.condition.encoded)


@pytest.fixture(params=[*OWN, *KINDS], scope="session")
def made(request, built) -> tuple[Summarizer, Summary]:
    """A summarizer of every kind, and the trace of its untouched run."""
    summarizer, base = built(*OWN.get(request.param, ("post", False, "bpe", request.param)))
    return summarizer, summarizer.summarize(base.condition.encoded)


@pytest.fixture(scope="session")
def summarizer(pair: tuple[Summarizer, Untouched]) -> Summarizer:
    return pair[0]


@pytest.fixture(scope="session")
def base(pair: tuple[Summarizer, Untouched]) -> Untouched:
    return pair[1]
