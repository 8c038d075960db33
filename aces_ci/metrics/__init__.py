"""Tier 3: one metric a file."""
