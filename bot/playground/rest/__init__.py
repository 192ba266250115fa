"""The REST API: one module of routes for each kind of thing, and the door they stand behind."""
