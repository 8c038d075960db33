"""From what a provider streams to the turn it delivered, for each protocol."""
