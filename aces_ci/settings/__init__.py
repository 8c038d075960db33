"""Every option: model, layers with their origin, explanation."""
