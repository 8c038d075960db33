"""Who answers a question, one a file."""
