"""One Protocol a file; its docstring is the contract."""
