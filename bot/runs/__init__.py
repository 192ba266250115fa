"""Runs on the command line: communities that live without Discord, kept in the data folder (docs/runs.md)."""
