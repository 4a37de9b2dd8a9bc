"""The parts of the Attention page: what is looked at, and its six views."""
