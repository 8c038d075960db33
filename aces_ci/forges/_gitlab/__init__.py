"""Parts of the GitLab forge."""
