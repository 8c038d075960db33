"""Results of other tools as evidence: one file a format, each pure."""
