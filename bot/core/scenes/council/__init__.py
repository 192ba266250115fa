"""`council`: motions, amendments and votes, one motion at a time, with or without somebody who presides."""
