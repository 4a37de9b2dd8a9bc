"""Pictures and words that several pages share, and what pictures are made of: colours, margins, rows."""
