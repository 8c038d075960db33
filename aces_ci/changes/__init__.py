"""Git history and bytes to changed skills."""
