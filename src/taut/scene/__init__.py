"""What the user edits."""
