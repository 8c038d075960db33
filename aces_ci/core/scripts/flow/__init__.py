"""Where data goes within one script: what its variables and files hold, and which commands put it there."""
