"""Timelines: trees of worlds that went on from one point of a community's life, none of which ever happened."""
