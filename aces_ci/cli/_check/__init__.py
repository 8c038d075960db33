"""The parts of `aces-ci check`: selection, formats, fixes, the baseline file."""
