"""What the server refuses: requests from elsewhere, forged messages, what a demonstration does not allow."""
