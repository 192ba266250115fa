"""Runs: communities without Discord, as a file describes them (docs/runs.md)."""
