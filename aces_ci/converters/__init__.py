"""Converters: the log of one agent CLI each, to a trajectory."""
