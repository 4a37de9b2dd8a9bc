"""Experiments of the Architecture page."""
