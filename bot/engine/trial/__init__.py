"""Trying a model out: what it does in the situations of this program, judged by rules."""
