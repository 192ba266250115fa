"""A Discord-compatible server, a scripted model and a chat page, for trying Selfroom without an account."""
