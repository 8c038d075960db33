"""Tier 2: one criterion a file."""
