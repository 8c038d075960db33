"""What earlier runs measured."""
