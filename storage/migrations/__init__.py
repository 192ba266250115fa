"""Migrations: append-only revisions, run to the newest one at start."""
