"""What the commands of a script do: what they run, touch and print, and which of them can have failed."""
