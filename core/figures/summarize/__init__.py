"""The sentences of the Summarize page."""
