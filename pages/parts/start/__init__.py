"""The parts of the start page."""
