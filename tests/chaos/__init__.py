"""The proof: people talk, everything breaks, and in the end nothing is lost, doubled or out of order."""
