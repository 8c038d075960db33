"""aces-ci: says whether a change to an agent skill makes agents better, worse, or cannot be told yet."""

__version__ = "0.4.0"
