"""Exact procedures over paired trials; pure."""
