"""Responses: how M~^-1 is applied, and which rows are already inside it. One file a kind."""
