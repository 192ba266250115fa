"""Trees of timelines: a frozen base and what differs from it, a file for each."""
