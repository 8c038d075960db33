"""The dangerous shapes themselves, one kind of harm a module."""
