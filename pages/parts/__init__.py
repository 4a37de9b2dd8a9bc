"""Pages that are too long for one file, in parts: a folder a page."""
