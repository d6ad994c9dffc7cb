"""Scenes from files."""
