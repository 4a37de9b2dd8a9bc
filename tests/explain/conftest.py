"""Small networks of the families, and what they wrote: built once for all files."""

import pytest

from tests.models import FAMILIES, build

DIALOGUE = "Maya: I lost my suitcase in Madrid.\nTom: Did you call the airline?\nMaya: Yes, it comes tomorrow."


@pytest.fixture(scope="session", params=["pre", "post", *FAMILIES])
def run(request, tiny, tmp_path_factory):
    """A summarizer of random weights, pre-norm and copying, post-norm and not, or of a family, and its summary."""
    folder, family = tmp_path_factory.mktemp("checkpoints"), request.param if request.param in FAMILIES else None
    summarizer = tiny if request.param == "pre" else build(folder / "other", "post", False, "bpe", family)
    return summarizer, summarizer.summarize(DIALOGUE)
