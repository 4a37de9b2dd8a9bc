"""Chats, meetings and visits as the tools write them: a reader a file, all of them listed in `registry`."""
