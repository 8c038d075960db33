"""What a request may hold, field by field, for each protocol."""
