"""Parts of `aces-ci evals`: one file a subcommand."""
