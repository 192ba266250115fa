"""`landlord`: a game of cards in which one plays against all others, who are partners (docs/games.md)."""
