"""Report to text, one format a file; pure."""
