"""The parts of the Decoding page: the run that it shows, its four views, and their controls."""
