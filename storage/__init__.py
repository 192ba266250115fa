"""SQLModel storage: the only floor that knows a database."""
