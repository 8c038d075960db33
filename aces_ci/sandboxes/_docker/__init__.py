"""Parts of the Docker sandbox; the plug-in itself is `aces_ci.sandboxes.docker`."""
