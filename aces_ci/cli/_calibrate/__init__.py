"""What can be calibrated: one subcommand a module."""
