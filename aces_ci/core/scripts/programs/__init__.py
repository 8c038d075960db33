"""Programs in other languages than the shell: what they call and which files they touch."""
