"""What a session holds: fields, the dialogue it looks at, its settings and language, what it was told."""
