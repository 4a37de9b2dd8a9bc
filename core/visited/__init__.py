"""The list of what somebody looked at in a session: as values, as a file, as a page to read."""
