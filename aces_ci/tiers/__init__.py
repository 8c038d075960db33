"""Engines of the three tiers; they know ports, never plug-ins."""
