"""A shell script as the simple commands in it: the grammar, words, wrappers, the folder each runs in."""
