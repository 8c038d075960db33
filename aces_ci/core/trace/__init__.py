"""What an agent did: the trajectory (ATIF), built, read, annotated and looked at."""
