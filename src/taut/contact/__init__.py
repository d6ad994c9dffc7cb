"""Contacts: what they remember, which is which of before, their rows and friction."""
