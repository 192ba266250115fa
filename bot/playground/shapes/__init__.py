"""How records look from outside: the JSON objects of Discord's API, complete with the fields nobody asked for."""
