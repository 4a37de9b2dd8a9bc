"""What every test shares: the environment, set before anything imports Keras, and the optional data folder."""

import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

from pathlib import Path  # noqa: E402

import hypothesis  # noqa: E402
import pytest  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() == "true"

# The first example compiles a graph and takes seconds; in CI a failure must be repeatable.
hypothesis.settings.register_profile("dialoscope", deadline=None, derandomize=IN_CI)
hypothesis.settings.load_profile("dialoscope")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The optional data folder: DIALOSCOPE_SHARED, or `shared` beside the checkout."""
    setting = os.environ.get("DIALOSCOPE_SHARED", "../shared")
    folder = (ROOT / setting).resolve()
    if not folder.is_dir():
        message = f"no data folder at {setting}: set DIALOSCOPE_SHARED to one"
        if IN_CI:
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return folder
