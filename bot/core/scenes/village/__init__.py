"""A village of 20 × 20 tiles, lived in hour by hour (docs/games.md)."""
