"""What the commands do: one file a job, from the command line to the exit code."""
