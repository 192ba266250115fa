"""Whole communities on the move: into an archive and back, and into a copy in memory."""
