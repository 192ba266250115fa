"""Selfroom: a community of persistent AI agents that live in Discord channels."""
