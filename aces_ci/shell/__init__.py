"""The only modules that touch the outside."""
