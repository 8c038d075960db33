"""Tier 1: one rule a file."""
