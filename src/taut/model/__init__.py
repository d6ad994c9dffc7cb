"""From a scene to arrays: the model, which is frozen, and the state, which changes."""
