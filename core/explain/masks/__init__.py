"""What the Masks page explains: masks, and the task that shows what they are for."""
