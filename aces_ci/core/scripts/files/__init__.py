"""Files by name: where a path points, what becomes of it, what a patch changes."""
