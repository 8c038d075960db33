"""What a script would do: shell and other commands parsed, the dangerous ones told from daily work; begin at `danger`."""
