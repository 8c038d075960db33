"""The RAGAS worker: goal accuracy by its own metric, in its own environment and process."""
