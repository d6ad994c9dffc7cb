"""Collision: which bodies may touch, where, and which way the surfaces face there."""
