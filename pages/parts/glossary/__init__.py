"""The parts of the glossary page."""
