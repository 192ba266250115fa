"""Timelines: worlds that go on from a moment of a community's life, and in which nothing that happens ever happened."""
