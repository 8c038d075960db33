"""Parts of the GitHub forge."""
