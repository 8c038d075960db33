"""Where a change request lives, one a file."""
