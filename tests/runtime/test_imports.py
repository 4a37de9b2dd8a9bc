"""Packages that seem not installed while a library is imported."""

import importlib
import sys

import pytest

from core.runtime.imports import without


def test_hidden_inside_and_there_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with without("colorsys", "json"):
        with pytest.raises(ImportError):
            importlib.import_module("colorsys")
        assert importlib.import_module("json").loads("1") == 1, "what has been imported stays"
    assert importlib.import_module("colorsys").rgb_to_hsv(1, 1, 1) == (0, 0, 1)


def test_it_ends_with_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with pytest.raises(RuntimeError), without("colorsys"):
        raise RuntimeError
    assert importlib.import_module("colorsys")
