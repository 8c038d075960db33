"""What a skill says: outline, words, references, and how findings live on."""
