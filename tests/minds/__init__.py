"""Real models, tried on this machine: `make minds`, never part of `make test`."""
