"""Agent CLIs as pure descriptions, one a file."""
