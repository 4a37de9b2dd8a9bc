"""The parts of the Summarize page: the dialogue and its summary."""
