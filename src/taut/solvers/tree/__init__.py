"""What `linear-time` eliminates along trees of bodies: which rows, in which order, and what the others see of it."""
