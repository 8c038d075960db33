"""Workers: programs with an environment and a process of their own."""
