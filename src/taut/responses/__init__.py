"""Responses: how M~^-1 is applied. One file a kind; what all of them offer is in `base.py`."""
