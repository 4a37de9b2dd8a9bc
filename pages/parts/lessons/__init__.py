"""The parts of the Lessons page: the path of stops, the talks, and where own lessons come from."""
