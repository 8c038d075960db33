"""`python -m aces_ci`."""

from aces_ci.cli.main import main

if __name__ == "__main__":
    main()
