"""Writing messages: from a form to a checked record, and on to everyone who sees the channel."""
