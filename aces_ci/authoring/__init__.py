"""Create, refine and check evaluation assets."""
