"""Runs that ship with Selfroom, each a file as anybody may write one."""
