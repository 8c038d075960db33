"""One file a command; nothing heavy is imported at the top."""
