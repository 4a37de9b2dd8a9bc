"""What the Architecture page explains: parts, parameters, cost."""
