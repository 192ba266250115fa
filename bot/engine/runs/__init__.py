"""Runs: a community is founded as a file says, lives by itself, and is told of afterwards (docs/runs.md)."""
