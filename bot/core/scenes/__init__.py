"""Rules of play: one pure module a kind, orderings, and the fold of a scene's log (docs/scenes.md)."""
