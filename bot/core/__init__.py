"""The pure heart: decisions only, no clock, no randomness, no machine."""
