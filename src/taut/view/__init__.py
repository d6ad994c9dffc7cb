"""Looking at simulations: the live viewer, replays, pages that open offline, pictures and films."""
