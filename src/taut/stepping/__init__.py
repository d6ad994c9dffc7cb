"""From one state to the next: the step, its stages, and when they are accepted."""
