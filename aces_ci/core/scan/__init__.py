"""What text hides or leaks: tokens, hidden characters, injection; and the one redactor."""
