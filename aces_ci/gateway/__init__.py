"""The model gateway: a program of its own."""
