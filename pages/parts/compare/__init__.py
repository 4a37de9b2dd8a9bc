"""What only the page of two models uses."""
