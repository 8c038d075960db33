"""Parts of the process sandbox; the plug-in itself is `aces_ci.sandboxes.process`."""
