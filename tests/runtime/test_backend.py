"""What the backend keeps from users."""

import subprocess
import sys

from tests.conftest import ROOT


def test_keras_warns_nobody_of_a_softmax_over_one_place() -> None:
    code = "from core.runtime.backend import ops; ops.softmax(ops.zeros((1, 1)))"
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], cwd=ROOT, check=True)
