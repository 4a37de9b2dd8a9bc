"""Files of dialogues and summaries as people have them: how they are opened, and which column means what."""
