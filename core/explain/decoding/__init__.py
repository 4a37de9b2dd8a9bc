"""What the Decoding page explains: the next token, beams, branches."""
