"""Chats: training dialogues rewritten by rule as people write to each other in messengers."""
