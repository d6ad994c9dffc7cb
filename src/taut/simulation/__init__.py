"""The friendly loop: run, look, drive, edit, record."""
