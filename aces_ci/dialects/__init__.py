"""Evaluation formats in, one a file."""
