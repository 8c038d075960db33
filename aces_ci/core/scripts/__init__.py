"""What a script would do: shell and other languages read, the dangerous told from daily work; begin at `danger`."""
