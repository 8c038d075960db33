"""What a case is: cases, their checks, their files, the run policy."""
