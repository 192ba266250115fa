"""The house, measured."""
