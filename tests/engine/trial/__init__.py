"""Trials of models."""
