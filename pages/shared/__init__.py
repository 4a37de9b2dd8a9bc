"""What the pages have in common."""
