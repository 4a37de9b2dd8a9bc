"""The parts of the Decoding page: what it looks at, and its four views."""
