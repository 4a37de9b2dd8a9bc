"""The parts of the Visited page."""
