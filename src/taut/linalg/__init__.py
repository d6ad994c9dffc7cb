"""Linear algebra on flat arrays: factorisations that solvers share. Nothing physical."""
