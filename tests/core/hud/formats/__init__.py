"""Tests of the formats in which HUDs are written."""
