"""Where a trial runs, one backend a file."""
